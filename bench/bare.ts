import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoPartner } from '../packages/server/src/demo/demo.ts';

// Game/List on plain node:http: checks the signature and sends the same bytes.

const [, , plainFile = '', gzipFile = '', etag = ''] = process.argv;
const [plain, gzip] = [readFileSync(plainFile), readFileSync(gzipFile)];

const isSigned = (body: Buffer, signature: unknown): boolean => {
  const wanted = createHmac('sha256', demoPartner.secret).update(body).digest('hex');
  return (
    typeof signature === 'string' &&
    signature.length === 64 &&
    timingSafeEqual(Buffer.from(wanted), Buffer.from(signature))
  );
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (!isSigned(Buffer.concat(chunks), request.headers['x-request-sign'])) return response.writeHead(403).end();
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
    const isGzip = request.headers['accept-encoding'] === 'gzip';
    const headers = { etag, 'content-type': 'application/json', ...(isGzip && { 'content-encoding': 'gzip' }) };
    const bytes = isGzip ? gzip : plain;
    return response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ msg: 'serving', url: `http://127.0.0.1:${port}` }));
});
process.once('SIGTERM', () => process.exit());
