import assert from 'node:assert/strict';
import type { PoolClient } from 'pg';
import { findActiveSessions, insertAudit } from '../../audit/sql.ts';
import type { ActiveCache } from '../../background/active.ts';
import { markActive } from '../../background/sql/due.ts';
import type { BatchRunner, BatchTimes, LaneObserver, ShareResult } from '../../engine/attempts.ts';
import { insertEventHead, moveSandboxClock } from '../../engine/clock.ts';
import type { NodePools } from '../../engine/connection.ts';
import { LostRace } from '../../engine/faults.ts';
import * as engine from '../../engine/lanes.ts';
import type { LaneSettings } from '../../engine/next-transaction.ts';
import type { ByPartner } from '../../engine/rows.ts';
import { ask, type Statement } from '../../engine/statement.ts';
import { begin, commit, inOneTrip, limitLockWait, rollback } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { type Outcome, refuse } from '../../primitives/outcome.ts';
import {
  addToTotals,
  insertCampaignPlayers,
  insertCampaigns,
  replaceCampaignPlayers,
  updateCampaignStates,
} from '../campaigns/sql/campaigns.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { insertFreeBets, updateFreeBets } from '../free-bets/sql.ts';
import { insertJobParts, insertJobs, removeJobPart, updateJobs } from '../jobs/sql/jobs.ts';
import { insertJobRefusals } from '../jobs/sql/refusals.ts';
import { insertBets, updateBets } from '../rounds/sql.ts';
import type { Command, Lanes } from './command.ts';
import { decide } from './decide.ts';
import type { EmittedEvent } from './event.ts';
import { type Loaded, loadOf, type Share } from './load.ts';
import { insertEvents, type NewEvents } from './sql/events.ts';
import { hasOnlyEarlyRollbacks, isUnchanged, type WorkingSet } from './working-set.ts';

// Runs many commands, of one partner or of several, in one transaction. It takes two round trips: begin and load, then
// write and commit. It takes one more for each of these: definitions that are not cached, jobs, players whose count is
// not stored, sessions of staff. On one PostgreSQL, each table takes one statement of each kind for all partners, except
// for a few rare writes.
//
// A batch locks rows in this order, and rows of one table by id, so that batches can't deadlock: event_heads, jobs,
// audit_heads, due_partners. The event head of a partner guards the other rows that batches change for the partner.
// Jobs are locked too, because their leases change outside of batches.

interface BatchContext {
  connection: PoolClient;
  definitions: CampaignDefinitions;
  /** Partners that need not be marked active again. */
  activeCache?: ActiveCache;
}

export interface Committed extends ShareResult {
  emitted: ReadonlySet<EmittedEvent>;
}

/**
 * The shares are sorted by partner id. The result of a share is undefined if another transaction holds its partner. Only
 * a batch of one share may wait for its partner.
 */
export async function runBatch(
  context: BatchContext,
  shares: readonly Share[],
  mayWait = true,
): Promise<{ committed: (Committed | undefined)[]; times: BatchTimes }> {
  const began = performance.now();
  const isShared = shares.length > 1;
  const opening = [begin(), ...(isShared ? [limitLockWait(sharedLockWaitMs)] : [])];
  const { loaded, sessions } = await load(context, opening, shares, isShared || !mayWait ? 'skip' : 'wait');
  const decided = new Map(loaded.map((each) => [each.share.clientId, decideAll(each, sessions)]));
  const decidedAt = performance.now();
  await writeAndCommit(
    context,
    loaded.filter(({ working }) => !isUnchanged(working)),
  );
  const committed = shares.map(({ clientId }) => decided.get(clientId));
  return { committed, times: { loadMs: decidedAt - began, commitMs: performance.now() - decidedAt } };
}

/**
 * Runs a batch inside the caller's transaction. Sends the `opening` statements before the loads, in the same round
 * trip.
 */
export async function runBatchWithin(context: BatchContext, opening: Statement[], share: Share): Promise<Committed> {
  const { loaded, sessions } = await load(context, opening, [share], 'wait');
  const [decided] = loaded.map((each) => decideAll(each, sessions)) as [Committed];
  await inOneTrip(context.connection, allWritesOf(loaded, [share.clientId]));
  return decided;
}

/**
 * The writes of commands that the caller has decided on these rows, for the transaction that holds the locks. The
 * caller marks the partner active.
 */
export const writesOf = (loaded: Loaded): Statement[] => allWritesOf([loaded], []);

const decideAll = ({ share, working, now }: Loaded, sessions: ReadonlySet<string>): Committed => ({
  outcomes: share.commands.map(
    (command): Outcome =>
      isSessionRevoked(command, sessions) ? refuse('not_signed_in') : decide(working, command, now),
  ),
  isChanged: !isUnchanged(working),
  emitted: working.changes.emitted,
});

/** Whether the staff member who sent the command no longer has a session. */
const isSessionRevoked = ({ by }: Command, sessions: ReadonlySet<string>): boolean =>
  by?.sessionId !== undefined && !sessions.has(by.sessionId);

/** The sessions of staff who sent commands. Partners and providers have no sessions. */
const sessionIdsIn = (shares: readonly Share[]): string[] =>
  shares.flatMap(({ commands }) => commands.flatMap(({ by }) => by?.sessionId ?? []));

/** How long a shared transaction waits for a lock before it fails and each half of its partners runs by itself. */
const sharedLockWaitMs = 100;

async function load(
  { connection, definitions }: BatchContext,
  opening: Statement[],
  shares: readonly Share[],
  ifLocked: 'wait' | 'skip',
): Promise<{ loaded: Loaded[]; sessions: ReadonlySet<string> }> {
  const { statements, open } = loadOf(shares, 'lock', ifLocked);
  const answers = await inOneTrip(connection, [...opening, ...statements]);
  const loaded = await open(answers, connection, definitions);
  const sessionIds = sessionIdsIn(shares);
  // Behind all locks, because a session may be revoked while the batch waits for one.
  const sessions = sessionIds.length > 0 ? await ask(connection, findActiveSessions(sessionIds)) : new Set<string>();
  return { loaded, sessions };
}

async function writeAndCommit({ connection, activeCache }: BatchContext, changed: Loaded[]): Promise<void> {
  // Nothing changed, for example because a limit is reached. A rollback avoids the wait for the disk.
  if (changed.length === 0) return void (await inOneTrip(connection, [rollback()]));
  const headless = changed.filter(({ lastSequence, working }) => lastSequence === undefined && needsHead(working));
  if (headless.length > 0) return addHeads(connection, headless);
  const committing = commit();
  const sentAt = performance.now();
  const inactive = changed
    .filter(({ share, working }) => needsHead(working) && !activeCache?.has(share.clientId))
    .map(({ share }) => share.clientId);
  const answers = await inOneTrip(connection, [...allWritesOf(changed, inactive), committing]);
  // PostgreSQL reports ROLLBACK for the COMMIT of a failed transaction. A statement has failed before that, though.
  assert.equal(answers.of(committing), 'COMMIT', 'the transaction was not committed');
  activeCache?.add(inactive, sentAt);
}

/** Early rollbacks are stored for any partner id, and need neither a head nor background work. */
const needsHead = (working: WorkingSet): boolean => !hasOnlyEarlyRollbacks(working);

/** Every partner is created with a head, so this is for a row that was removed by hand. Makes the batch start again. */
async function addHeads(connection: PoolClient, headless: readonly Loaded[]): Promise<never> {
  const inserts = headless.map(({ share }) => insertEventHead(share.clientId));
  await inOneTrip(connection, [rollback(), begin(), ...inserts, commit()]);
  throw new LostRace();
}

const allWritesOf = (changed: readonly Loaded[], inactive: readonly number[]): Statement[] => [
  ...rowWritesOf(changed),
  ...changed.flatMap(rareWritesOf),
  ...(inactive.length > 0 ? [markActive(inactive)] : []),
];

/** The new rows in an order that foreign keys allow, then the changed ones. */
function rowWritesOf(changed: readonly Loaded[]): Statement[] {
  const write = <Row>(
    operation: (rows: ByPartner<Row>) => Statement | Statement[],
    select: (changes: WorkingSet['changes']) => Iterable<Row>,
  ): Statement[] => {
    const rows = rowsIn(changed, select);
    return rows.size === 0 ? [] : [operation(rows)].flat();
  };
  return [
    ...write(insertCampaigns, ({ newCampaigns }) => newCampaigns),
    ...write(insertJobs, ({ newJobs }) => newJobs),
    ...write(insertJobParts, ({ newJobParts }) => newJobParts),
    ...write(insertJobRefusals, ({ jobRefusals }) => jobRefusals),
    ...write(insertCampaignPlayers, ({ campaignPlayers }) => [...campaignPlayers].filter((one) => !one.isStored)),
    ...write(insertFreeBets, ({ newFreeBets }) => newFreeBets),
    ...write(insertBets, ({ newBets }) => newBets),
    ...write(updateJobs, ({ jobs }) => jobs),
    ...write(replaceCampaignPlayers, ({ campaignPlayers }) => [...campaignPlayers].filter((one) => one.isStored)),
    ...write(updateFreeBets, ({ freeBets }) => freeBets),
    ...write(updateBets, ({ bets }) => bets),
    ...write(addToTotals, ({ totals }) => totals.values()),
    ...write(updateCampaignStates, ({ campaigns, newCampaigns }) => campaigns.difference(newCampaigns)),
    ...eventsOf(changed),
  ];
}

/** The rows of each partner that has some. */
function rowsIn<Row>(
  changed: readonly Loaded[],
  select: (changes: WorkingSet['changes']) => Iterable<Row>,
): ByPartner<Row> {
  const found = new Map<number, Row[]>();
  for (const { share, working } of changed) {
    const rows = [...select(working.changes)];
    if (rows.length > 0) found.set(share.clientId, rows);
  }
  return found;
}

function eventsOf(changed: readonly Loaded[]): Statement[] {
  const events = new Map<number, NewEvents>();
  for (const { share, working, now, lastSequence } of changed) {
    const { emitted } = working.changes;
    if (emitted.size === 0) continue;
    assert(lastSequence !== undefined, 'a partner with events has a head');
    events.set(share.clientId, { after: lastSequence, at: now, emitted: [...emitted] });
  }
  return events.size === 0 ? [] : insertEvents(events);
}

/** Writes that few batches have, as statements for each partner. */
const rareWritesOf = ({ share: { clientId }, working: { changes } }: Loaded): Statement[] => [
  ...[...changes.removedJobParts].map((part) => removeJobPart(clientId, part)),
  ...[...changes.clocks].map((clock) => moveSandboxClock(clientId, clock)),
  ...[...changes.audited].flatMap((entry) => insertAudit(clientId, entry)),
];

export interface LaneResources {
  pools: NodePools;
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  activeCache: ActiveCache;
  isDatabaseUp(): boolean;
}

export const openLanes = (resources: LaneResources, settings: LaneSettings, observer: LaneObserver<Committed>): Lanes =>
  engine.openLanes(
    { pools: resources.pools, isDatabaseUp: resources.isDatabaseUp, batches: batchRunnerOf(resources) },
    settings,
    observer,
  ) as Lanes;

const batchRunnerOf = ({ definitions, profileOf, activeCache }: LaneResources): BatchRunner<Command, Committed> => ({
  run: (connection, shares, mayWait) =>
    runBatch(
      { connection, definitions, activeCache },
      shares.map(({ clientId, commands }) => ({ clientId, commands, partner: profileOf(clientId) })),
      mayWait,
    ),
  forget: activeCache.forget,
});
