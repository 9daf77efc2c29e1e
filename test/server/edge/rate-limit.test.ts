import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, rival, send } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

const { env } = await testDatabase();
const limited = { ...env, RATE_LIMIT: '1', RATE_BURST: '5' };
const { url } = await testServer(limited);
const { url: otherUrl } = await testServer(limited);

const list = (to = url, partner = demo) => call(to, 'CampaignList', {}, partner);
const many = (count: number, to = url, partner = demo) =>
  Promise.all(Array.from({ length: count }, () => list(to, partner)));

test('responses show the remaining requests', async () => {
  const { headers, status } = await list(otherUrl);
  assert.equal(status, 200);
  assert.equal(headers['ratelimit-policy'], '"caller";q=5;w=5');
  assert.equal(headers.ratelimit, '"caller";r=4;t=0');
  assert.equal(headers['retry-after'], undefined);
});

test('after the burst the rate applies, and 429 has a Retry-After', async () => {
  const began = performance.now();
  const answers = await many(30);
  const elapsedS = (performance.now() - began) / 1000;
  const taken = answers.filter((answer) => answer.status === 200);
  assert.ok(taken.length >= 5 && taken.length <= 5 + Math.ceil(elapsedS), `${taken.length} in ${elapsedS} s`);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    refused('too_many_requests', answer);
    assert.equal(answer.headers['retry-after'], '1');
    assert.equal(answer.headers.ratelimit, '"caller";r=0;t=1');
  }
});

test('a rate limit applies to one caller, and others are served', async () => {
  await many(10);
  accepted('CampaignList', await list(url, rival));
});

test('requests with a wrong signature do not count', async () => {
  const forged = await Promise.all(
    Array.from({ length: 20 }, () =>
      send(otherUrl, 'CampaignList', { client_id: rival.clientId }, { ...rival, secret: 'x' }),
    ),
  );
  for (const answer of forged) {
    refused('forbidden', answer);
    assert.equal(answer.headers.ratelimit, undefined, 'a stranger learns nothing of the rate');
  }
  assert.equal((await list(otherUrl, rival)).headers.ratelimit, '"caller";r=4;t=0');
});

test('a request succeeds after the time in Retry-After', async () => {
  await many(10);
  const waitedMs = await until('a request is taken again', 3000, async () => (await list()).status === 200);
  assert.ok(waitedMs < 3000);
});

test('0 turns the limit off, as rate or as burst', async () => {
  for (const off of [
    { RATE_LIMIT: '0', RATE_BURST: '1' },
    { RATE_LIMIT: '1', RATE_BURST: '0' },
  ]) {
    const server = await testServer({ ...env, ...off });
    for (const answer of await many(50, server.url)) {
      accepted('CampaignList', answer);
      assert.equal(answer.headers.ratelimit, undefined);
      assert.equal(answer.headers['ratelimit-policy'], undefined);
    }
  }
});
