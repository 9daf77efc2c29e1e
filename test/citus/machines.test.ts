import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { byNode, singleNode } from '../../packages/server/src/engine/connection.ts';
import { forPartner } from '../../packages/server/src/engine/rows.ts';
import { ask } from '../../packages/server/src/engine/statement.ts';
import { readConfig } from '../../packages/server/src/ops/config.ts';
import { migrateDatabase } from '../../packages/server/src/ops/database.ts';
import { openDirectPools, openPools } from '../../packages/server/src/ops/pools.ts';
import { readNodes } from '../../packages/server/src/placement/citus/nodes.ts';
import { findFreeBets } from '../../packages/server/src/promo/free-bets/sql.ts';
import { assertActivityHolds } from '../support/activity.ts';
import { call, type Partner } from '../support/caller.ts';
import { type ServerEnvironment, testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { campaign, directIssue, inDays } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { createPartners } from '../support/webhooks.ts';

// One machine of several is lost, and data is moved from one to another, while partners on all of them are at work.

const database = await testDatabase();
const { sql } = database;
// Who hangs is waited for until the deadline.
const env: ServerEnvironment = { ...database.env, REQUEST_DEADLINE_MS: '5000' };
const partners = await createPartners(database, 12);
const { url } = await testServer({ ...env, DATABASE_DIRECT: 'no', SWEEP_PAUSE_MS: '100' });
const direct = await testServer({ ...env, DATABASE_DIRECT: 'yes' });

/** The acknowledged requests, by partner. */
const acknowledged = new Map<number, string[]>(partners.map(({ clientId }) => [clientId, []]));

async function issueOne(partner: Partner, changes: object = {}, at = url): Promise<number> {
  const issue_id = randomUUID();
  const { status } = await call(at, 'Issue', { issue_id, ...directIssue(changes) }, partner);
  if (status === 200) acknowledged.get(partner.clientId)?.push(issue_id);
  return status;
}

async function assertNothingLost(): Promise<void> {
  for (const [clientId, ids] of acknowledged) {
    const { rows } = await sql.query('SELECT issue_id FROM free_bets WHERE client_id = $1', [clientId]);
    const stored = new Set(rows.map(({ issue_id }) => issue_id));
    assert.deepEqual(
      ids.filter((id) => !stored.has(id)),
      [],
      `of partner ${clientId}`,
    );
    assert.equal(stored.size, rows.length);
  }
}

const ofOneNode = async () => {
  const groups = byNode(
    await readNodes(sql),
    partners.map(({ clientId }) => clientId),
  );
  assert.ok(groups.size > 1, 'the partners are on several machines');
  const [machine, lost] = [...groups][0] as [number, number[]];
  return { machine, lost: new Set(lost) };
};

/** The work in the background goes on. */
async function assertSwept(partner: Partner, withinMs = 15_000): Promise<void> {
  assert.equal(await issueOne(partner, { duration_min: 1, valid_until: inDays(1) }), 200);
  await sql.query(`UPDATE free_bets SET expires_at = world_now() - interval '1 s' WHERE client_id = $1 AND NOT swept`, [
    partner.clientId,
  ]);
  await until('what has expired is written down', withinMs, async () => {
    const { rows } = await sql.query('SELECT FROM free_bets WHERE client_id = $1 AND NOT swept', [partner.clientId]);
    return rows.length === 0;
  });
}

/** The address of a node, and the statement that gives the others another port for it. */
async function placeOf(machine: number) {
  const { rows } = await sql.query('SELECT nodeid, nodename, nodeport FROM pg_dist_node WHERE groupid = $1', [machine]);
  const [{ nodeid, nodename, nodeport }] = rows;
  const moveTo = (port: number) => sql.query('SELECT citus_update_node($1, $2, $3, true)', [nodeid, nodename, port]);
  return { host: nodename as string, port: nodeport as number, moveTo };
}

/** Gives the other nodes another port for a node, until the test ends. */
async function whileAt(machine: number, port: number, work: () => Promise<void>): Promise<void> {
  const place = await placeOf(machine);
  await place.moveTo(port);
  try {
    await work();
  } finally {
    await place.moveTo(place.port);
  }
  // Who goes straight to the machines reads every ten seconds where they are.
  for (const partner of partners) {
    for (const at of [url, direct.url]) {
      await until('it is back', 30_000, async () => (await issueOne(partner, {}, at)) === 200);
    }
  }
}

test('while a node is lost, its partners get 503, the others go on, and nothing is lost', async () => {
  const { machine, lost } = await ofOneNode();
  for (const partner of partners) assert.equal(await issueOne(partner), 200);
  const nobodyListens = 1;
  await whileAt(machine, nobodyListens, async () => {
    for (const partner of partners) {
      const status = await issueOne(partner, { valid_until: inDays(1) });
      assert.equal(status, lost.has(partner.clientId) ? 503 : 200, `partner ${partner.clientId}`);
    }
    const elsewhere = partners.filter(({ clientId }) => !lost.has(clientId));
    for (const partner of elsewhere.slice(0, 2)) await assertSwept(partner);
  });
  await assertNothingLost();
  for (const partner of partners) await assertSwept(partner);
});

test('while one machine hangs the work in the background goes on for the others as if it were not there', async () => {
  const { machine, lost } = await ofOneNode();
  // The listener there never responds.
  const hung = createServer().listen(0, '127.0.0.1');
  after(() => hung.close());
  await once(hung, 'listening');
  const { port } = hung.address() as { port: number };
  const elsewhere = partners.filter(({ clientId }) => !lost.has(clientId));
  for (const partner of partners) await issueOne(partner, { duration_min: 1, valid_until: inDays(1) });
  await whileAt(machine, port, async () => {
    // Requests sent to it before it was known to hang have timed out, and so have the ones that waited for their connections.
    await delay(15_000);
    for (const partner of [...elsewhere, ...elsewhere]) await assertSwept(partner, 2000);
  });
  await assertNothingLost();
  for (const partner of partners) await assertSwept(partner);
});

test('a machine that took the place of another is found within seconds, also by who goes straight to it', async () => {
  const { machine, lost } = await ofOneNode();
  const partner = partners.find(({ clientId }) => lost.has(clientId)) as Partner;
  const { host, port, moveTo } = await placeOf(machine);
  const ends = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(port, host);
    near.pipe(far).pipe(near);
    for (const end of [near, far]) ends.add(end.on('error', () => {}));
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  await moveTo((relay.address() as AddressInfo).port);
  try {
    const server = await testServer({ ...env, DATABASE_DIRECT: 'yes' });
    assert.equal(await issueOne(partner, {}, server.url), 200);
    assert.ok(ends.size > 0);
    await moveTo(port);
    relay.close();
    for (const end of ends) end.destroy();
    // It reads every ten seconds where the machines are, and has done so at its start.
    await until('it is found', 5000, async () => (await issueOne(partner, {}, server.url)) === 200);
  } finally {
    await moveTo(port);
    relay.close();
    for (const end of ends) end.destroy();
  }
  await assertNothingLost();
});

test('data is moved between machines under load: no request fails, nothing is lost or doubled, and every count is exact', async () => {
  const limit = { bonus_limit: 1_000_000, bonus_limit_per_user: 1_000_000 };
  const [partner] = partners as [Partner];
  const created = await call(url, 'CampaignCreate', campaign({ campaign_id: 'moved', config: limit }), partner);
  assert.equal(created.status, 200, created.text);
  const statuses = new Map<number, number>();
  let isOver = false;
  // Two servers want the same rows at any moment, and have the patience for a slow machine.
  const servers = await Promise.all(
    ['no', 'yes'].map((DATABASE_DIRECT) => testServer({ ...database.env, DATABASE_DIRECT })),
  );
  const load = async (at: string) => {
    while (!isOver) {
      const issue_id = randomUUID();
      const issue = { issue_id, campaign_id: 'moved', player_id: 'player-1', currency: 'EUR' };
      const { status } = await call(at, 'Issue', issue, partner);
      if (status === 200) acknowledged.get(partner.clientId)?.push(issue_id);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const working = [...servers, ...servers].map((server) => load(server.url));
  const placeNow = async () => {
    const { rows } = await sql.query(
      `SELECT s.shardid, n.nodename, n.nodeport, (
         SELECT json_build_array(o.nodename, o.nodeport) FROM pg_dist_node o
         WHERE o.shouldhaveshards AND o.groupid <> n.groupid ORDER BY o.groupid LIMIT 1) AS target
       FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid) JOIN pg_dist_node n USING (groupid)
       WHERE s.shardid = get_shard_id_for_distribution_column('free_bets', $1::int)`,
      [partner.clientId],
    );
    const [{ shardid, nodename, nodeport, target }] = rows;
    return [shardid, nodename, nodeport, ...target];
  };
  try {
    await until('the machines agree on where each of them is', 60_000, async () => {
      const { rows } = await sql.query('SELECT FROM pg_dist_node WHERE NOT metadatasynced');
      return rows.length === 0;
    });
    for (let moves = 0; moves < 3; moves++) {
      await delay(500);
      await until('the leftovers of the previous move are gone', 60_000, async () => {
        await sql.query('CALL citus_cleanup_orphaned_resources()');
        return (await sql.query('SELECT FROM pg_dist_cleanup')).rows.length === 0;
      });
      await sql.query('SELECT citus_move_shard_placement($1, $2, $3, $4, $5)', await placeNow());
    }
    await delay(500);
  } finally {
    isOver = true;
    await Promise.all(working);
  }
  assert.deepEqual([...statuses.keys()], [200]);
  await assertNothingLost();
  await assertCountsHold(sql);
  await assertActivityHolds(sql);
});

test('where Citus keeps a plan of every execution, each is planned by its values, and the memory of a connection does not grow', async () => {
  const pools = openPools(readConfig(env), { connectionString: env.DATABASE_URL });
  const { nodename, nodeport } = (
    await sql.query(
      `SELECT nodename, nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
       WHERE shardid = get_shard_id_for_distribution_column('free_bets', $1::int)`,
      [partners[0]?.clientId],
    )
  ).rows[0];
  const direct = openDirectPools(
    readConfig({ ...env, DATABASE_DIRECT: 'yes' }),
    { connectionString: env.DATABASE_URL },
    pools,
    { current: () => ({ ...singleNode, addressOf: () => ({ host: nodename, port: nodeport }) }), doubt() {} },
  );
  const client = await direct.reads.of(0).connect();
  try {
    const { rows } = await client.query(
      `SELECT inet_server_port() AS port, current_setting('citus.version') AS version`,
    );
    assert.equal(rows[0].port, nodeport);
    const [major = 0, minor = 0, patch = 0] = rows[0].version.split('.').map(Number);
    const pilesUp = major > 13 || (major === 13 && (minor > 2 || (minor === 2 && patch >= 1)));
    const { rows: modes } = await client.query('SHOW plan_cache_mode');
    assert.equal(modes[0].plan_cache_mode, pilesUp ? 'force_custom_plan' : 'auto');
    const lookUp = () => ask(client, findFreeBets(forPartner(partners[0]?.clientId ?? 0, [randomUUID()])));
    const used = async () =>
      Number((await client.query('SELECT sum(used_bytes) AS bytes FROM pg_backend_memory_contexts')).rows[0].bytes);
    for (let i = 0; i < 50; i++) await lookUp();
    const before = await used();
    for (let i = 0; i < 500; i++) await lookUp();
    const grownBy = (await used()) - before;
    assert.ok(grownBy < 1_000_000, `500 lookups took ${grownBy} bytes`);
  } finally {
    client.release();
    await direct.end();
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  }
});

test('a partner is moved to its own shard on its own node, and its due work is found there', async () => {
  const slotOf = async (clientId: number) =>
    (await sql.query<{ slot: number }>('SELECT due_slot($1) AS slot', [clientId])).rows[0]?.slot ?? 0;
  const slots = await Promise.all(partners.map(({ clientId }) => slotOf(clientId)));
  // A partner whose place depends on another's.
  const partner = partners.find(({ clientId }, i) => slots[i] !== clientId) as Partner;
  const others = partners.filter((each) => each !== partner);
  const { clientId } = partner;
  const before = await slotOf(clientId);
  const { rows: made } = await sql.query(
    `SELECT isolate_tenant_to_new_shard('event_heads', $1::int, 'CASCADE', 'block_writes') AS shardid`,
    [clientId],
  );
  const { rows } = await sql.query(
    `SELECT n.groupid, n.nodename, n.nodeport, (
       SELECT json_build_array(o.nodename, o.nodeport) FROM pg_dist_node o
       WHERE o.shouldhaveshards AND o.groupid <> n.groupid ORDER BY o.groupid DESC LIMIT 1) AS target
     FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid) WHERE p.shardid = $1`,
    [made[0].shardid],
  );
  const [{ groupid, nodename, nodeport, target }] = rows;
  await sql.query('SELECT citus_move_shard_placement($1, $2, $3, $4, $5)', [
    ...[made[0].shardid, nodename, nodeport],
    ...target,
  ]);
  await migrateDatabase(readConfig(env), 'many');
  const machines = await readNodes(sql);
  assert.notEqual(machines.of(clientId), groupid);
  const slot = await slotOf(clientId);
  assert.notEqual(slot, before);
  assert.ok(machines.dueKeys.get(machines.of(clientId))?.includes(slot));
  // As after a restart.
  const { url: own } = await testServer({ ...env, DATABASE_DIRECT: 'yes', SWEEP_PAUSE_MS: '100' });
  assert.equal(await issueOne(partner, {}, own), 200);
  for (const each of [partner, ...others.slice(0, 5)]) await assertSwept(each);
  await assertNothingLost();
  const { rows: due } = await sql.query('SELECT FROM due_partners WHERE client_id = $1 AND slot = $2', [
    clientId,
    slot,
  ]);
  assert.equal(due.length, 1);
});

test('one moment is marked on all machines, to which they can be restored together', async () => {
  const { rows } = await sql.query(`SELECT citus_create_restore_point('nightly')::text AS place`);
  assert.match(rows[0].place, /^[0-9A-F]+\/[0-9A-F]+$/);
});
