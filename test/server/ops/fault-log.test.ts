import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { named } from '../../../packages/server/src/engine/statement.ts';
import { inOneTrip } from '../../../packages/server/src/engine/transaction.ts';
import { countRefusals, openFaultLog } from '../../../packages/server/src/ops/fault-log.ts';
import { testDatabase } from '../../support/database.ts';

const { sql } = await testDatabase();

function listen() {
  const lines: object[] = [];
  const write = (level: string) => (line: object) => void lines.push({ level, ...line });
  const log = { error: write('error'), warn: write('warn') } as unknown as Parameters<typeof openFaultLog>[0];
  const refusals = countRefusals();
  return { lines, onFault: openFaultLog(log, refusals.count), refusals: refusals.read };
}

async function faultOf(...texts: string[]): Promise<unknown> {
  const client = await sql.connect();
  const statements = texts.map((text, i) => named(`statement_${i + 1}`, text)());
  try {
    await inOneTrip(client, statements);
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK');
    return error;
  } finally {
    client.release();
  }
}

test('database failures are logged with their cause, at most once per cause and minute', async () => {
  const { lines, onFault, refusals } = listen();
  const readOnly = () => faultOf('BEGIN READ ONLY', 'DELETE FROM jobs');
  const late = () => faultOf(`SET statement_timeout = 1`, 'SELECT pg_sleep(1)', 'RESET statement_timeout');
  for (const fault of [await readOnly(), await late(), await readOnly(), await late()]) onFault(fault);
  assert.deepEqual(lines, [
    { level: 'warn', code: '25006', reason: 'cannot execute DELETE in a read-only transaction' },
    { level: 'warn', code: '57014', reason: 'canceling statement due to statement timeout' },
  ]);
  onFault(Object.assign(new Error('Connection terminated unexpectedly')));
  assert.deepEqual(Object.fromEntries(refusals()), { 53100: 0, 25006: 2, 57014: 2, none: 1 });
});

test('an unexpected fault is logged with its request and statement, without values', async () => {
  const { lines, onFault } = listen();
  onFault(await faultOf('SELECT 1', `SELECT 'secret'::int`, 'SELECT 2'), 'request-1');
  assert.partialDeepStrictEqual(lines, [
    { level: 'error', request_id: 'request-1', fault: { code: '22P02', statement: 'statement_2' } },
  ]);
  assert.doesNotMatch(JSON.stringify(lines), /secret/);
  onFault(await readFile('/nowhere/at.all').catch((error) => error));
  assert.partialDeepStrictEqual(lines[1], { level: 'error', fault: { code: 'ENOENT' } });
});
