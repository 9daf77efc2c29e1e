import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FreebetsError, Partner } from '@freebets/client';
import { demo } from '../support/caller.ts';
import { errorVectors } from '../support/vectors.ts';
import { faultyServer } from './faulty-server.ts';

for (const { name, status, headers, body, result } of errorVectors) {
  test(`an error response: ${name}`, async () => {
    const server = await faultyServer((response) => response.writeHead(status, headers).end(body));
    const client = new Partner({ baseUrl: server.url, ...demo, attempts: 1 });
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
