import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type EventCursor, FreebetsError, type FreebetsEvent, Partner as PartnerClient } from '@freebets/client';
import pg from 'pg';
import { loadDemo } from '../../packages/server/src/demo/demo.ts';
import { readConfig } from '../../packages/server/src/ops/config.ts';
import { migrateDatabase, withDatabase } from '../../packages/server/src/ops/database.ts';
import { makeStage } from '../embedded-postgres/stage.ts';
import { assertActivityHolds } from '../support/activity.ts';
import { accepted, refused } from '../support/answers.ts';
import { call, demo, rival } from '../support/caller.ts';
import { createDatabase, databaseUrl, settingsOn } from '../support/database.ts';
import { readFeed } from '../support/feed.ts';
import { issuesFor, startLoad } from '../support/load.ts';
import { times } from '../support/long.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { setWebhook } from '../support/webhooks.ts';

// The drill: a backup is taken while free bets are issued, the database is lost, and servers go on with the backup. The events after it are
// gone, and new ones reuse their numbers. The only manual steps are starting PostgreSQL and the servers.

const name = 'drill';
const allowLocal = { WEBHOOK_ALLOW_PRIVATE: 'yes' };
const issued = times(60, 300);

/** PostgreSQL's own way to copy a running cluster: the files as they change, and then the log that was written meanwhile. */
async function backUp(dataDir: string, to: string, url: string, meanwhile: () => Promise<void>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('drill', fast => true)`);
    await mkdir(to);
    // Files may vanish while they are copied: then cp says so at its end.
    await new Promise((resolve) => execFile('cp', ['-Rp', join(dataDir, 'postgres'), to], resolve));
    await meanwhile();
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)');
    const copy = join(to, 'postgres');
    await rm(join(copy, 'pg_wal'), { recursive: true });
    await new Promise((resolve) => execFile('cp', ['-Rp', join(dataDir, 'postgres', 'pg_wal'), copy], resolve));
    await writeFile(join(copy, 'backup_label'), rows[0].labelfile);
    const { uid, gid } = await stat(join(copy, 'PG_VERSION'));
    await chown(join(copy, 'backup_label'), uid, gid);
    for (const left of ['postmaster.pid', 'postmaster.opts']) await rm(join(copy, left), { force: true });
  } finally {
    await client.end();
  }
}

/** A partner's program: it reads the feed, and keeps its cursor with what it has read. */
function startConsumer(url: string, after: EventCursor) {
  const stopping = new AbortController();
  const consumer = { cursor: after, events: [] as FreebetsEvent[], failure: undefined as unknown };
  const client = new PartnerClient({ baseUrl: url, ...demo, maxRetries: 9, timeoutMs: 5000 });
  const reading = (async () => {
    for await (const event of client.events({ after, pauseMs: 5, signal: stopping.signal })) {
      consumer.events.push(event);
      consumer.cursor = { sequence: event.sequence, event_id: event.event_id };
    }
  })().catch((error) => {
    consumer.failure = error;
  });
  const stop = async () => {
    stopping.abort();
    await reading;
  };
  return { consumer, reading, stop };
}

const idsOf = (events: readonly { event_id: string }[]) => new Set(events.map(({ event_id }) => event_id));
const receivedBy = ({ requests }: Receiver) => new Set(requests.map(({ event }) => event.event_id));

/** Runs a database, a server that issues free bets, and all readers, until well after the backup. */
async function liveUntilLost(t: TestContext, receiver: Receiver, copyDir: string) {
  const stage = await makeStage(t);
  const database = await stage.open();
  const { host } = database.connection;
  const env = { ...(await createDatabase(host, name)), ...allowLocal };
  const config = readConfig(env);
  await migrateDatabase(config);
  await withDatabase(config, async ({ pool, masterKey }) => {
    await loadDemo(pool, masterKey, { history: false });
    await setWebhook(pool, demo, receiver.url, 1);
  });
  const server = await testServer(env);
  const made = { campaign_id: 'drill', config: { bonus_limit: 1_000_000 } };
  accepted('CampaignCreate', await call(server.url, 'CampaignCreate', campaign(made)));
  accepted('Issue', await call(server.url, 'Issue', directIssue(), rival));
  const [idle] = await readFeed(server.url, rival);
  const { consumer, stop } = startConsumer(server.url, { sequence: 0 });
  const load = startLoad(server.url, issuesFor('drill', 50), 4);
  await until('the load is under way', 20_000, () => load.acknowledged() > issued);
  const before = load.acknowledged();
  await backUp(stage.dataDir, copyDir, databaseUrl(host, name), () =>
    until('more is issued during the backup', 20_000, () => load.acknowledged() > before + issued).then(() => {}),
  );
  const atBackup = load.acknowledged();
  await until('much is issued after it', 20_000, () => load.acknowledged() > atBackup + issued);
  await load.stop();
  const feed = await readFeed(server.url);
  await until('the consumer has read all of it', 20_000, () => consumer.events.length === feed.length);
  await stop();
  await server.stop();
  await database.release();
  assert.equal(consumer.failure, undefined);
  return { feed, cursor: consumer.cursor, idle };
}

test('after a restore from a backup under load, a consumer with an old cursor is refused, and never skips an event', async (t) => {
  const receiver = await startReceiver();
  const stage = await makeStage(t, 'restored');
  const { feed, cursor, idle } = await liveUntilLost(t, receiver, stage.dataDir);

  const database = await stage.open();
  const databaseAt = databaseUrl(database.connection.host, name);
  const { url, stop } = await testServer({ ...settingsOn(databaseAt), ...allowLocal });
  const sql = new pg.Pool({ connectionString: databaseAt, max: 2 });
  // A connection that is still closing hears when PostgreSQL stops.
  sql.on('error', () => {});
  try {
    const restored = (await readFeed(url)).length;
    assert.ok(restored > issued && restored < cursor.sequence, `${restored} of ${cursor.sequence} events`);
    const ask = (after: number, after_event_id: string | undefined) =>
      call(url, 'EventsList', { after, after_event_id, limit: 5 });
    const { details } = refused('feed_changed', await ask(cursor.sequence, cursor.event_id ?? ''));
    assert.deepEqual([details[0].field, details[0].value], ['last_sequence', String(restored)]);

    // The consumer asks again and again while new events reuse the numbers that it has read.
    const load = startLoad(url, issuesFor('drill', 50), 4);
    let refusals = 0;
    for (let last = restored; last <= cursor.sequence + 20; refusals++) {
      const answer = await ask(cursor.sequence, cursor.event_id ?? '');
      last = Number(refused('feed_changed', answer).details[0].value);
      const { reading, consumer } = startConsumer(url, cursor);
      await reading;
      assert.ok(consumer.failure instanceof FreebetsError && consumer.failure.name === 'feed_changed');
      assert.deepEqual(consumer.events, []);
    }
    await load.stop();
    assert.ok(refusals > 2, `${refusals} refusals`);

    const now = await readFeed(url);
    assert.deepEqual(
      now.slice(0, restored),
      feed.slice(0, restored),
      'the feed after the restore begins as the old one did',
    );
    assert.ok(idsOf(now.slice(restored)).isDisjointFrom(idsOf(feed)), 'a number that is used again has another id');
    for (const { sequence, event_id } of feed) {
      const answer = await ask(sequence, event_id);
      if (sequence > restored) refused('feed_changed', answer);
      else assert.deepEqual(accepted('EventsList', answer).events, now.slice(sequence, sequence + 5));
    }
    // The reason for the id: with a number alone, events are skipped without an error.
    const { events: skipping } = accepted('EventsList', await ask(cursor.sequence, undefined));
    assert.equal(skipping[0].sequence, cursor.sequence + 1);

    const caughtUp = { after: idle?.sequence, after_event_id: idle?.event_id };
    assert.deepEqual(accepted('EventsList', await call(url, 'EventsList', caughtUp, rival)).events, []);

    // Starting over, as the guide says, brings every event that the consumer does not know.
    const known = idsOf(feed);
    const client = new PartnerClient({ baseUrl: url, ...demo });
    const again = await Array.fromAsync(client.events({ follow: false }));
    const fresh = again.filter(({ event_id }) => !known.has(event_id));
    assert.deepEqual(idsOf(fresh), idsOf(now.slice(restored)));

    await until('the webhook has had every event', 20_000, () => idsOf(now).isSubsetOf(receivedBy(receiver)));
    await assertActivityHolds(sql);
  } finally {
    await stop();
    await sql.end();
    await database.release();
  }
});
