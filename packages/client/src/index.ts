export type * from './answers.ts';
export type { CallOptions, ClientOptions, RequestLog, ResponseLog, WithRequestId } from './caller.ts';
export { Partner, type PartnerOptions, Provider, type ProviderOptions } from './clients.ts';
export type { EventCursor, EventsOptions } from './events.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type FieldError,
  FreebetsError,
  type FreebetsErrorName,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
} from './freebets-error.ts';
export { type JobToRun, jobRunnerOf, partsOf, type RunOptions, type Sent, type WaitOptions } from './jobs.ts';
export type { List } from './lists.ts';
export type { OperationName } from './operations.ts';
export type { PartnerCalls } from './partner-methods.ts';
export type { ProviderCalls } from './provider-methods.ts';
export type * from './requests.ts';
export { type Sign, type SignedRequest, signerOf, signRequest } from './signing.ts';
export type * from './things.ts';
export {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookReason,
} from './webhooks.ts';
