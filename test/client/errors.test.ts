import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  FreebetsError,
  NotFoundError,
  Partner,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
  ValidationError,
} from '@freebets/client';
import { type ErrorName, errors } from '@freebets/contract';
import { demo } from '../support/caller.ts';
import { errorVectors } from '../support/vectors.ts';
import { drop, faultyServer, page, refusal, stall } from './faulty-server.ts';

for (const { name, status, headers, body, result } of errorVectors) {
  test(`an error response: ${name}`, async () => {
    const server = await faultyServer((response) => response.writeHead(status, headers).end(body));
    const client = new Partner({ baseUrl: server.url, ...demo, maxRetries: 0 });
    const error: FreebetsError = await client.games.list().then(
      () => assert.fail('it has succeeded'),
      (error) => error,
    );
    assert.deepEqual(
      {
        error: error.name,
        status: error.status,
        code: error.code ?? null,
        details: error.details,
        request_id: error.requestId ?? null,
        retry_after_s: error.retryAfterMs === undefined ? null : error.retryAfterMs / 1000,
        retryable: error.isRetryable,
      },
      result,
    );
  });
}

const failureOf = (call: PromiseLike<unknown>): Promise<FreebetsError> =>
  Promise.resolve(call).then(
    () => assert.fail('it has succeeded'),
    (error) => error,
  );

/** A new status in the contract needs a class here, in freebets-error.ts and in the generator of the types. */
const classes: Record<number, typeof FreebetsError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  405: ValidationError,
  409: ConflictError,
  413: ValidationError,
  415: ValidationError,
  429: RateLimitError,
  500: ServerError,
  503: ServerError,
};

test('every error of the contract is an instance of the class of its status', async () => {
  const names = Object.keys(errors) as ErrorName[];
  const server = await faultyServer(...names.map((error) => refusal({ error })));
  const { games } = new Partner({ baseUrl: server.url, ...demo, maxRetries: 0 });
  for (const name of names) {
    const { status, code, message } = errors[name];
    const error = await failureOf(games.list());
    assert.equal(error.constructor, classes[status], `${name} has the status ${status}`);
    assert.ok(error instanceof FreebetsError);
    assert.deepEqual(
      [error.error, error.name, error.code, error.status, error.message, error.requestId],
      [name, name, code, status, message, 'request-1'],
    );
  }
});

test('docUrl is the doc_url of the response, if there is one', async () => {
  const body = { error: 'forbidden', code: 403, message: '', request_id: 'request-1' };
  const docUrl = 'https://example.com/docs/errors#forbidden';
  for (const doc_url of [docUrl, undefined, 1]) {
    const server = await faultyServer((response) => response.writeHead(403).end(JSON.stringify({ ...body, doc_url })));
    const error = await failureOf(new Partner({ baseUrl: server.url, ...demo }).games.list());
    assert.equal(error.docUrl, doc_url === docUrl ? docUrl : undefined);
  }
});

test('a missing, late or foreign response has its own class', async () => {
  const cases = [
    [drop, ConnectionError, 'no_answer'],
    [stall, TimeoutError, 'no_answer'],
    [page(502), UnexpectedResponseError, 'unreadable_answer'],
    [page(403), UnexpectedResponseError, 'unreadable_answer'],
  ] as const;
  for (const [reply, of, name] of cases) {
    const server = await faultyServer(reply);
    const options = { baseUrl: server.url, ...demo, maxRetries: 0, ...(reply === stall && { timeoutMs: 100 }) };
    const error = await failureOf(new Partner(options).games.list());
    assert.equal(error.constructor, of);
    assert.equal(error.error, name);
    assert.equal(error instanceof ConnectionError, name === 'no_answer');
    assert.ok(name !== 'no_answer' || error.cause instanceof Error);
  }
});
