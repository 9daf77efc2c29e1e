import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../../../packages/server/src/check/check.ts';
import { checkProvider } from '../../../packages/server/src/check/provider/provider-check.ts';
import { providerRules } from '../../../packages/server/src/check/provider/provider-rules.ts';
import { type ProviderFault, playAll, providerFaults, providerId, providerSecret } from './provider-system.ts';

const toCheck = {
  port: 0,
  host: '127.0.0.1',
  providerId,
  secret: providerSecret,
  gameId: 'check-game',
  currency: 'EUR',
};

async function resultsOf(fault: ProviderFault | 'nobody plays'): Promise<Result[]> {
  const stopping = new AbortController();
  // What is not seen on a busy machine is a failure, and no test that never ends.
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
  if (fault !== 'nobody plays') await playAll(url, fault);
  if (fault === 'nobody plays' || Object.keys(fault).length > 0) stopping.abort();
  return (await report).results;
}

const idsOf = (results: Result[], verdict: Result['verdict']): string[] =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

const ids = providerRules.map(({ id }) => id);

test('a provider without a fault is certified, and the check ends by itself', async () => {
  assert.deepEqual(idsOf(await resultsOf({}), 'passed'), ids);
});

test('what nobody has tried is not certified', async () => {
  assert.deepEqual(idsOf(await resultsOf('nobody plays'), 'unchecked'), ids);
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
