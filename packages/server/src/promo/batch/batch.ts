import assert from 'node:assert/strict';
import type { PoolClient } from 'pg';
import { findActiveSessions, insertAudit } from '../../audit/sql.ts';
import type { ActiveCache } from '../../background/active.ts';
import { markActive } from '../../background/sql/due.ts';
import type { BatchRunner, BatchTimes, LaneObserver, ShareResult } from '../../engine/attempts.ts';
import { insertEventHead, moveEventHead, moveSandboxClock, pinShard } from '../../engine/clock.ts';
import { hasManyNodes, type NodePools } from '../../engine/connection.ts';
import * as engine from '../../engine/lanes.ts';
import { asOneStatement, type Statement } from '../../engine/statement.ts';
import { begin, commit, inOneTrip, limitLockWait, rollback, type TripResults } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import { type Outcome, refuse } from '../../primitives/outcome.ts';
import { insertCampaigns, saveCampaignPlayers, updateCampaigns } from '../campaigns/sql/campaigns.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { findExistingFreeBets, insertFreeBets, updateFreeBets } from '../free-bets/sql.ts';
import { insertJobParts, insertJobs, removeJobPart, updateJobs } from '../jobs/sql/jobs.ts';
import { insertJobRefusals } from '../jobs/sql/refusals.ts';
import { findBets, insertBets, updateBets } from '../rounds/sql.ts';
import type { Command, Lanes } from './command.ts';
import { decide, needsOfAll } from './decide.ts';
import type { EmittedEvent } from './event.ts';
import { type Loaded, loadOf, type Share } from './load.ts';
import { inLockOrder } from './lock-order.ts';
import { rowKeysOf } from './needs.ts';
import { type Head, insertEvents } from './sql/events.ts';
import { betKey, hasOnlyEarlyRollbacks, isUnchanged, type WorkingSet } from './working-set.ts';

// Runs many commands, of one partner or of several, in one transaction. It takes two round trips: begin and load, then
// write and commit. It takes more if campaign definitions are not cached yet, and one more on a cluster for the event
// numbers. Every statement names one partner. lock-order.ts has the order of the locks.

interface BatchContext {
  connection: PoolClient;
  definitions: CampaignDefinitions;
  /** Partners that need not be marked active again. */
  activeCache?: ActiveCache;
  /**
   * Whether the database is a Citus cluster. If unknown, the batch does what Citus needs, but not what is only faster
   * there.
   */
  isCluster?: boolean;
  /** Up to this many rows are sent as plain values. */
  maxInlineRows?: number;
}

export interface Committed extends ShareResult<Command> {
  emitted: ReadonlySet<EmittedEvent>;
}

type Decided = Omit<Committed, 'lostIdRace'>;

/** The shares are sorted by partner id. */
export async function runBatch(
  context: BatchContext,
  shares: readonly Share[],
): Promise<{ committed: Committed[]; times: BatchTimes }> {
  const began = performance.now();
  if (shares.length === 0) return { committed: [], times: { loadMs: 0, commitMs: 0 } };
  const opening = [begin(), ...(shares.length > 1 ? [limitLockWait(sharedLockWaitMs)] : [])];
  const { loaded, sessions } = await load(context, opening, shares);
  const decided = loaded.map((each) => decideAll(each, sessions));
  const decidedAt = performance.now();
  const rechecks = decided.map(({ isChanged, outcomes }, i) =>
    isChanged ? recheckOf(loaded[i] as Loaded, outcomes) : undefined,
  );
  const answers = await writeAndCommit(
    context,
    loaded.filter((_, i) => decided[i]?.isChanged),
    rechecks.flatMap((recheck) => recheck?.statements ?? []),
  );
  const committed = decided.map((one, i) => ({
    ...one,
    lostIdRace: rechecks[i]?.lostIdRace(answers) ?? new Set<Command>(),
  }));
  return { committed, times: { loadMs: decidedAt - began, commitMs: performance.now() - decidedAt } };
}

/**
 * Runs a batch inside the caller's transaction. Sends the `opening` statements before the loads, in the same round
 * trip.
 */
export async function runBatchWithin(context: BatchContext, opening: Statement[], share: Share): Promise<Decided> {
  const { loaded, sessions } = await load(context, opening, [share]);
  const [decided] = loaded.map((each) => decideAll(each, sessions)) as [Decided];
  await inOneTrip(context.connection, allWritesOf(loaded, [share.clientId]));
  return decided;
}

/**
 * The writes of commands that the caller has decided on these rows, for the transaction that holds the locks. The
 * caller marks the partner active.
 */
export const writesOf = (loaded: Loaded): Statement[] => allWritesOf([loaded], []);

const decideAll = ({ share, working, now }: Loaded, sessions: ReadonlySet<string>): Decided => ({
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

/** How long a shared transaction waits for a lock before each of its partners gets a transaction of its own. */
const sharedLockWaitMs = 100;

async function load(
  { connection, definitions, isCluster, maxInlineRows }: BatchContext,
  opening: Statement[],
  shares: readonly Share[],
): Promise<{ loaded: Loaded[]; sessions: ReadonlySet<string> }> {
  const keeping = (isCluster ?? true) ? shares.map(({ clientId }) => pinShard(clientId)) : [];
  const loads = shares.map((share) => loadOf(share, 'lock', isCluster));
  const sessionIds = sessionIdsIn(shares);
  // After the statements that lock, because a session may be revoked while they wait.
  const asking = sessionIds.length > 0 ? findActiveSessions(sessionIds) : undefined;
  const statements = [...opening, ...keeping, ...loads.flatMap((each) => each.statements), ...(asking ? [asking] : [])];
  const answers = await inOneTrip(connection, statements, { maxInlineRows });
  const loaded: Loaded[] = [];
  for (const { open } of loads) loaded.push(await open(answers, connection, definitions));
  return { loaded, sessions: asking ? answers.of(asking) : new Set() };
}

async function writeAndCommit(
  context: BatchContext,
  changed: Loaded[],
  rechecks: readonly Statement[],
): Promise<TripResults> {
  const { connection, activeCache, isCluster } = context;
  // Nothing changed, for example because a limit is reached. A rollback avoids the wait for the disk.
  if (changed.length === 0) return inOneTrip(connection, [rollback()]);
  const committing = commit();
  const sentAt = performance.now();
  const inactive = changed
    .filter(({ share, working }) => !hasOnlyEarlyRollbacks(working) && !activeCache?.has(share.clientId))
    .map(({ share }) => share.clientId);
  const last = isCluster
    ? await writeWithNumbers(context, changed, inactive)
    : allWritesOf(changed, inactive, isCluster);
  const answers = await inOneTrip(connection, [...last, ...rechecks, committing]);
  // PostgreSQL reports ROLLBACK for the COMMIT of a failed transaction. A statement has failed before that, though.
  assert.equal(answers.of(committing), 'COMMIT', 'the transaction was not committed');
  activeCache?.add(inactive, sentAt);
  return answers;
}

/**
 * On a cluster, and if it is unknown, one statement moves the event head before the events: Citus can't run both in one
 * statement.
 */
const allWritesOf = (changed: Loaded[], inactive: readonly number[], isCluster = true): Statement[] => [
  ...insertsOfAll(changed),
  ...inLockOrder({
    audit_heads: changed.flatMap(auditsOf),
    event_heads: changed.flatMap((loaded) => {
      const { otherBets, updates } = updatesOf(loaded);
      const events = eventsOf(loaded, isCluster ? 'moved' : 'moving');
      return isCluster
        ? [...otherBets, ...asOneStatement(updates), ...events]
        : [...otherBets, ...asOneStatement([...updates, ...events.slice(0, 1)]), ...events.slice(1)];
    }),
    due_partners: inactive.map(markActive),
  }),
];

/**
 * Writes everything except the events, and returns their statements. Citus caches the plan of a statement of one table
 * with plain values, and plans any other statement each time. An extra round trip for the event numbers costs less than
 * that.
 */
async function writeWithNumbers(
  { connection, maxInlineRows }: BatchContext,
  changed: Loaded[],
  inactive: readonly number[],
): Promise<Statement[]> {
  const updating = changed.map((loaded) => ({ loaded, ...updatesOf(loaded) }));
  const statements = [
    ...insertsOfAll(changed),
    ...inLockOrder({
      audit_heads: changed.flatMap(auditsOf),
      event_heads: updating.flatMap(({ otherBets, updates }) => [...otherBets, ...updates]),
    }),
  ];
  const answers = await inOneTrip(connection, statements, { maxInlineRows });
  const events = updating.flatMap(({ loaded, moved }) => (moved ? eventsOf(loaded, answers.of(moved)) : []));
  return [...events, ...inactive.map(markActive)];
}

const insertsOfAll = (changed: Loaded[]): Statement[] => [
  ...changed
    .filter(({ hasHead, working }) => !hasHead && !hasOnlyEarlyRollbacks(working))
    .map(({ share }) => insertEventHead(share.clientId)),
  ...changed.flatMap(insertsOf),
];

const auditsOf = ({ share, working }: Loaded): Statement[] =>
  [...working.changes.audited].flatMap((entry) => insertAudit(share.clientId, entry));

/** Inserts the new rows of the working set, in an order that foreign keys allow. */
function insertsOf(loaded: Loaded): Statement[] {
  const {
    share: { clientId },
    working: { changes },
    now,
  } = loaded;
  const statements: Statement[] = [];
  if (changes.newCampaigns.size > 0) statements.push(...insertCampaigns(clientId, [...changes.newCampaigns]));
  statements.push(...jobWritesOf(clientId, changes));
  statements.push(...saveCampaignPlayers(clientId, [...changes.campaignPlayers]));
  if (changes.newFreeBets.size > 0) statements.push(insertFreeBets(clientId, now, [...changes.newFreeBets]));
  statements.push(...betInsertsOf(loaded));
  statements.push(...[...changes.clocks].map((clock) => moveSandboxClock(clientId, clock)));
  return statements;
}

/** Inserts of several rows need the partner's event head. Without one, the bets are inserted one by one. */
function betInsertsOf({ share: { clientId }, working, hasHead }: Loaded): Statement[] {
  const bets = [...working.changes.newBets];
  if (bets.length === 0) return [];
  return hasHead || !hasOnlyEarlyRollbacks(working)
    ? [insertBets(clientId, bets)]
    : bets.map((bet) => insertBets(clientId, [bet]));
}

/** Updates the changed rows, which are locked, and moves the event head if there are events. */
function updatesOf({ share: { clientId }, working: { changes } }: Loaded) {
  const changedCampaigns = changes.campaigns.difference(changes.newCampaigns);
  // There is one statement per provider, and nearly all batches have bets of one provider only.
  const [bets, ...otherBets] = updateBets(clientId, [...changes.bets]);
  const moved = changes.emitted.size > 0 ? moveEventHead(clientId, changes.emitted.size) : undefined;
  const updates: Statement[] = [
    ...updateCampaigns(clientId, [...changedCampaigns], [...changes.totals.values()]),
    ...(changes.freeBets.size > 0 ? [updateFreeBets(clientId, [...changes.freeBets])] : []),
    ...(bets ? [bets] : []),
    ...(moved ? [moved] : []),
  ];
  return { otherBets, updates, moved };
}

const eventsOf = ({ share: { clientId }, working: { changes }, now }: Loaded, head: Head): Statement[] =>
  insertEvents(clientId, now, [...changes.emitted], head);

function jobWritesOf(clientId: number, changes: WorkingSet['changes']): Statement[] {
  const statements: Statement[] = [];
  if (changes.newJobs.size > 0) statements.push(insertJobs(clientId, [...changes.newJobs]));
  if (changes.jobs.size > 0) statements.push(updateJobs(clientId, [...changes.jobs]));
  if (changes.newJobParts.size > 0) statements.push(insertJobParts(clientId, [...changes.newJobParts]));
  for (const part of changes.removedJobParts) statements.push(removeJobPart(clientId, part));
  if (changes.jobRefusals.size > 0) statements.push(insertJobRefusals(clientId, [...changes.jobRefusals]));
  return statements;
}

// A batch can't lock a row that does not exist yet. If two servers create a row under one id, the primary key stops the
// second. A refused command creates no row, though. Its own batch may have reached the limit that refuses it, while by
// the event numbers another server used the id before that, so that the right error is `id_reused`. A batch that
// changes rows therefore looks up the ids of its refused issues and bets again after it has locked the event head, and
// runs the commands again whose ids now exist.
//
// This does not hold for the items of a job, whose refusals are written with the batch, nor for a job under an id that
// another server took, because no event shows it. They are refused by the rows that the batch has loaded.

interface Recheck {
  statements: Statement[];
  /** The commands whose ids another server has used. */
  lostIdRace(answers: TripResults): ReadonlySet<Command>;
}

/** For a batch that changes rows; undefined if it has no ids to look up. */
function recheckOf({ share, working }: Loaded, outcomes: readonly Outcome[]): Recheck | undefined {
  // Commands that create a row have the hash of their content.
  const refused = share.commands.filter((command, i) => !outcomes[i]?.ok && 'contentHash' in command);
  if (refused.length === 0) return undefined;
  const keys = rowKeysOf(needsOfAll(refused));
  const newIssueIds = keys.newIssueIds.filter((issueId) => !working.freeBets.has(issueId));
  const bets = keys.bets.filter(({ providerId, betId }) => !working.bets.has(betKey(providerId, betId)));
  if (newIssueIds.length + bets.length === 0) return undefined;
  const findFreeBets = newIssueIds.length > 0 ? [findExistingFreeBets(share.clientId, { newIssueIds })] : [];
  const findAllBets = findBets(share.clientId, { bets });
  return {
    statements: [...findFreeBets, ...findAllBets],
    lostIdRace(answers) {
      const issueIds = new Set(findFreeBets.flatMap((find) => answers.of(find)).map((row) => row.issue_id));
      const betKeys = new Set(
        findAllBets.flatMap((find) => answers.of(find)).map(({ providerId, betId }) => betKey(providerId, betId)),
      );
      const isOvertaken = (command: Command) =>
        needsOfAll([command]).some(
          ({ newIssueId = '', bet }) =>
            issueIds.has(newIssueId) || (bet !== undefined && betKeys.has(betKey(bet.providerId, bet.betId))),
        );
      return new Set(refused.filter(isOvertaken));
    },
  };
}

export interface LaneResources {
  pools: NodePools;
  definitions: CampaignDefinitions;
  profileOf(clientId: number): PartnerProfile;
  activeCache: ActiveCache;
  isDatabaseUp(): boolean;
}

export const openLanes = (
  resources: LaneResources,
  settings: engine.LaneSettings,
  observer: LaneObserver<Committed>,
): Lanes =>
  engine.openLanes(
    { pools: resources.pools, isDatabaseUp: resources.isDatabaseUp, batches: batchRunnerOf(resources) },
    settings,
    observer,
  ) as Lanes;

const batchRunnerOf = ({
  pools,
  definitions,
  profileOf,
  activeCache,
}: LaneResources): BatchRunner<Command, Committed> => ({
  run: (connection, shares) =>
    runBatch(
      { connection, definitions, activeCache, isCluster: hasManyNodes(pools), maxInlineRows: pools.maxInlineRows() },
      shares.map(({ clientId, commands }) => ({ clientId, commands, partner: profileOf(clientId) })),
    ),
  forget: activeCache.forget,
});
