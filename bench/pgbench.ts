import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { databaseUrl } from './server.ts';

// The implementation without lanes: a transaction for each issue, which locks, reads and writes the same rows.

/** `:id` and `:player` are the ids of the issue. */
const statements = [
  'BEGIN',
  `SELECT issued, cancelled, stopped_at FROM campaign_states WHERE client_id = 1 AND campaign_id = 'hot' FOR UPDATE`,
  `SELECT content_hash FROM free_bets WHERE client_id = 1 AND issue_id = :id::uuid`,
  `SELECT held FROM campaign_players WHERE client_id = 1 AND campaign_id = 'hot' AND player_id = :player`,
  `INSERT INTO campaign_players (client_id, campaign_id, player_id, held) VALUES (1, 'hot', :player, 1)
   ON CONFLICT (client_id, campaign_id, player_id) DO UPDATE SET held = campaign_players.held + 1`,
  `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from, issued_at,
     expires_at, content_hash) VALUES (1, :id::uuid, 'hot', :player, 'EUR', 100, 3, world_now(), world_now(),
     world_now() + interval '1 day', decode(md5(:id), 'hex'))`,
  `UPDATE campaign_states SET issued = issued + 1 WHERE client_id = 1 AND campaign_id = 'hot'`,
  `UPDATE campaign_totals SET open_bets = open_bets + 3 WHERE client_id = 1 AND campaign_id = 'hot' AND currency = 'EUR'`,
  `WITH head AS (INSERT INTO event_heads AS h VALUES (1, 1) ON CONFLICT (client_id)
     DO UPDATE SET last_sequence = h.last_sequence + 1 RETURNING last_sequence)
   INSERT INTO event_batches SELECT 1, last_sequence, last_sequence, world_now(),
     json_build_array(json_build_object('id', gen_random_uuid(), 'type', 'freebet.issued', 'freeBet', json_build_object(
       'issueId', :id, 'campaignId', 'hot', 'playerId', :player, 'currency', 'EUR', 'betAmount', 100,
       'issuedAt', 1800000000000, 'expiresAt', 1800000000000, 'betsPlaced', 0, 'betsSettled', 0))) FROM head`,
  'COMMIT',
];

export interface DirectResult {
  perSecond: number;
  p50Ms: number;
}

export type RunDirect = (
  socketDir: string,
  database: string,
  connections: number,
  seconds: number,
) => Promise<DirectResult>;

const middle = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const runPgbench: RunDirect = async (socketDir, database, connections, seconds) => {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-pgbench-'));
  try {
    const script = statements.map(
      (statement) =>
        `${statement
          .replace(/\s+/g, ' ')
          .replaceAll(':id', `md5((:a)::text || (:b)::text)`)
          .replaceAll(':player', `('player-' || (:a)::text)`)};`,
    );
    const random = ['a', 'b'].map((name) => `\\set ${name} random(1, 9000000000000000)`);
    const file = join(folder, 'issue.sql');
    writeFileSync(file, `${[...random, ...script].join('\n')}\n`);
    const options = ['-n', '-M', 'prepared', '-f', file, '-c', String(connections), '-j', '1', '-T', String(seconds)];
    const log = ['-l', '--log-prefix', join(folder, 'log')];
    const where = ['-h', socketDir, '-U', 'freebets', database];
    const child = spawn('pgbench', [...options, ...log, ...where], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    if (code !== 0) throw new Error(`pgbench ended with ${code}`);
    const lines = readdirSync(folder)
      .filter((name) => name.startsWith('log.'))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
    const timesUs = lines.map((line) => Number(line.split(' ')[2]));
    return { perSecond: Number(/tps = ([\d.]+)/.exec(output)?.[1]), p50Ms: middle(timesUs) / 1000 };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The same in our own loop, if pgbench is missing. */
export const runOwnLoop: RunDirect = async (socketDir, database, connections, seconds) => {
  const timesMs: number[] = [];
  const began = performance.now();
  const endsAt = began + seconds * 1000;
  const prepared = statements.map((statement, i) => {
    const used = [':id', ':player'].filter((name) => statement.includes(name));
    const text = used.reduce((sql, name, at) => sql.replaceAll(name, `$${at + 1}::text`), statement);
    return { name: `issue_${i}`, text, count: used.length };
  });
  const work = async () => {
    const client = new pg.Client(databaseUrl(socketDir, database));
    await client.connect();
    try {
      while (performance.now() < endsAt) {
        const startedAt = performance.now();
        const id = crypto.randomUUID();
        for (const { name, text, count } of prepared) {
          await client.query({ name, text, values: [id, id].slice(0, count) });
        }
        timesMs.push(performance.now() - startedAt);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { perSecond: timesMs.length / ((performance.now() - began) / 1000), p50Ms: middle(timesMs) };
};
