import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signerOf } from '@freebets/client';
import { paths, signatureHeader } from '@freebets/contract';
import type { Result } from '../../../packages/server/src/check/check.ts';
import { checkProvider } from '../../../packages/server/src/check/provider/provider-check.ts';
import { providerRules } from '../../../packages/server/src/check/provider/provider-rules.ts';
import { startProviderService } from '../../../packages/server/src/check/provider/provider-service.ts';
import { type ProviderFault, playAll, providerFaults, providerId, providerSecret } from './provider-system.ts';

const toCheck = {
  port: 0,
  host: '127.0.0.1',
  providerId,
  secret: providerSecret,
  gameId: 'check-game',
  currency: 'EUR',
};

async function resultsOf(fault: ProviderFault | 'no rounds'): Promise<Result[]> {
  const stopping = new AbortController();
  // On a busy machine a missing result fails the test instead of hanging it.
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(60_000)]);
  const { promise: listening, resolve: onListening } = Promise.withResolvers<string>();
  const how = {
    guideAt: String,
    only: undefined,
    onListening,
    onResult() {},
    onCall() {},
    signal,
    everyMs: 50,
  };
  const report = checkProvider(toCheck, how);
  const url = await listening;
  if (fault !== 'no rounds') await playAll(url, fault);
  if (fault === 'no rounds' || Object.keys(fault).length > 0) stopping.abort();
  return (await report).results;
}

const idsOf = (results: Result[], verdict: Result['verdict']): string[] =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

const ids = providerRules.map(({ id }) => id);

test('a provider without a fault is certified, and the check ends by itself', async () => {
  assert.deepEqual(idsOf(await resultsOf({}), 'passed'), ids);
});

test('a request is judged as the service judges it', async () => {
  const service = await startProviderService(toCheck, () => {});
  const text = JSON.stringify({ provider_id: providerId, player_id: 'ann', game_id: 'check-game', currency: 'EUR' });
  const statusOf = async (body: string, type = 'application/json', more: Record<string, string> = {}) => {
    const signature = await signerOf(providerSecret)(Buffer.from(body));
    const headers = { 'content-type': type, [signatureHeader]: signature, ...more };
    const answer = await fetch(`${service.url}/v3${paths.RoundsAvailable.path}`, { method: 'POST', headers, body });
    return `${answer.status} ${((await answer.json()) as { error: string }).error}`;
  };
  try {
    assert.equal(await statusOf(text, 'application/json-seq'), '415 not_json');
    assert.equal(await statusOf(text, 'application/json', { 'content-encoding': 'zstd' }), '415 not_json');
    const twice = text.replace('{', '{"provider_id":"another",');
    assert.equal(await statusOf(twice), '400 invalid_request');
    assert.equal(await statusOf(text.replace(providerId, 'another')), '403 forbidden');
  } finally {
    service.close();
  }
});

test('a rule that was not tried is not certified', async () => {
  assert.deepEqual(idsOf(await resultsOf('no rounds'), 'unchecked'), ids);
});

test('a round that is lost says nothing about coefficients', async () => {
  const results = await resultsOf({
    changes(player, operation, request) {
      if (player !== 'limits' || operation !== 'RoundsSettle') return;
      request.result = 'lost';
      delete request.coefficient;
    },
  });
  assert.deepEqual(idsOf(results, 'unchecked'), ['provider.coefficients']);
  assert.deepEqual(idsOf(results, 'failed'), []);
});

test('there is a faulty provider for every rule', () => {
  assert.deepEqual(Object.keys(providerFaults), ids);
});

const found = Object.entries(providerFaults).map(([id, fault]) => ({ id, results: resultsOf(fault) }));

for (const { id, results } of found) {
  test(`a provider that breaks ${id} is caught by that rule alone`, async () => {
    assert.deepEqual(idsOf(await results, 'failed'), [id]);
  });
}
