export { type Client, type ClientOptions, createClient } from './client.ts';
export { FreebetsError, type FreebetsErrorName } from './freebets-error.ts';
export { partsOf, refusalsOf, runJob, type Sent, waitForJob } from './jobs.ts';
export { type Sign, type SignedRequest, signerOf, signRequest } from './signing.ts';
