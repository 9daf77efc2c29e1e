import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { PoolClient } from 'pg';
import { change } from '../../../packages/server/src/audit/change.ts';
import type { Attribution } from '../../../packages/server/src/audit/entry.ts';
import { linksAtATime, readLinks } from '../../../packages/server/src/audit/sql.ts';
import { testDatabase } from '../../support/database.ts';
import { times } from '../../support/long.ts';
import { rowsWalked } from '../../support/plans.ts';
import { runCommand } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { fails, succeeds, succeedsWith } from '../admin/terminal.ts';

// Chains of the audit log, changed as only the owner of the tables can: every changed, removed, moved or added record is found,
// and said where.

const { env, sql } = await testDatabase();
const folder = await mkdtemp(join(tmpdir(), 'freebets-audit-'));
after(() => rm(folder, { recursive: true }));

const by: Attribution = {
  actor: { kind: 'cli' },
  action: 'Test',
  address: null,
  requestId: null,
  reason: 'Ünïcode “here”',
};

const record = (clientId: number, id: string = randomUUID(), connection = sql) =>
  change({ pool: connection, by }, async () => ({
    answer: undefined,
    clientId,
    changed: { target: { kind: 'thing', id }, before: null, after: { id, text: 'a\u2028b "quoted" \\ 😀' } },
  }));

for (let i = 0; i < 8; i++) for (const chain of [0, 1, 2]) await record(chain);

interface Verified {
  is_whole: boolean;
  has_gaps?: boolean;
  problems: string[];
  chains: { chain: number; length: number; links: number; last_hash: string; break_count: number; breaks: Break[] }[];
}
interface Break {
  sequence: number;
  through: number;
  problem: string;
}

async function verified(...args: string[]): Promise<{ report: Verified; code: number | null }> {
  const { stdout, stderr, code } = await runCommand(env, 'audit', 'verify', ...args, '--json');
  assert.equal(stderr, '');
  return { report: JSON.parse(stdout), code };
}

/** Each break as a line, such as "1: changed 3". */
const breaksOf = ({ chains }: Verified): string[] =>
  chains.flatMap(({ chain, breaks }) =>
    breaks.map(
      ({ problem, sequence, through }) => `${chain}: ${problem} ${sequence}${through > sequence ? `-${through}` : ''}`,
    ),
  );

/** In a transaction that is committed, looked at, and made undone by hand: the tables are put back as they were. */
async function tampered(work: (connection: PoolClient) => Promise<unknown>): Promise<string[]> {
  const connection = await sql.connect();
  try {
    await connection.query('ALTER TABLE audit DISABLE TRIGGER USER');
    await connection.query('CREATE TABLE kept AS SELECT client_id, sequence, at, record, hash FROM audit');
    await connection.query('CREATE TABLE kept_heads AS TABLE audit_heads');
    await work(connection);
    const { report, code } = await verified();
    assert.equal(code, report.is_whole ? 0 : 1);
    // A file says the same of what it holds.
    return breaksOf(report);
  } finally {
    await connection.query('DELETE FROM audit');
    await connection.query(
      'INSERT INTO audit (client_id, sequence, at, record, hash) SELECT * FROM kept ORDER BY client_id, sequence',
    );
    await connection.query('DELETE FROM audit_heads');
    await connection.query('INSERT INTO audit_heads TABLE kept_heads');
    await connection.query('DROP TABLE kept, kept_heads');
    await connection.query('ALTER TABLE audit ENABLE TRIGGER USER');
    connection.release();
  }
}

const place = 'WHERE client_id = 1 AND sequence =';
const copied = 'INSERT INTO audit (client_id, sequence, at, record, hash) SELECT';
const properHash = (previous: string) =>
  `sha256(${previous} || convert_to(sequence || ' ' || (extract(epoch FROM at) * 1000)::bigint || ' ' || record, 'UTF8'))`;

test('an unchanged audit log is valid, and shows the length and the last hash of each chain', async () => {
  const { report, code } = await verified();
  assert.deepEqual([code, report.is_whole, breaksOf(report)], [0, true, []]);
  const { rows } = await sql.query(
    "SELECT client_id AS chain, max(sequence)::int AS length, (array_agg(encode(hash, 'hex') ORDER BY sequence DESC))[1] AS last_hash FROM audit GROUP BY 1 ORDER BY 1",
  );
  assert.deepEqual(
    report.chains.map(({ chain, length, last_hash }) => ({ chain, length, last_hash })),
    rows,
  );
  assert.deepEqual(
    (await verified('--client', '2')).report.chains.map(({ chain }) => chain),
    [2],
  );
  assert.match(await succeeds(env, 'audit', 'verify', '--client', '0'), /^Records without a partner: 8 of 8 records/);
  assert.match(await fails(env, 'audit', 'verify', '--client', 'x'), /CLIENT_ID/);
});

test('a partner that is not there is refused, and gets no chain', async () => {
  assert.match(await fails(env, 'audit', 'verify', '--client', '999'), /^There is no partner 999\.$/m);
  assert.match(await fails(env, 'audit', 'export', '--client', '999'), /^There is no partner 999\.$/m);
  assert.equal((await sql.query('SELECT FROM audit_heads WHERE client_id = 999')).rowCount, 0);
});

test('a chain that was removed together with its head is named with no records', async () => {
  let lengths: number[][] = [];
  const breaks = await tampered(async (connection) => {
    await connection.query('DELETE FROM audit WHERE client_id = 1');
    await connection.query('DELETE FROM audit_heads WHERE client_id = 1');
    const { report } = await verified();
    lengths = report.chains.slice(0, 3).map(({ chain, length }) => [chain, length]);
  });
  assert.deepEqual(breaks, []);
  assert.deepEqual(lengths, [
    [0, 8],
    [1, 0],
    [2, 8],
  ]);
});

for (const [what, statement, expected] of [
  ['a record', `UPDATE audit SET record = replace(record, 'Test', 'Best') ${place} 3`, ['1: changed 3']],
  ['the time', `UPDATE audit SET at = at + interval '1 ms' ${place} 3`, ['1: changed 3']],
  ['a hash', `UPDATE audit SET hash = sha256('x') ${place} 3`, ['1: changed 3']],
  ['the first', `UPDATE audit SET record = '{}' ${place} 1`, ['1: changed 1']],
  ['the last', `UPDATE audit SET record = '{}' ${place} 8`, ['1: changed 8']],
  ['a space of the record', `UPDATE audit SET record = record || ' ' ${place} 3`, ['1: changed 3']],
] as const) {
  test(`changed: ${what}`, async () => {
    assert.deepEqual(await tampered((connection) => connection.query(statement)), expected);
  });
}

test('changed with a hash that fits: the next one does not follow', async () => {
  const found = await tampered(async (connection) => {
    await connection.query(`UPDATE audit SET record = replace(record, 'Test', 'Best') ${place} 3`);
    await connection.query(
      `UPDATE audit SET hash = ${properHash('(SELECT p.hash FROM audit p WHERE p.client_id = 1 AND p.sequence = 2)')} ${place} 3`,
    );
  });
  assert.deepEqual(found, ['1: changed 4']);
});

for (const [where, statements, expected] of [
  ['in the middle', [`DELETE FROM audit ${place} 4`], ['1: missing 4']],
  ['several', [`DELETE FROM audit WHERE client_id = 1 AND sequence BETWEEN 4 AND 6`], ['1: missing 4-6']],
  ['at the beginning', [`DELETE FROM audit ${place} 1`], ['1: missing 1']],
  ['at the end', [`DELETE FROM audit ${place} 8`], ['1: missing 8']],
  ['all', ['DELETE FROM audit WHERE client_id = 1'], ['1: missing 1-8']],
  ['the head', ['DELETE FROM audit_heads WHERE client_id = 1'], ['1: no_head 0']],
  ['the head set back', ['UPDATE audit_heads SET sequence = 7 WHERE client_id = 1'], ['1: added 8']],
  ['the head set forward', ['UPDATE audit_heads SET sequence = 9 WHERE client_id = 1'], ['1: missing 9']],
] as const) {
  test(`missing: ${where}`, async () => {
    const found = await tampered(async (connection) => {
      for (const statement of statements) await connection.query(statement);
    });
    assert.deepEqual(found, expected);
  });
}

test('moved within a chain, and between chains', async () => {
  const swapped = await tampered(async (connection) => {
    for (const [from, to] of [
      [3, 100],
      [5, 3],
      [100, 5],
    ])
      await connection.query(`UPDATE audit SET sequence = ${to} ${place} ${from}`);
  });
  assert.deepEqual(
    swapped,
    [3, 4, 5, 6].map((sequence) => `1: changed ${sequence}`),
  );
  const moved = await tampered((connection) =>
    connection.query(`UPDATE audit SET client_id = 2, sequence = 9 ${place} 5`),
  );
  assert.deepEqual(moved, ['1: missing 5', '2: added 9']);
  const exchanged = await tampered(async (connection) => {
    await connection.query(`UPDATE audit SET client_id = 99 ${place} 5`);
    await connection.query('UPDATE audit SET client_id = 1 WHERE client_id = 2 AND sequence = 5');
    await connection.query('UPDATE audit SET client_id = 2 WHERE client_id = 99');
  });
  assert.deepEqual(exchanged, ['1: changed 5', '1: changed 6', '2: changed 5', '2: changed 6']);
});

test('added: at the ends, in the middle with later records moved, and to an empty chain', async () => {
  const added = await tampered(async (connection) => {
    await connection.query(`${copied} 1, 9, at, record, hash FROM audit ${place} 8`);
    await connection.query(`${copied} 1, 0, at, record, hash FROM audit ${place} 8`);
    await connection.query(`${copied} 77, 1, at, record, hash FROM audit ${place} 1`);
  });
  assert.deepEqual(added, ['1: added 0', '1: added 9', '77: no_head 0']);
  const between = await tampered(async (connection) => {
    await connection.query('UPDATE audit SET sequence = sequence + 100 WHERE client_id = 1 AND sequence > 6');
    await connection.query('UPDATE audit SET sequence = sequence - 99 WHERE client_id = 1 AND sequence > 100');
    await connection.query(`${copied} 1, 7, at, record, sha256('x') FROM audit ${place} 6`);
    await connection.query('UPDATE audit_heads SET sequence = 9 WHERE client_id = 1');
  });
  assert.deepEqual(between, ['1: changed 7', '1: changed 8', '1: changed 9']);
});

test('added: a record is repeated after the key was dropped', async () => {
  try {
    const twice = await tampered(async (connection) => {
      await connection.query('ALTER TABLE audit DROP CONSTRAINT audit_pkey');
      await connection.query(`${copied} client_id, sequence, at, record, hash FROM audit ${place} 3`);
    });
    assert.deepEqual(twice, ['1: added 3']);
  } finally {
    await sql.query('ALTER TABLE audit ADD PRIMARY KEY (client_id, sequence)');
  }
});

test('a chain of which nothing is right any more says the first hundred, and how many there are', async () => {
  for (let i = 0; i < 110; i++) await record(3);
  const connection = await sql.connect();
  await connection.query('ALTER TABLE audit DISABLE TRIGGER USER');
  await connection.query("UPDATE audit SET at = at + interval '1 s' WHERE client_id = 3");
  const { report } = await verified('--client', '3');
  await connection.query("UPDATE audit SET at = at - interval '1 s' WHERE client_id = 3");
  await connection.query('ALTER TABLE audit ENABLE TRIGGER USER');
  connection.release();
  assert.deepEqual([report.chains[0]?.break_count, report.chains[0]?.breaks.length], [110, 100]);
  assert.ok((await verified()).report.is_whole);
});

test('an exported file is checked without the database', async () => {
  const file = join(folder, 'whole.ndjson');
  assert.deepEqual(await succeedsWith(env, 'audit', 'export', '--file', file), { file });
  const nowhere = { ...env, DATABASE_URL: 'postgres:///none?host=/nowhere' };
  assert.match(await succeeds(nowhere, 'audit', 'verify', '--file', file), /The audit log is intact\.$/m);
  const printed = await succeeds(env, 'audit', 'export', '--client', '1');
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([lines[0].filter, lines[0].has_gaps, lines.at(-1)], [{ client_id: 1 }, false, { records: 9 }]);
  const own = JSON.parse(lines.at(-2).record);
  assert.deepEqual([own.action, own.actor, own.after], ['AuditExport', { kind: 'cli' }, { filter: { client_id: 1 } }]);
  const { rows } = await sql.query(`SELECT record FROM audit ${place} 3`);
  assert.equal(lines[3].record, rows[0].record);
});

test('a file that was tampered with', async () => {
  const whole = (await succeeds(env, 'audit', 'export', '--client', '2')).trim().split('\n');
  const verdict = async (lines: string[]) => {
    const file = join(folder, 'tampered.ndjson');
    await writeFile(file, lines.map((line) => `${line}\n`).join(''));
    const { report, code } = await verified('--file', file);
    assert.equal(code, 1);
    return [...breaksOf(report), ...report.problems];
  };
  const [head = '', ...rest] = whole;
  const end = rest.at(-1) as string;
  assert.deepEqual(await verdict(whole.map((line, i) => (i === 3 ? line.replace('Test', 'Best') : line))), [
    '2: changed 3',
  ]);
  assert.deepEqual(await verdict(whole.toSpliced(3, 1)), [
    '2: missing 3',
    'the file has 8 records and says that it has 9',
  ]);
  assert.deepEqual(await verdict(whole.toSpliced(5)), [
    '2: missing 5-9',
    'the file is cut off: its last line is missing',
  ]);
  assert.deepEqual(await verdict(whole.toSpliced(4, 0, whole[3] as string)), [
    '2: added 3',
    'the file has 10 records and says that it has 9',
  ]);
  const renamed = head.replace(/"last_hash":"[0-9a-f]{64}"/, `"last_hash":"${'0'.repeat(64)}"`);
  assert.deepEqual(await verdict([renamed, ...rest]), [
    'the last record of chain 2 is another than the first line says',
  ]);
  for (const lines of [[], ['{}'], [head, 'x'], [head, '{"chain":9}'], [head, end, end]]) {
    const file = join(folder, 'none.ndjson');
    await writeFile(file, lines.map((line) => `${line}\n`).join(''));
    assert.match(await fails(env, 'audit', 'verify', '--file', file), /no line of an exported record\.$/);
  }
  assert.match(await fails(env, 'audit', 'verify', '--file', join(folder, 'nothing')), /cannot be read/);
});

test('a filtered file has gaps and says so; each record in it is checked by the hash of the one before', async () => {
  const { rows } = await sql.query('SELECT at FROM audit WHERE client_id = 2 AND sequence = 4');
  const file = join(folder, 'filtered.ndjson');
  await succeeds(env, 'audit', 'export', '--client', '2', '--from', rows[0].at.toISOString(), '--file', file);
  const { report, code } = await verified('--file', file);
  assert.deepEqual([code, report.is_whole, report.has_gaps], [0, true, true]);
  assert.match(await succeeds(env, 'audit', 'verify', '--file', file), /missing records cannot be detected/);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('Test', 'Best'));
  assert.deepEqual(breaksOf((await verified('--file', file)).report), ['2: changed 4']);
  assert.match(await fails(env, 'audit', 'export', '--from', 'yesterday'), /The time must be in UTC/);
  const backwards = ['--from', '2030-01-01T00:00:00Z', '--until', '2020-01-01T00:00:00Z'];
  assert.match(await fails(env, 'audit', 'export', ...backwards), /^--from must be before --until/);
});

test('the program in the docs checks an exported file as audit verify does', async () => {
  const guide = await readFile(new URL('../../../docs/operate/security.md', import.meta.url), 'utf8');
  const source = /```js\n(\/\/ Checks an exported audit log[\s\S]*?)```/.exec(guide)?.[1];
  assert.ok(source, 'the guide has the check');
  const file = join(folder, 'guide.ndjson');
  await succeeds(env, 'audit', 'export', '--file', file);
  const script = join(folder, 'check.mjs');
  await writeFile(script, source);
  const { spawnSync } = await import('node:child_process');
  const run = () => spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  assert.deepEqual([run().status, run().stderr], [0, '']);
  await writeFile(file, (await readFile(file, 'utf8')).replace('Test', 'Best'));
  assert.equal(run().status, 1);
});

test('while records are being added, nothing is missed or taken for something else', async () => {
  let isOver = false;
  const adding = (async () => {
    while (!isOver) await Promise.all([0, 1, 2, 1].map((chain) => record(chain)));
  })();
  try {
    for (let i = 0; i < times(5, 7); i++) {
      const { report } = await verified();
      assert.deepEqual(breaksOf(report), []);
      const file = join(folder, 'live.ndjson');
      await succeeds(env, 'audit', 'export', '--file', file);
      assert.ok((await verified('--file', file)).report.is_whole);
    }
  } finally {
    isOver = true;
    await adding;
  }
  await until('all are there', 5000, async () => (await verified()).report.is_whole);
});

test('of a chain that has just grown each link and the one before are read, and no other', async () => {
  const count = 3000;
  // All that the planner knows is from before.
  await sql.query('ANALYZE audit');
  await sql.query(
    `DO $$ DECLARE previous bytea := ''; at timestamptz := world_now(); next text; BEGIN
       FOR i IN 1..${count} LOOP
         next := (SELECT a.record FROM audit a WHERE client_id = 1 AND sequence = 2);
         previous := sha256(previous || convert_to(i || ' ' || (extract(epoch FROM at) * 1000)::bigint || ' ' || next, 'UTF8'));
         INSERT INTO audit (client_id, sequence, at, record, hash) VALUES (50, i, at, next, previous);
       END LOOP;
       INSERT INTO audit_heads VALUES (50, ${count}, at); END $$`,
  );
  const walked = await rowsWalked(sql, readLinks(50, linksAtATime, null, null), 'audit');
  assert.ok(walked >= linksAtATime && walked <= 2 * linksAtATime, `${walked} rows`);
  const { report } = await verified('--client', '50');
  assert.deepEqual([report.is_whole, report.chains[0]?.links], [true, count]);
});
