import type { Access } from '../../engine/access.ts';
import type { Share as EngineShare } from '../../engine/attempts.ts';
import { findSandboxClock, findTimeAndHead } from '../../engine/clock.ts';
import type { Connection } from '../../engine/connection.ts';
import { LostRace } from '../../engine/faults.ts';
import { ask, type Statement } from '../../engine/statement.ts';
import type { TripResults } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { Instant } from '../../primitives/amounts.ts';
import { businessNowOf } from '../../primitives/sandbox-clock.ts';
import { countCampaignPlayers, findCampaignPlayers, findCampaignStates } from '../campaigns/sql/campaigns.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import {
  findChangingFreeBets,
  findExistingFreeBets,
  findExistingFreeBetsAndTime,
  freeBetOfRow,
  type HashedFreeBetRow,
} from '../free-bets/sql.ts';
import { findJobParts, findJobs } from '../jobs/sql/jobs.ts';
import { findJobQuota } from '../jobs/sql/quota.ts';
import { findBets, listStandingBets } from '../rounds/sql.ts';
import type { Command } from './command.ts';
import { needsOfAll } from './decide.ts';
import { inLockOrder } from './lock-order.ts';
import { changesFreeBets, type RowKeys, rowKeysOf } from './needs.ts';
import {
  addBet,
  type CampaignPlayer,
  campaignPlayerKey,
  emptyWorkingSet,
  jobPartKey,
  type WorkingSet,
} from './working-set.ts';

// Loads the rows that commands need and builds the working set from them. The check whether a new free bet already
// exists comes after the lock on its campaign. Otherwise an equal request on another server could take the last free
// bet of the limit in between, and this one would be refused.

export interface Share extends EngineShare<Command> {
  partner: PartnerProfile;
}

export interface Loaded {
  share: Share;
  working: WorkingSet;
  now: Instant;
  /** Whether the partner has an event head, which inserts of several rows need. */
  hasHead: boolean;
}

export interface Load {
  statements: Statement[];
  /** Throws LostRace if the rows are inconsistent, because another server changed them meanwhile. */
  open(answers: TripResults, connection: Connection, definitions: CampaignDefinitions): Promise<Loaded>;
}

/** Leaves out statements that can't find anything, because each costs the database 15 to 30 µs. */
export function loadOf(share: Share, access: Access, isCluster = true): Load {
  const { clientId } = share;
  const keys = rowKeysOf(needsOfAll(share.commands));
  const findAllJobs = keys.jobIds.length > 0 ? findJobs(access, clientId, keys) : undefined;
  const findParts = findJobParts(clientId, keys);
  const quota = keys.jobQuota ? findJobQuota(access, clientId) : undefined;
  const isChanging = changesFreeBets(keys);
  const findChanging = isChanging ? findChangingFreeBets(access, clientId, keys) : undefined;
  const isStateNeeded = isChanging || keys.campaignIds.length > 0;
  const findStates = isStateNeeded ? findCampaignStates(access, clientId, keys) : undefined;
  const isClockNeeded = share.partner.isSandbox || keys.clock !== null;
  const findClock = isClockNeeded ? findSandboxClock(access, clientId, keys.clock ?? 'known') : undefined;
  const timeAndExisting = findTimeAndExisting(clientId, keys, isCluster);
  const isPlayerNeeded = keys.campaignPlayers.length + keys.givenBackIssueIds.length > 0;
  const findPlayers = isPlayerNeeded ? findCampaignPlayers(clientId, keys) : undefined;
  const findAllBets = [
    ...findBets(clientId, keys),
    ...keys.shownIssueIds.map((issueId) => listStandingBets(clientId, issueId)),
  ];

  return {
    statements: [
      ...inLockOrder({
        jobs: findAllJobs && [findAllJobs],
        job_quotas: quota?.statements,
        free_bets: findChanging && [findChanging],
        campaign_states: findStates && [findStates],
        sandbox_clocks: findClock && [findClock],
      }),
      ...findParts,
      ...timeAndExisting.statements,
      ...(findPlayers ? [findPlayers] : []),
      ...findAllBets,
    ],
    async open(answers, connection, definitions) {
      const changing = new Map((findChanging ? answers.of(findChanging) : []).map((row) => [row.issue_id, row]));
      const { worldNow, hasHead, existing } = timeAndExisting.of(answers);
      const clock = findClock && answers.of(findClock)(worldNow);
      const asked = new Set(keys.changingIssueIds);
      // Another server issued the free bet after the statement that should lock it. Start again to lock it.
      if (existing.some((row) => asked.has(row.issue_id) && !changing.has(row.issue_id))) throw new LostRace();
      const freeBetRows = [...changing.values(), ...existing.filter((row) => !changing.has(row.issue_id))];

      const working = emptyWorkingSet(share.partner);
      working.clock = clock ?? null;
      const states = findStates ? answers.of(findStates) : new Map();
      await addCampaigns(working, states, freeBetRows, (ids) => definitions.load(connection, clientId, ids));
      for (const bet of findAllBets.flatMap((statement) => answers.of(statement))) {
        // Another server placed the bet after the statement that should lock its free bet. Start again to load both.
        if (bet.issueId !== null && !changing.has(bet.issueId)) throw new LostRace();
        addBet(working, bet);
      }
      addPlayers(working, findPlayers ? answers.of(findPlayers) : []);
      const uncounted = uncountedPlayers(working, keys);
      if (uncounted.length > 0) addPlayers(working, await ask(connection, countCampaignPlayers(clientId, uncounted)));
      if (quota) working.jobQuota = { ...answers.of(quota.sum) };
      for (const job of findAllJobs ? answers.of(findAllJobs) : []) working.jobs.set(job.jobId, job);
      for (const row of findParts.flatMap((statement) => answers.of(statement))) {
        working.jobParts.set(jobPartKey(row.job_id, row.part), { contentHash: row.content_hash });
      }
      return { share, working, now: businessNowOf(clock ?? { worldNow, aheadMs: 0 }), hasHead };
    },
  };
}

/**
 * The time, and which of the new free bets already exist: one statement, or two on a cluster, which caches the plans of
 * these.
 */
function findTimeAndExisting(clientId: number, keys: RowKeys, isCluster: boolean) {
  if (keys.newIssueIds.length > 0 && !isCluster) {
    const both = findExistingFreeBetsAndTime(clientId, keys);
    return { statements: [both], of: (answers: TripResults) => answers.of(both) };
  }
  const time = findTimeAndHead(clientId);
  const existing = keys.newIssueIds.length > 0 ? [findExistingFreeBets(clientId, keys)] : [];
  return {
    statements: [time, ...existing],
    of: (answers: TripResults) => ({
      ...answers.of(time),
      existing: existing.flatMap((statement) => answers.of(statement)),
    }),
  };
}

function addPlayers(working: WorkingSet, players: readonly CampaignPlayer[]): void {
  for (const player of players)
    working.campaignPlayers.set(campaignPlayerKey(player.campaignId, player.playerId), player);
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

/** Adds the campaigns with their definitions. Free bets need these too, for their terms. */
async function addCampaigns(
  working: WorkingSet,
  states: ReturnType<ReturnType<typeof findCampaignStates>['read']>,
  freeBetRows: HashedFreeBetRow[],
  define: (ids: string[]) => ReturnType<CampaignDefinitions['load']>,
): Promise<void> {
  const ofFreeBets = freeBetRows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await define([...states.keys(), ...ofFreeBets]);
  for (const [campaignId, state] of states) {
    const campaign = campaigns.get(campaignId);
    if (campaign === undefined) throw new Error(`campaign ${campaignId} has a state and no definition`);
    working.campaigns.set(campaignId, { campaign, state });
  }
  for (const row of freeBetRows) {
    working.freeBets.set(row.issue_id, { ...freeBetOfRow(row, campaigns), contentHash: row.content_hash });
  }
}
