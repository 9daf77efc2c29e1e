import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { basePath, operations, sign } from '@freebets/contract';
import { tracing } from '../../../packages/server/src/engine/tracing.ts';
import { demo, json, post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { folder } from '../../support/files.ts';
import { startReceiver } from '../../support/receiver.ts';
import { directIssue } from '../../support/requests.ts';
import { serverProcess } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { setWebhook } from '../../support/webhooks.ts';

interface Written {
  name: string;
  traceId: string;
  spanId: string;
  parent?: string;
  links?: string[];
}

test('without an SDK nothing is traced', () => {
  assert.equal(tracing, undefined);
});

test('a request continues the trace of its caller, its batch links to it, and a webhook gets the trace of its attempt', async () => {
  const { env, sql } = await testDatabase();
  const { url: endpoint, requests } = await startReceiver();
  await setWebhook(sql, demo, endpoint);
  const SPANS = join(folder, 'spans.ndjson');
  const sdk = fileURLToPath(new URL('../../support/tracer.ts', import.meta.url));
  const { url } = await serverProcess({
    ...env,
    SPANS,
    NODE_OPTIONS: `--import ${sdk}`,
    WEBHOOK_ALLOW_PRIVATE: 'yes',
  });
  const [traceId, callerSpan] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const body = JSON.stringify({ client_id: demo.clientId, items: [directIssue(), directIssue()] });
  const answer = await post(url + basePath + operations.IssueBatch.path, body, {
    ...json,
    traceparent: `00-${traceId}-${callerSpan}-01`,
    'x-request-sign': await sign(body, demo.secret),
  });
  assert.equal(answer.status, 200, answer.text);
  const spans = (): Written[] =>
    existsSync(SPANS)
      ? readFileSync(SPANS, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const named = (name: string) => spans().find((span) => span.name === name);
  await until('the event was received', 15_000, () => named('webhook attempt') !== undefined && requests.length > 0);
  const request = named('IssueBatch');
  assert.deepEqual([request?.traceId, request?.parent], [traceId, callerSpan]);
  const batch = spans().find(({ links }) => links?.includes(request?.spanId as string));
  assert.deepEqual(batch?.links, [request?.spanId], 'one link, though it has two commands');
  assert.equal(batch?.name, 'lane batch');
  for (const part of ['load', 'write and commit']) {
    assert.ok(
      spans().some(({ name, parent }) => name === part && parent === batch?.spanId),
      part,
    );
  }
  const attempt = named('webhook attempt');
  assert.equal(requests[0]?.headers.traceparent, `00-${attempt?.traceId}-${attempt?.spanId}-01`);
});
