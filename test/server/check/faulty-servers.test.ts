import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkServer, serverChecks } from '../../../packages/server/src/check/server/server-check.ts';
import { isLong } from '../../support/long.ts';
import { type Fault, memoryServer, secrets } from './memory-server.ts';
import { serverFaults } from './server-faults.ts';

// A check is worth what it finds: for each rule there is a server that breaks it, and nothing else.

const caller = (clientId: number) => ({ clientId, secret: secrets.get(clientId) ?? '' });

async function brokenRules(fault: Fault, only?: string[]): Promise<string[]> {
  const url = await memoryServer(fault);
  const { results } = await checkServer(
    { url, signing: 'plain', us: caller(1), other: caller(2) },
    { only, onResult() {}, signal: new AbortController().signal },
  );
  return results.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id);
}

test('a server without a fault is certified', async () => {
  assert.deepEqual(await brokenRules({}), []);
});

test('there is a faulty server for every rule', () => {
  assert.deepEqual(
    Object.keys(serverFaults),
    serverChecks.map(({ id }) => id),
  );
});

for (const [id, fault] of Object.entries(serverFaults)) {
  test(`a server that breaks ${id} is caught by that rule alone`, async () => {
    // All rules against all servers take minutes.
    const module = id.split('.')[0] ?? '';
    assert.deepEqual(await brokenRules(fault, isLong ? undefined : [module]), [id]);
  });
}
