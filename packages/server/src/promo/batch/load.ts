import type { Access } from '../../engine/access.ts';
import type { Share as EngineShare } from '../../engine/attempts.ts';
import { findEventHeads, findSandboxClocks, lockEventHeads, readWorldNow } from '../../engine/clock.ts';
import type { Connection } from '../../engine/connection.ts';
import type { ByPartner } from '../../engine/rows.ts';
import { ask, clientIdsOf, type Statement } from '../../engine/statement.ts';
import type { TripResults } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { Instant } from '../../primitives/amounts.ts';
import { businessNowOf } from '../../primitives/sandbox-clock.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import {
  countCampaignPlayers,
  findCampaignPlayers,
  findCampaignStates,
  findStatesOfBets,
  findStatesOfFreeBets,
  playerOfRow,
  stateOfRow,
} from '../campaigns/sql/campaigns.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { findFreeBets, findFreeBetsAndHeld, freeBetOfRow, type HashedFreeBetRow } from '../free-bets/sql.ts';
import { findJobParts, findJobs, findPartsOfJobs, jobOfRow } from '../jobs/sql/jobs.ts';
import { findJobQuotas } from '../jobs/sql/quota.ts';
import { betOfRow, findBets, findBetsAndFreeBets, findStandingBets } from '../rounds/sql.ts';
import type { Command } from './command.ts';
import { needsOfAll } from './decide.ts';
import { type RowKeys, rowKeysOf } from './needs.ts';
import {
  addBet,
  type CampaignPlayer,
  campaignPlayerKey,
  emptyWorkingSet,
  jobPartKey,
  type WorkingSet,
} from './working-set.ts';

// Loads the rows that the commands of all shares need, and builds the working sets from them. The event heads are
// locked first, so later reads stay valid. The time is read last, so that the events of a partner are
// in the order of their times.

export interface Share extends EngineShare<Command> {
  partner: PartnerProfile;
}

export interface Loaded {
  share: Share;
  working: WorkingSet;
  now: Instant;
  /** The number of the partner's last event; undefined if the partner has no event head. */
  lastSequence: number | undefined;
}

export interface Load {
  statements: Statement[];
  /** Leaves out the shares whose partners another transaction holds, if `ifLocked` was `skip`. */
  open(answers: TripResults, connection: Connection, definitions: CampaignDefinitions): Promise<Loaded[]>;
}

/** The rows that were read, by partner. */
type Found<Row> = ReadonlyMap<number, readonly Row[]>;

interface Reading<Row> {
  statements: Statement[];
  of(answers: TripResults): Found<Row>;
}

/** The keys of each partner that has some. */
function keysOf<Key>(
  wanted: readonly Wanted[],
  select: (keys: RowKeys) => readonly Key[],
): Map<number, readonly Key[]> {
  const found = new Map<number, readonly Key[]>();
  for (const { share, keys } of wanted) {
    const some = select(keys);
    if (some.length > 0) found.set(share.clientId, some);
  }
  return found;
}

interface Wanted {
  share: Share;
  keys: RowKeys;
}

/**
 * The shares are sorted by partner id. With `lock`, the rows stay as they are until the transaction ends. `skip` leaves
 * out partners that another transaction holds, instead of waiting for them.
 */
export function loadOf(shares: readonly Share[], access: Access, ifLocked: 'wait' | 'skip' = 'wait'): Load {
  const wanted = shares.map((share): Wanted => ({ share, keys: rowKeysOf(needsOfAll(share.commands)) }));
  const clientIds = shares.map(({ clientId }) => clientId);
  const lock = access === 'lock' ? lockEventHeads(clientIds, ifLocked) : undefined;
  const readings = readingsOf(wanted);
  const sandboxes = wanted.filter(({ share, keys }) => share.partner.isSandbox || keys.clock);
  const clocks = sandboxes.length > 0 ? findSandboxClocks(sandboxes.map(({ share }) => share.clientId)) : undefined;
  const time = readWorldNow();
  const statements = Object.values(readings).flatMap((each) => each.statements);
  return {
    statements: [...(lock ? [lock] : []), ...statements, ...(clocks ? [clocks] : []), time],
    async open(answers, connection, definitions) {
      const heads = lock && new Map(answers.of(lock).map((head) => [head.client_id, head.last_sequence]));
      const unlocked = ifLocked === 'wait' ? [] : clientIds.filter((clientId) => !heads?.has(clientId));
      const held = await existingAmong(unlocked, connection);
      const clockOf = clocks && answers.of(clocks);
      const worldNow = answers.of(time);
      const found = foundIn(readings, answers);
      const campaigns = await definitions.loadAll(connection, campaignIdsIn(found));
      const loaded = wanted
        .filter(({ share }) => !held.has(share.clientId))
        .map(({ share, keys }) => {
          const { clientId, partner } = share;
          const working = workingSetOf(found, clientId, partner, campaigns.get(clientId) ?? new Map());
          working.clock = clockOf?.get(clientId)?.(worldNow) ?? null;
          const now = businessNowOf(working.clock ?? { worldNow, aheadMs: 0 });
          return { share, keys, working, now, lastSequence: heads?.get(clientId) };
        });
      await addJobs(loaded, access, connection);
      await addUncounted(loaded, connection);
      return loaded;
    },
  };
}

/** The partners that exist. An early rollback may name another one, which has no head to lock. */
const existingAmong = async (clientIds: readonly number[], connection: Connection): Promise<ReadonlySet<number>> =>
  new Set(clientIds.length === 0 ? [] : clientIdsOf(await ask(connection, findEventHeads(clientIds))));

function readingsOf(wanted: readonly Wanted[]) {
  /** Sends no statement if there are no keys, because each costs the database 15 to 30 µs. */
  const reading = <Key, Row extends { client_id: number }>(
    find: (keys: ByPartner<Key>) => Statement<Row[]>,
    select: (keys: RowKeys) => readonly Key[],
  ): Reading<Row> => {
    const keys = keysOf(wanted, select);
    if (keys.size === 0) return { statements: [], of: () => new Map() };
    const statement = find(keys);
    return { statements: [statement], of: (answers) => Map.groupBy(answers.of(statement), (row) => row.client_id) };
  };
  return {
    parts: reading(findJobParts, (keys) => keys.jobParts),
    partsOfJobs: reading(findPartsOfJobs, (keys) => keys.partsOfJobIds),
    quotas: reading(findJobQuotas, (keys) => (keys.jobQuota ? [0] : [])),
    freeBets: reading(findFreeBets, (keys) => keys.issueIdsWithoutHeld),
    freeBetsAndHeld: reading(findFreeBetsAndHeld, (keys) => keys.givenBackIssueIds),
    states: reading(findCampaignStates, (keys) => keys.campaignIds),
    statesOfFreeBets: reading(findStatesOfFreeBets, (keys) => keys.changingIssueIds),
    statesOfBets: reading(findStatesOfBets, (keys) => keys.betsWithFreeBet),
    players: reading(findCampaignPlayers, (keys) => keys.campaignPlayers),
    bets: reading(findBets, (keys) => keys.betsAlone),
    betsAndFreeBets: reading(findBetsAndFreeBets, (keys) => keys.betsWithFreeBet),
    standingBets: reading(findStandingBets, (keys) => keys.shownIssueIds),
  };
}

type Readings = ReturnType<typeof readingsOf>;
type AllFound = { [Name in keyof Readings]: ReturnType<Readings[Name]['of']> };

const foundIn = (readings: Readings, answers: TripResults) =>
  Object.fromEntries(Object.entries(readings).map(([name, each]) => [name, each.of(answers)])) as AllFound;

/** The campaigns with a state, and those of the free bets, which need their terms. */
function campaignIdsIn({
  freeBets,
  freeBetsAndHeld,
  betsAndFreeBets,
  states,
  statesOfFreeBets,
  statesOfBets,
}: AllFound) {
  const ids = new Map<number, string[]>();
  for (const found of [freeBets, freeBetsAndHeld, betsAndFreeBets, states, statesOfFreeBets, statesOfBets]) {
    for (const [clientId, rows] of found) {
      const some = ids.getOrInsertComputed(clientId, () => []);
      for (const row of rows) if ('campaign_id' in row && row.campaign_id !== null) some.push(row.campaign_id);
    }
  }
  return ids;
}

function workingSetOf(
  found: AllFound,
  clientId: number,
  partner: PartnerProfile,
  campaigns: ReadonlyMap<string, Campaign>,
): WorkingSet {
  const of = <Row>(some: Found<Row>): readonly Row[] => some.get(clientId) ?? [];
  const working = emptyWorkingSet(partner);
  for (const row of [...of(found.states), ...of(found.statesOfFreeBets), ...of(found.statesOfBets)]) {
    const campaign = campaigns.get(row.campaign_id);
    if (campaign === undefined) throw new Error(`campaign ${row.campaign_id} has a state and no definition`);
    working.campaigns.set(row.campaign_id, { campaign, state: stateOfRow(row) });
  }
  const addFreeBet = (row: HashedFreeBetRow) =>
    working.freeBets.set(row.issue_id, { ...freeBetOfRow(row, campaigns), contentHash: row.content_hash });
  for (const row of of(found.freeBets)) addFreeBet(row);
  for (const row of of(found.freeBetsAndHeld)) {
    addFreeBet(row);
    const { campaign_id, held } = row;
    if (campaign_id !== null && held !== null) addPlayer(working, playerOfRow({ ...row, campaign_id, held }));
  }
  for (const row of of(found.betsAndFreeBets)) {
    if (row.issue_id !== null) addFreeBet(row);
    addBet(working, betOfRow({ ...row, content_hash: row.bet_hash }));
  }
  for (const row of [...of(found.bets), ...of(found.standingBets)]) addBet(working, betOfRow(row));
  for (const row of of(found.players)) addPlayer(working, playerOfRow(row));
  for (const { jobs, bytes } of of(found.quotas)) working.jobQuota = { jobs, bytes };
  for (const row of [...of(found.parts), ...of(found.partsOfJobs)]) {
    working.jobParts.set(jobPartKey(row.job_id, row.part), { contentHash: row.content_hash });
  }
  return working;
}

const addPlayer = ({ campaignPlayers }: WorkingSet, player: CampaignPlayer): void =>
  void campaignPlayers.set(campaignPlayerKey(player.campaignId, player.playerId), player);

/**
 * Jobs are locked, and sorted by id, because their leases change outside of batches. They are read once the heads are
 * locked, so that a shared batch doesn't wait for jobs of partners that it leaves out.
 */
async function addJobs(loaded: readonly (Loaded & Wanted)[], access: Access, connection: Connection): Promise<void> {
  const wanted = keysOf(loaded, (keys) => keys.jobIds.toSorted());
  if (wanted.size === 0) return;
  const found = Map.groupBy(await ask(connection, findJobs[access](wanted)), (row) => row.client_id);
  for (const { share, working } of loaded) {
    for (const row of found.get(share.clientId) ?? []) working.jobs.set(row.job_id, jobOfRow(row));
  }
}

async function addUncounted(loaded: readonly (Loaded & Wanted)[], connection: Connection): Promise<void> {
  const uncounted = new Map<number, RowKeys['campaignPlayers']>();
  for (const { share, working, keys } of loaded) {
    const some = uncountedPlayers(working, keys);
    if (some.length > 0) uncounted.set(share.clientId, some);
  }
  if (uncounted.size === 0) return;
  const counted = Map.groupBy(await ask(connection, countCampaignPlayers(uncounted)), (row) => row.client_id);
  for (const { share, working } of loaded) {
    for (const row of counted.get(share.clientId) ?? []) addPlayer(working, { ...playerOfRow(row), isStored: false });
  }
}

/**
 * The players whose held count may change or matter but is not stored. Counts are missing if a campaign was created
 * without a per-player cap and its limits were changed later or are about to change.
 */
function uncountedPlayers(working: WorkingSet, keys: RowKeys): RowKeys['campaignPlayers'] {
  const changing = new Set(keys.changingLimitsIds);
  const isUncounted = (campaignId: string) => {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined || entry.campaign.bonusLimitPerUser !== null) return false;
    return entry.state.changedLimits !== null || changing.has(campaignId);
  };
  if (![...working.campaigns.keys()].some(isUncounted)) return [];
  const ofGivenBack = keys.givenBackIssueIds.flatMap((issueId) => {
    const { campaignId = null, playerId = '' } = working.freeBets.get(issueId) ?? {};
    return campaignId === null ? [] : [{ campaignId, playerId }];
  });
  const named = [...keys.campaignPlayers, ...ofGivenBack].filter(({ campaignId }) => isUncounted(campaignId));
  const byKey = new Map(named.map((player) => [campaignPlayerKey(player.campaignId, player.playerId), player]));
  return [...byKey].filter(([key]) => !working.campaignPlayers.has(key)).map(([, player]) => player);
}
