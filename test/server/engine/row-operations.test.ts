import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { markActive } from '../../../packages/server/src/background/sql/due.ts';
import * as clock from '../../../packages/server/src/engine/clock.ts';
import { openPool } from '../../../packages/server/src/engine/connection.ts';
import { planByKey } from '../../../packages/server/src/engine/planning.ts';
import { type ByPartner, forPartner, partnersAsKeys } from '../../../packages/server/src/engine/rows.ts';
import { ask, type SentStatement, type Statement, useDialect } from '../../../packages/server/src/engine/statement.ts';
import { begin, inOneTrip, limitLockWait, rollback } from '../../../packages/server/src/engine/transaction.ts';
import { citus } from '../../../packages/server/src/placement/citus/dialect.ts';
import { insertEvents, type NewEvents } from '../../../packages/server/src/promo/batch/sql/events.ts';
import type { CampaignPlayer } from '../../../packages/server/src/promo/batch/working-set.ts';
import type { CampaignState } from '../../../packages/server/src/promo/campaigns/campaign.ts';
import * as campaigns from '../../../packages/server/src/promo/campaigns/sql/campaigns.ts';
import type { FreeBet } from '../../../packages/server/src/promo/free-bets/free-bet.ts';
import * as freeBets from '../../../packages/server/src/promo/free-bets/sql.ts';
import type { Job, JobRefusals, StoredRefusal } from '../../../packages/server/src/promo/jobs/job.ts';
import * as jobs from '../../../packages/server/src/promo/jobs/sql/jobs.ts';
import { findJobQuotas } from '../../../packages/server/src/promo/jobs/sql/quota.ts';
import { insertJobRefusals } from '../../../packages/server/src/promo/jobs/sql/refusals.ts';
import type { Bet } from '../../../packages/server/src/promo/rounds/bet.ts';
import * as rounds from '../../../packages/server/src/promo/rounds/sql.ts';
import { testDatabase } from '../../support/database.ts';
import { refusedForms } from '../../support/forms.ts';

// Every row operation must write and find the same rows in each of its forms, and as statements of one partner each. The
// batches are random, always the same ones; a failure prints the seed.

const seed = 20_260_731;
/** The id of the first partner of the tests. These partners have no rows before. */
const firstId = 1001;

const { env, sql } = await testDatabase();
const pool = openPool({
  connection: { connectionString: env.DATABASE_URL },
  ...{ max: 2, queryTimeoutMs: 20_000, applicationName: 'test', opening: planByKey },
});
const [single, routing] = [await pool.connect(), await pool.connect()];
useDialect(routing, citus);
after(() => {
  for (const client of [single, routing]) client.release();
  return pool.end();
});

// Partners have rows with the same ids. Some ids are equal when they are joined: 'a' and 'b p', 'a b' and 'p'.
const id = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
const campaignId = (i: number) => ['a b', 'a'][i] ?? `${i}"'\\{},`;
const playerId = (i: number) => (i % 2 === 0 ? `p ${i}` : `b p ${i - 1}`);
const betKey = (i: number) => ({ providerId: `"p'\\${i % 2},{}`, betId: id(i >> 1) });

const special = fc.constantFrom('"', '\\', '{', '}', ',', "'", ' ', 'NULL', '\n', '$1', 'é', '💶');
const text = fc.string({ unit: special, maxLength: 6 });
const at = fc.integer({ min: 0, max: 4_000_000_000_000 });
const maybeAt = fc.option(at);
const count = fc.nat(1000);
const maybeCount = fc.option(count);
const big = fc.nat(2 ** 50);
const sum = fc.bigInt(0n, 10n ** 30n);
const contentHash = fc.nat(255).map((n) => n.toString(16).padStart(2, '0').repeat(16));
const coefficient = fc.option(fc.integer({ min: 10_000, max: 10 ** 10 }));
const many = <T>(one: fc.Arbitrary<T>, minLength = 0) => fc.array(one, { minLength, maxLength: 40, size: 'max' });

const terms = {
  ...{ quantity: fc.integer({ min: 1, max: 9 }), games: fc.array(text, { maxLength: 3 }) },
  ...{ validFrom: at, validUntil: at, durationMin: maybeCount },
  ...{ minCoefficient: coefficient, maxCoefficient: coefficient, stakeReturned: fc.boolean() },
};
const directTerms = { ...terms, name: fc.option(text) };
const limits = { bonusLimit: maybeCount, bonusLimitPerUser: maybeCount };
/** Rows: the columns that only the insert writes, the other columns as inserted, and those as updated, if at all. */
const versions = <Fixed, Changing>(fixed: fc.Arbitrary<Fixed>, changing: fc.Arbitrary<Changing>, minLength = 0) =>
  many(fc.tuple(fixed, changing, fc.option(changing)), minLength);

const state = fc
  .record({
    ...{ cancelled: big, others: count, expired: big, finished: big, betsPlaced: big },
    ...{ stoppedAt: maybeAt, pausedAt: maybeAt, changedLimits: fc.option(fc.record({ at, ...limits })) },
  })
  .map(({ others, ...given }): CampaignState => ({ ...given, issued: given.cancelled + others }));
const definition = fc.record({
  terms: fc.record({ ...terms, name: text }),
  betAmounts: fc.constantFrom(new Map([['EUR', 100]]), new Map([['USD', 10 ** 15]]).set('EUR', 1)),
  ...{ ...limits, contentHash, createdAt: at },
});
const issued = fc.record({
  ...{ campaign: fc.option(count), player: fc.nat(5), currency: fc.constantFrom('EUR', 'USD') },
  ...{ betAmount: fc.integer({ min: 1, max: 10 ** 15 }), terms: fc.record(directTerms) },
  ...{ issuedAt: at, expiresAt: at, contentHash },
});
const use = fc.record({ cancelledAt: maybeAt, placed: count, settled: count, swept: fc.boolean() });
const ofFreeBet = { freeBet: fc.option(count), gameId: text };
const placed = fc.record({ ...ofFreeBet, coefficient, remaining: count, placedAt: at, contentHash });
const outcome = fc.record({
  state: fc.constantFrom('placed' as const, 'won' as const, 'lost' as const, 'rolled_back' as const),
  ...{ settledCoefficient: coefficient, winAmount: fc.option(sum), settledAt: maybeAt },
});
const created = fc.record({
  ...{ name: text, campaign: fc.option(count), startAt: maybeAt, contentHash, createdAt: at },
  shared: fc.record({ betAmount: count, terms: fc.record(directTerms), stakeReturned: fc.boolean() }),
});
const progress = fc
  .record({
    ...{ parts: count, others: count, bytes: big, startedAt: maybeAt, finishedAt: maybeAt, stoppedAt: maybeAt },
    failure: fc.option(fc.record({ reason: text, part: maybeCount, item: count })),
    ...{ attempts: count, issued: count, refused: fc.constantFrom({}, { bonus_limit_reached: 3 }), nextItem: count },
    ...{ perSecond: maybeCount, leaseHolder: fc.option(count.map(id)) },
  })
  .map(({ others, ...given }) => ({ ...given, items: given.parts + given.issued + others }));

const partnerRows = fc
  .record({
    campaigns: versions(definition, state, 1),
    totals: many(fc.record({ openBets: big, winnings: sum })),
    players: versions(fc.constant(null), count),
    freeBets: versions(issued, use, 1),
    bets: versions(placed, outcome),
    jobs: versions(created, progress, 1),
    parts: many(fc.record({ items: fc.integer({ min: 1, max: 9 }), list: text, contentHash })),
    refusals: many(fc.array(text, { minLength: 1, maxLength: 3 })),
    ...{ at, hasLongEvents: fc.boolean(), hasClock: fc.boolean() },
    /** The numbers of the rows to look up; not all of them exist. */
    wanted: fc.uniqueArray(fc.nat(44), { maxLength: 40, size: 'max' }),
  })
  .map((given) => {
    const campaignOf = (i: number) => campaignId(i % given.campaigns.length);
    const issueId = (i: number) => id(i % given.freeBets.length);
    const jobId = (i: number) => id(i % given.jobs.length);
    const playerKey = (i: number) => ({ campaignId: campaignOf(i % 2), playerId: playerId(i) });
    const partKey = (i: number) => ({ jobId: jobId(i), part: i });
    const freeBets = made(given.freeBets, ({ campaign, player, ...fixed }, { placed, settled, ...use }, i): FreeBet => {
      const betsPlaced = use.cancelledAt === null ? placed % (fixed.terms.quantity + 1) : 0;
      const ids = { issueId: id(i), campaignId: campaign === null ? null : campaignOf(campaign) };
      const counts = { betsPlaced, betsSettled: settled % (betsPlaced + 1) };
      return { ...fixed, ...use, ...ids, ...counts, playerId: playerId(player) };
    });
    const eventOf = (freeBet: FreeBet, i: number): NewEvents['emitted'][number] => {
      const long = { ...freeBet, campaignId: null, terms: { ...freeBet.terms, name: 'é'.repeat(99_000) } };
      return { type: 'freebet.issued', freeBet: given.hasLongEvents && i < 5 ? long : freeBet };
    };
    return {
      ...{ freeBets, hasClock: given.hasClock },
      events: { after: 0, at: given.at, emitted: freeBets.inserted.map(eventOf) },
      campaigns: made(given.campaigns, (all, state, i) => ({ campaign: { ...all, campaignId: campaignId(i) }, state })),
      totals: given.totals
        .map((change, i) => ({ ...change, campaignId: campaignId(i), currency: 'EUR' }))
        .slice(0, given.campaigns.length),
      players: made(given.players, (_, held, i): CampaignPlayer => ({ ...playerKey(i), held, isStored: false })),
      bets: made(given.bets, ({ freeBet, ...fixed }, changing, i): Bet => {
        if (freeBet === null) return { ...betKey(i), state: 'rolled_back', issueId: null };
        return { ...fixed, ...changing, ...betKey(i), issueId: issueId(freeBet) };
      }),
      jobs: made(given.jobs, ({ campaign, shared, ...fixed }, changing, i): Job => {
        const ofCampaign = campaign !== null && { campaignId: campaignOf(campaign), shared: null };
        // A partner has at most one job with a lease.
        const leaseHolder = i === 0 ? changing.leaseHolder : null;
        return { ...fixed, ...changing, jobId: id(i), leaseHolder, ...(ofCampaign || { campaignId: null, shared }) };
      }),
      parts: given.parts.map((part, i) => ({ ...part, ...partKey(i), list: JSON.stringify([part.list]) })),
      refusals: given.refusals.map((players, i): JobRefusals => {
        const list = players.map((player, n): StoredRefusal => [1, n, player, id(n), 'bonus_limit_reached']);
        return { jobId: jobId(i), carriedOut: i, list };
      }),
      keys: {
        ...{ ids: given.wanted.map(id), campaignIds: given.wanted.map(campaignId), bets: given.wanted.map(betKey) },
        ...{ players: given.wanted.map(playerKey), parts: given.wanted.map(partKey) },
      },
    };
  });

function made<Fixed, Changing, Row>(
  all: [Fixed, Changing, Changing | null][],
  make: (fixed: Fixed, changing: Changing, i: number) => Row,
) {
  const inserted = all.map(([fixed, first], i) => make(fixed, first, i));
  const updated = all.flatMap(([fixed, , second], i) => (second === null ? [] : [make(fixed, second, i)]));
  return { inserted, updated };
}

type Rows = typeof partnerRows extends fc.Arbitrary<infer T> ? T : never;
type Partners = ReadonlyMap<number, Rows>;
const partners = fc
  .array(partnerRows, { minLength: 1, maxLength: 6, size: 'max' })
  .map((all): Partners => new Map(all.map((rows, i) => [firstId + i, rows])));

function rowsIn<Row>(partners: Partners, select: Select<Row>): ByPartner<Row> {
  const all = [...partners].map(([clientId, rows]): [number, readonly Row[]] => [clientId, select(rows)]);
  return new Map(all.filter(([, rows]) => rows.length > 0));
}

type Operation<Row, T> = (rows: ByPartner<Row>) => T;
type Select<Row> = (rows: Rows) => readonly Row[];
type Found = Statement<unknown[]>;

/** Divides the rows of an operation between several statements. */
type Split = <Row>(rows: ByPartner<Row>) => ByPartner<Row>[];
const whole: Split = (rows) => [rows];
const byPartner: Split = (rows) => [...rows].map(([clientId, some]) => forPartner(clientId, some));
const byRow: Split = (rows) => [...rows].flatMap(([clientId, some]) => some.map((row) => forPartner(clientId, [row])));

/** All writes, in an order that foreign keys allow. */
function writesOf(partners: Partners, split: Split): Statement[] {
  const write = <Row>(operation: Operation<Row, Statement | Statement[]>, select: Select<Row>): Statement[] => {
    const rows = rowsIn(partners, select);
    return rows.size === 0 ? [] : split(rows).flatMap(operation);
  };
  const events = new Map([...partners].map(([clientId, rows]) => [clientId, [rows.events]]));
  return [
    ...write(campaigns.insertCampaigns, (rows) => rows.campaigns.inserted),
    ...write(jobs.insertJobs, (rows) => rows.jobs.inserted),
    ...write(jobs.insertJobParts, (rows) => rows.parts),
    ...write(insertJobRefusals, (rows) => rows.refusals),
    ...write(campaigns.insertCampaignPlayers, (rows) => rows.players.inserted),
    ...write(freeBets.insertFreeBets, (rows) => rows.freeBets.inserted),
    ...write(rounds.insertBets, (rows) => rows.bets.inserted),
    ...write(jobs.updateJobs, (rows) => rows.jobs.updated),
    ...write(campaigns.replaceCampaignPlayers, (rows) => rows.players.updated),
    ...write(freeBets.updateFreeBets, (rows) => rows.freeBets.updated),
    ...write(rounds.updateBets, (rows) => rows.bets.updated),
    ...write(campaigns.addToTotals, (rows) => rows.totals),
    ...write(campaigns.updateCampaignStates, (rows) => rows.campaigns.updated),
    ...split(events).flatMap((some) =>
      insertEvents(new Map([...some].map(([clientId, [one]]) => [clientId, one as NewEvents]))),
    ),
    ...split(partnersAsKeys([...partners.keys()])).map((some) => markActive([...some.keys()])),
  ];
}

/** All look-ups by name. */
function readsOf(partners: Partners, split: Split): Map<string, Found[]> {
  const found = new Map<string, Found[]>();
  const read = <Key>(name: string, operation: Operation<Key, Found>, select: (keys: Rows['keys']) => Key[]) => {
    const keys = rowsIn(partners, (rows) => select(rows.keys));
    if (keys.size > 0) found.set(name, split(keys).map(operation));
  };
  const all = split(partnersAsKeys([...partners.keys()])).map((some) => [...some.keys()]);
  const each = (name: string, operation: (clientIds: number[]) => Found) => found.set(name, all.map(operation));
  each('heads', (clientIds) => clock.lockEventHeads(clientIds, 'wait'));
  each('free heads', (clientIds) => clock.lockEventHeads(clientIds, 'skip'));
  read('locked jobs', jobs.findJobs.lock, ({ ids }) => ids);
  read('jobs', jobs.findJobs.read, ({ ids }) => ids);
  read('parts', jobs.findJobParts, ({ parts }) => parts);
  read('parts of jobs', jobs.findPartsOfJobs, ({ ids }) => ids);
  each('quotas', (clientIds) => findJobQuotas(partnersAsKeys(clientIds)));
  read('free bets', freeBets.findFreeBets, ({ ids }) => ids);
  read('bets and free bets', rounds.findBetsAndFreeBets, ({ bets }) => bets);
  read('states', campaigns.findCampaignStates, ({ campaignIds }) => campaignIds);
  read('states of free bets', campaigns.findStatesOfFreeBets, ({ ids }) => ids);
  read('states of bets', campaigns.findStatesOfBets, ({ bets }) => bets);
  read('definitions', campaigns.findCampaigns, ({ campaignIds }) => campaignIds);
  read('players', campaigns.findCampaignPlayers, ({ players }) => players);
  read('free bets and held', freeBets.findFreeBetsAndHeld, ({ ids }) => ids);
  read('counted players', campaigns.countCampaignPlayers, ({ players }) => players);
  read('bets', rounds.findBets, ({ bets }) => bets);
  read('standing bets', rounds.findStandingBets, ({ ids }) => ids);
  each('clocks', (clientIds) => {
    const found = clock.findSandboxClocks(clientIds);
    return { ...found, read: (result) => [...found.read(result)].map(([clientId, at]) => [clientId, at(0)]) };
  });
  return found;
}

const tables = [
  ...['campaigns', 'campaign_states', 'campaign_totals', 'campaign_players', 'free_bets', 'bets', 'jobs', 'job_parts'],
  ...['job_refusals', 'event_heads', 'event_batches', 'due_partners'],
];

/** The rows of all tables. The random ids of events and the times of the database are left out. */
async function contentsOf(client: PoolClient, partners: Partners): Promise<Map<string, string[]>> {
  const contents = new Map<string, string[]>();
  for (const table of tables) {
    const text = `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE client_id = ANY ($1)`;
    const { rows } = await client.query(text, [[...partners.keys()]]);
    const masked = rows.map(({ row }) => row.replace(/"(id|written_at|leased_until|awake_until)": "[^"]*"/g, '"$1"'));
    contents.set(table, masked.toSorted());
  }
  return contents;
}

type Seen = Record<'contents' | 'found', Map<string, string[]>>;

/** What the tables contain after the writes, and what the look-ups find then. */
async function seenIn(client: PoolClient, partners: Partners, split: Split): Promise<Seen> {
  const clientIds = [...partners.keys()];
  const clocks = clientIds.filter((clientId) => partners.get(clientId)?.hasClock).map(clock.insertSandboxClock);
  const reads = readsOf(partners, split);
  try {
    await inOneTrip(client, [begin(), ...clientIds.map(clock.insertEventHead), ...clocks]);
    await inOneTrip(client, writesOf(partners, split));
    const answers = await inOneTrip(client, [...reads.values()].flat());
    const found = new Map<string, string[]>();
    for (const [name, statements] of reads) {
      const rows = statements.map((statement) => answers.of(statement));
      const texts = rows.flat().map((row) => JSON.stringify(row));
      found.set(name, texts.toSorted());
      const [first] = statements;
      if (first && split === whole) assert.deepEqual(await ask(client, first), rows[0], `${name}, sent alone`);
    }
    return { contents: await contentsOf(client, partners), found };
  } finally {
    await inOneTrip(client, [rollback()]);
  }
}

/** Several statements may find the same row. */
const distinct = ({ contents, found }: Seen) => [contents, [...found].map(([name, rows]) => [name, new Set(rows)])];

test('every form of an operation writes and finds the same rows', async (t) => {
  t.diagnostic(`seed ${seed}`);
  let most = 0;
  await fc.assert(
    fc.asyncProperty(partners, async (partners) => {
      const seen = await seenIn(single, partners, whole);
      assert.deepEqual(await seenIn(routing, partners, whole), seen, 'as statements of one partner each');
      assert.deepEqual(await seenIn(single, partners, byPartner), seen, 'partner by partner');
      assert.deepEqual(distinct(await seenIn(single, partners, byRow)), distinct(seen), 'row by row');
      assertComplete(partners, seen);
      most = Math.max(most, partners.size);
    }),
    { seed, numRuns: 6 },
  );
  assert.equal(most, 6);
});

/** Compares the numbers of rows with the written and wanted ones. */
function assertComplete(partners: Partners, { contents, found }: Seen): void {
  const expected = new Map<string, number>();
  for (const { keys, hasClock, ...rows } of partners.values()) {
    const [jobIds, issueIds] = [rows.jobs, rows.freeBets].map(({ inserted }) => inserted.map((_, i) => id(i)));
    const numbers = {
      ...{ campaigns: rows.campaigns.inserted.length, campaign_states: rows.campaigns.inserted.length },
      campaign_totals: rows.campaigns.inserted.flatMap(({ campaign }) => [...campaign.betAmounts]).length,
      campaign_players: rows.players.inserted.length,
      ...{ free_bets: rows.freeBets.inserted.length, bets: rows.bets.inserted.length },
      ...{ jobs: rows.jobs.inserted.length, job_parts: rows.parts.length, job_refusals: rows.refusals.length },
      ...{ event_heads: 1, due_partners: 1, 'found heads': 1, 'found free heads': 1, 'found clocks': Number(hasClock) },
      'found jobs': keys.ids.filter((each) => jobIds?.includes(each)).length,
      'found free bets': keys.ids.filter((each) => issueIds?.includes(each)).length,
    };
    for (const [name, number] of Object.entries(numbers)) expected.set(name, (expected.get(name) ?? 0) + number);
  }
  const all = new Map([...contents, ...[...found].map(([name, rows]): [string, string[]] => [`found ${name}`, rows])]);
  for (const [name, number] of expected) assert.equal(all.get(name)?.length ?? 0, number, name);
}

const routedOf = ({ name, perPartner }: Statement): readonly SentStatement[] =>
  perPartner?.() ?? assert.fail(`${name} is no row operation`);

const sizeOf = ({ name }: SentStatement): number => Number(/_(one|\d+)$/.exec(name)?.[1]?.replace('one', '1'));

test('every perPartner statement names its partner as $1, and inserts have 16, 8, 4, 2 or 1 rows', () => {
  const namesPartner =
    /^\s*INSERT INTO [\w ]+ \((client_id|slot, client_id), .*\)\s+VALUES \((due_slot\(\$1::int\), )?\$1::int[,)]|\bclient_id = \$1::int\b/s;
  fc.assert(
    fc.property(partners, (partners) => {
      for (const statement of [...writesOf(partners, whole), ...[...readsOf(partners, whole).values()].flat()]) {
        const perPartner = routedOf(statement);
        for (const { text, values, name } of perPartner) {
          assert.deepEqual(refusedForms(text), [], name);
          assert.match(text, namesPartner, name);
          assert.doesNotMatch(text, /\bclient_id (?:=|IN|<|>)(?! \$1\b)/, name);
          assert.ok(partners.has(values[0] as number), name);
        }
        const ids = perPartner.map(({ values }) => values[0]);
        assert.deepEqual(new Set(ids), new Set([statement.values[0]].flat()), `the partners of ${statement.name}`);
        if (!/^\s*INSERT/.test(statement.text)) continue;
        const sizes = perPartner.map(sizeOf);
        assert.ok(new Set(sizes).isSubsetOf(new Set([16, 8, 4, 2, 1])), statement.name);
        const inserted = sizes.reduce((sum, size) => sum + size);
        assert.equal(inserted, [statement.values[1] ?? statement.values[0]].flat().length, statement.name);
      }
    }),
    { seed, numRuns: 20 },
  );
});

test('an insert is divided into as few statements as possible', () => {
  const sizes = (count: number) => {
    const player = { campaignId: 'a', playerId: 'p', held: 1, isStored: false };
    return routedOf(campaigns.insertCampaignPlayers(forPartner(firstId, Array(count).fill(player)))).map(sizeOf);
  };
  assert.deepEqual([1, 7, 16, 40].map(sizes), [[1], [4, 2, 1], [16], [16, 16, 8]]);
});

test('a batch leaves out the partners that another transaction holds', async () => {
  const clientIds = [firstId, firstId + 1, firstId + 2];
  for (const clientId of clientIds) await ask(sql, clock.insertEventHead(clientId));
  for (const [holder, other] of [[single, routing] as const, [routing, single] as const]) {
    const free = clock.lockEventHeads(clientIds, 'skip');
    await inOneTrip(holder, [begin(), clock.lockEventHeads([firstId + 1], 'wait')]);
    const answers = await inOneTrip(other, [begin(), limitLockWait(100), free, rollback()]);
    const found = answers.of(free).map((head) => head.client_id);
    assert.deepEqual(found, [firstId, firstId + 2]);
    const waiting = inOneTrip(other, [begin(), limitLockWait(100), clock.lockEventHeads(clientIds, 'wait')]);
    await assert.rejects(waiting, { code: '55P03' });
    for (const client of [holder, other]) await inOneTrip(client, [rollback()]);
  }
});
