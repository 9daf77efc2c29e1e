import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { walk } from '../../support/pages.ts';
import { testServer } from '../../support/server.ts';

// An answer is never longer than 4 MiB, however long the lists of games are that it holds: a page ends early, and says where
// to go on.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });

const bound = 4 * 1024 * 1024;
/** 500 games of 128 characters that take three bytes each: 190 kB. */
const games = Array.from({ length: 500 }, (_, i) => String(i).padStart(128, '遊'));
const count = 30;
const time = timestamp();

function timestamp() {
  const day = 24 * 3600 * 1000;
  return { from: new Date(Date.now() - day).toISOString(), until: new Date(Date.now() + day).toISOString() };
}

const terms = {
  name: null,
  quantity: 3,
  games,
  validFrom: Date.parse(time.from),
  validUntil: Date.parse(time.until),
  durationMin: null,
  minCoefficient: null,
  maxCoefficient: null,
};

/** As the service would have stored them, were such games on offer. */
async function fill(): Promise<void> {
  await sql.query(
    `INSERT INTO campaigns (client_id, campaign_id, name, quantity, games, bet_amounts, valid_from, valid_until, content_hash,
       created_at)
     SELECT 1, 'long-' || lpad(n::text, 3, '0'), 'Long', 3, $1, '[["EUR",100]]', $2, $3, '\\x00',
       date_trunc('milliseconds', now()) + n * interval '1 ms'
     FROM generate_series(1, $4::int) n`,
    [games, time.from, time.until, count],
  );
  await sql.query(
    `INSERT INTO campaign_states (client_id, campaign_id) SELECT client_id, campaign_id FROM campaigns WHERE client_id = 1`,
  );
  await sql.query(
    `INSERT INTO campaign_totals SELECT client_id, campaign_id, 'EUR', 0, 0 FROM campaigns WHERE client_id = 1`,
  );
  for (const [prefix, campaignId, stored] of [
    ['of-campaign', 'long-001', null],
    ['direct', null, JSON.stringify(terms)],
  ]) {
    await sql.query(
      `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, terms, valid_from,
         issued_at, expires_at, content_hash)
       SELECT 1, gen_random_uuid(), $2, $1 || '-' || n, 'EUR', 100, 3, $3::json, $4::timestamptz,
         date_trunc('milliseconds', now()) - n * interval '1 ms', $5, '\\x00'
       FROM generate_series(1, $6::int) n`,
      [prefix, campaignId, stored, time.from, time.until, count],
    );
  }
}
await fill();

/** Of the free bets and the first campaign, in batches of ten. */
async function tell(): Promise<number> {
  const { rows } = await sql.query(
    `SELECT issue_id AS "issueId", campaign_id AS "campaignId", player_id AS "playerId", currency, bet_amount::int AS "betAmount",
       terms FROM free_bets WHERE client_id = 1`,
  );
  const events = rows.map(({ terms: own, ...freeBet }, i) => ({
    id: `01941f29-7c00-7a11-8000-${String(i).padStart(12, '0')}`,
    type: 'freebet.issued',
    freeBet: { ...freeBet, issuedAt: Date.now(), expiresAt: terms.validUntil, ...(own && { terms: own }) },
  }));
  for (let i = 0; i < events.length; i += 10) {
    const some = events.slice(i, i + 10);
    await sql.query(`INSERT INTO event_batches VALUES (1, $1, $2, now(), $3)`, [
      i + 1,
      i + some.length,
      JSON.stringify(some),
    ]);
  }
  await sql.query('UPDATE event_heads SET last_sequence = $1 WHERE client_id = 1', [events.length]);
  return events.length;
}

const sizes: number[] = [];
const assertShort = (texts: string[]) => {
  for (const text of texts) assert.ok(Buffer.byteLength(text) <= bound, `${Buffer.byteLength(text)} bytes`);
  sizes.push(...texts.map((text) => Buffer.byteLength(text)));
};

test('a list of large free bets ends early and goes on with the next page', async () => {
  const { entries, pages } = await walk(url, 'FreeBetList', { limit: 200 });
  assert.equal(new Set(entries.map(({ issue_id }) => issue_id)).size, 2 * count);
  assert.ok(pages.length >= 3 && pages.every((size) => size > 0 && size < 25), `${pages}`);
  assertShort([(await call(url, 'FreeBetList', { limit: 200 })).text]);
});

test('also one that looks for a status', async () => {
  const { entries, pages } = await walk(url, 'FreeBetList', { limit: 200, status: 'active', player_id: 'direct-7' });
  assert.deepEqual([entries.length, pages], [1, [1]]);
  const all = await walk(url, 'FreeBetList', { limit: 200, status: 'active' });
  assert.equal(all.entries.length, 2 * count);
});

test('so does a list of campaigns', async () => {
  const { entries } = await walk(url, 'CampaignList', { limit: 200 });
  assert.deepEqual(
    entries.map(({ campaign_id }) => campaign_id),
    Array.from({ length: count }, (_, i) => `long-${String(count - i).padStart(3, '0')}`),
  );
  assertShort([(await call(url, 'CampaignList', { limit: 200 })).text]);
});

test('and a page of events, none of which is skipped', async () => {
  const total = await tell();
  const sequences: number[] = [];
  const texts: string[] = [];
  for (let after = 0; ; ) {
    const answer = await call(url, 'EventsList', { after, limit: 1000 });
    const { events, last_sequence } = accepted('EventsList', answer);
    texts.push(answer.text);
    if (events.length === 0) break;
    assert.equal(last_sequence, events.at(-1).sequence);
    sequences.push(...events.map(({ sequence }: { sequence: number }) => sequence));
    after = last_sequence;
  }
  assert.deepEqual(
    sequences,
    Array.from({ length: total }, (_, i) => i + 1),
  );
  assertShort(texts);
  assert.ok(texts.length > 3, `${texts.length} pages`);
});

test('a page is not much shorter than it may be', () => assert.ok(Math.max(...sizes) > bound * 0.9, `${sizes}`));
