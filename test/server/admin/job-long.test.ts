import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { folder } from '../../support/files.ts';
import { isLong, times } from '../../support/long.ts';
import { campaign } from '../../support/requests.ts';
import { program, serverProcess } from '../../support/server.ts';
import { startCommand } from './running.ts';

// A list larger than the available memory is checked, sent, killed, sent again and issued.

const players = times(6_000, 8_000);
/** The program takes some 25 MiB by itself; the list takes 110 as text, and far more as objects. */
const heapMib = 64;

const { env, sql } = await testDatabase();
const { url } = await serverProcess(env);
accepted(
  'CampaignCreate',
  await call(url, 'CampaignCreate', campaign({ campaign_id: 'weekend', config: { bonus_limit: players - 2 } })),
);

async function writeList(path: string): Promise<void> {
  function* lines() {
    yield 'player_id;currency;nick\r\n';
    // Two lines per item, so that counting items does not give the line.
    for (let i = 0; i < players; i++) yield `player-${i};EUR;"${'x'.repeat(500)}\r\n${i}"\r\n`;
  }
  await pipeline(lines, createWriteStream(path));
}

test('a long list takes little memory and resumes after a kill', async () => {
  const path = join(folder, 'long.csv');
  const refusals = join(folder, 'refused.csv');
  await writeList(path);
  const args = ['job', 'issue', '--url', url, '--file', path, '--campaign', 'weekend', '--ignore-columns'];

  const first = startCommand(env, ...args);
  await first.line(/^Sending the list as job /);
  await first.end('SIGKILL');
  const { rows } = await sql.query('SELECT started_at FROM jobs');
  assert.equal(rows.length, 1);
  // A short one may have been sent to its end by then.
  if (isLong) assert.equal(rows[0].started_at, null);

  const limited = { ...env, PATH: process.env.PATH, NODE_OPTIONS: `--max-old-space-size=${heapMib}` };
  const child = spawn(process.execPath, [program, ...args, '--refusals', refusals], { env: limited });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const [code] = await once(child, 'close');
  assert.deepEqual([code, err], [3, ''], out);
  const figure = (players - 2).toLocaleString('en-US');
  assert.match(out, new RegExp(`is finished: ${figure} issued, 2 refused \\(bonus_limit_reached 2\\)\\.\n`));

  const held = await sql.query('SELECT count(*)::int AS all, count(DISTINCT player_id)::int AS players FROM free_bets');
  assert.deepEqual(held.rows[0], { all: players - 2, players: players - 2 });
  const lines = readFileSync(refusals, 'utf8').trimEnd().split('\n').slice(1);
  assert.deepEqual(
    lines.map((line) => line.split(',')).map(([line, , , player]) => [Number(line), player]),
    [players - 2, players - 1].map((i) => [2 + 2 * i, `player-${i}`]),
  );
});
