import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { alternate, type Bench, find, rateLine, rounds, say } from '../bench.ts';
import { createCampaign, issueItem } from '../bodies.ts';
import { databaseUrl, startOnNew } from '../server.ts';

const batchSize = 1000;
const batches = 20;

const itemsOfBatch = () => Array.from({ length: batchSize }, () => issueItem());

/** Writes the rows of a batch of issues to files for COPY. */
function copyFiles(folder: string, first: number): string[] {
  const now = new Date().toISOString();
  const tomorrow = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
  const items = itemsOfBatch();
  const line = (...cells: unknown[]) => `${cells.join('\t')}\n`;
  const events = items.map((item) => ({
    id: crypto.randomUUID(),
    type: 'freebet.issued',
    freeBet: {
      issueId: item.issue_id,
      campaignId: 'hot',
      playerId: item.player_id,
      currency: 'EUR',
      betAmount: 100,
      issuedAt: Date.now(),
      expiresAt: Date.now(),
      cancelledAt: null,
      betsPlaced: 0,
      betsSettled: 0,
      swept: false,
    },
  }));
  const tables = {
    'free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from, issued_at, expires_at, content_hash)':
      items
        .map((item) =>
          line(
            1,
            item.issue_id,
            'hot',
            item.player_id,
            'EUR',
            100,
            3,
            now,
            now,
            tomorrow,
            `\\\\x${item.issue_id.replaceAll('-', '')}`,
          ),
        )
        .join(''),
    'campaign_players (client_id, campaign_id, player_id, held)': items
      .map((item) => line(1, 'hot', item.player_id, 1))
      .join(''),
    'event_batches (client_id, first_sequence, last_sequence, occurred_at, events)': line(
      1,
      first,
      first + batchSize - 1,
      now,
      JSON.stringify(events),
    ),
  };
  return Object.entries(tables).map(([table, text], i) => {
    const file = join(folder, `${first}-${i}`);
    writeFileSync(file, text);
    return `COPY ${table} FROM '${file}'`;
  });
}

/** Issue/Batch of 1,000, against COPY of the same rows into the same tables. */
export async function batchAgainstCopy(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-copy-'));
  chmodSync(folder, 0o755);
  const server = await startOnNew(bench.socketDir, 'copied');
  const client = new pg.Client(databaseUrl(bench.socketDir, 'copied'));
  try {
    await createCampaign(server);
    await client.connect();
    let copied = 0;
    const perSecond = (began: number, name: string) => {
      const rate = (batches * batchSize) / ((performance.now() - began) / 1000);
      say(rateLine(name, rate, ' rows/s'));
      return rate;
    };
    const found = await alternate(
      {
        batch: async () => {
          const all = Array.from({ length: batches }, itemsOfBatch);
          const began = performance.now();
          const work = async () => {
            for (let items = all.pop(); items; items = all.pop())
              await server.call('IssueBatch', server.demo, { items });
          };
          await Promise.all([work(), work(), work(), work()]);
          return perSecond(began, 'Issue/Batch of 1,000');
        },
        copy: async () => {
          const all = Array.from({ length: batches }, () => {
            copied += batchSize;
            return copyFiles(folder, 1_000_000_000 + copied);
          });
          const began = performance.now();
          for (const copies of all) await client.query(['BEGIN', ...copies, 'COMMIT'].join(';'));
          return perSecond(began, 'COPY of 1,000');
        },
      },
      rounds + 2,
    );
    find(bench, {
      part: 'batch',
      what: 'Issue/Batch of 1,000',
      unit: 'rows/s',
      value: found.batch,
      against: 'COPY of the same rows',
      base: found.copy,
      least: 0.3,
    });
  } finally {
    await client.end();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
