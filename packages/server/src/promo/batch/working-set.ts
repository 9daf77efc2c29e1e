import assert from 'node:assert';
import type { AuditEntry } from '../../audit/entry.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { SandboxClock } from '../../primitives/sandbox-clock.ts';
import type { Campaign, CampaignCounts, CampaignState } from '../campaigns/campaign.ts';
import { type FreeBet, freeBetSnapshot, remainingOf } from '../free-bets/free-bet.ts';
import type { Job, JobPart, JobQuota, JobRefusals } from '../jobs/job.ts';
import { type Bet, betSnapshot, type PlacedBet } from '../rounds/bet.ts';
import type { BetEvent, CampaignEvent, EmittedEvent, FreeBetEvent, JobEvent } from './event.ts';

// The working set of one partner in a batch: the loaded and locked rows, and the changes of its commands. Only `decide`
// changes it. The batch then writes everything in `changes`.

export interface CampaignEntry {
  campaign: Campaign;
  state: CampaignState;
}

export interface CampaignPlayer {
  campaignId: string;
  playerId: string;
  /** The player's free bets of this campaign that are issued and not cancelled. */
  held: number;
  /** Whether the row exists. */
  isStored: boolean;
}

/** The amounts that a batch adds to the totals of a campaign in one currency. */
export interface TotalsChange {
  campaignId: string;
  currency: string;
  /** Bets that may still win: unused bets of active free bets, and unsettled bets. */
  openBets: number;
  winnings: bigint;
}

export interface WorkingSet {
  partner: PartnerProfile;
  campaigns: Map<string, CampaignEntry>;
  campaignPlayers: Map<string, CampaignPlayer>;
  freeBets: Map<string, FreeBet>;
  bets: Map<string, Bet>;
  /** The keys of the loaded bets of each free bet. */
  betKeysOf: Map<string, Set<string>>;
  /** Null for a partner that isn't a sandbox. */
  clock: SandboxClock | null;
  jobs: Map<string, Job>;
  /** The sums of the partner's unfinished jobs, if a command needs them. */
  jobQuota: JobQuota;
  /** The content hashes of existing parts, which reveal different content under the same number. */
  jobParts: Map<string, { contentHash: string }>;
  changes: {
    newCampaigns: Set<CampaignEntry>;
    campaigns: Set<CampaignEntry>;
    campaignPlayers: Set<CampaignPlayer>;
    newFreeBets: Set<FreeBet>;
    freeBets: Set<FreeBet>;
    newBets: Set<Bet>;
    bets: Set<Bet>;
    totals: Map<string, TotalsChange>;
    clocks: Set<SandboxClock>;
    newJobs: Set<Job>;
    jobs: Set<Job>;
    newJobParts: Set<JobPart>;
    removedJobParts: Set<{ jobId: string; part: number }>;
    jobRefusals: Set<JobRefusals>;
    /** Changes by staff. */
    audited: Set<AuditEntry>;
    /** Events in the order in which they happened. */
    emitted: Set<EmittedEvent>;
  };
}

export const campaignPlayerKey = (campaignId: string, playerId: string): string => `${campaignId}\0${playerId}`;

export const betKey = (providerId: string, betId: string): string => `${providerId}\0${betId}`;

export const jobPartKey = (jobId: string, part: number): string => `${jobId}/${part}`;

export function emptyWorkingSet(partner: PartnerProfile): WorkingSet {
  return {
    partner,
    campaigns: new Map(),
    campaignPlayers: new Map(),
    freeBets: new Map(),
    bets: new Map(),
    betKeysOf: new Map(),
    clock: null,
    jobs: new Map(),
    jobQuota: { jobs: 0, bytes: 0 },
    jobParts: new Map(),
    changes: {
      newCampaigns: new Set(),
      campaigns: new Set(),
      campaignPlayers: new Set(),
      newFreeBets: new Set(),
      freeBets: new Set(),
      newBets: new Set(),
      bets: new Set(),
      totals: new Map(),
      clocks: new Set(),
      newJobs: new Set(),
      jobs: new Set(),
      newJobParts: new Set(),
      removedJobParts: new Set(),
      jobRefusals: new Set(),
      audited: new Set(),
      emitted: new Set(),
    },
  };
}

export function isUnchanged({ changes }: WorkingSet): boolean {
  for (const name in changes) if (changes[name as keyof typeof changes].size > 0) return false;
  return true;
}

/**
 * Whether the changes are only rollbacks of bets that were not placed yet. These are stored for any partner id that a
 * provider names, even one that does not exist, and cause no background work.
 */
export function hasOnlyEarlyRollbacks({ changes }: WorkingSet): boolean {
  for (const name in changes) {
    if (name !== 'newBets' && changes[name as keyof typeof changes].size > 0) return false;
  }
  return [...changes.newBets].every(({ issueId }) => issueId === null);
}

/** Adds a loaded or placed bet. Several commands may load the same bet. */
export function addBet({ bets, betKeysOf }: WorkingSet, bet: Bet): void {
  const key = betKey(bet.providerId, bet.betId);
  bets.set(key, bet);
  if (bet.issueId === null) return;
  const keys = betKeysOf.get(bet.issueId);
  if (keys === undefined) betKeysOf.set(bet.issueId, new Set([key]));
  else keys.add(key);
}

export function changeFreeBet(working: WorkingSet, freeBet: FreeBet): void {
  working.changes.freeBets.add(freeBet);
}

export function changeJob({ changes }: WorkingSet, job: Job): void {
  if (!changes.newJobs.has(job)) changes.jobs.add(job);
}

const isCount: Record<keyof CampaignCounts, true> = {
  issued: true,
  cancelled: true,
  expired: true,
  finished: true,
  betsPlaced: true,
};
const countNames = Object.keys(isCount) as (keyof CampaignCounts)[];

/** Adds to the counts and totals of the campaign of a free bet, if it has one. */
export function tally(
  working: WorkingSet,
  freeBet: FreeBet,
  counts: Partial<CampaignCounts> & { openBets?: number; winnings?: bigint },
): void {
  if (freeBet.campaignId === null) return;
  const entry = working.campaigns.get(freeBet.campaignId);
  assert(entry, `the campaign of free bet ${freeBet.issueId} was not loaded`);
  const { openBets = 0, winnings = 0n } = counts;
  for (const name of countNames) {
    const by = counts[name] ?? 0;
    if (by === 0) continue;
    entry.state[name] += by;
    working.changes.campaigns.add(entry);
  }
  if (openBets === 0 && winnings === 0n) return;
  const { campaignId } = entry.campaign;
  const { currency } = freeBet;
  const key = `${campaignId}\0${currency}`;
  const change = working.changes.totals.get(key) ?? { campaignId, currency, openBets: 0, winnings: 0n };
  change.openBets += openBets;
  change.winnings += winnings;
  working.changes.totals.set(key, change);
}

/** Counts and emits that the remaining bets of a free bet can no longer be used. */
export function closeRemaining(working: WorkingSet, freeBet: FreeBet, as: 'cancelled' | 'expired'): void {
  tally(working, freeBet, { [as]: 1, openBets: -remainingOf(freeBet) });
  emitFreeBetEvent(working, `freebet.${as}`, freeBet);
}

// Events hold copies, because later commands change the working set.

export function emitFreeBetEvent(working: WorkingSet, type: FreeBetEvent['type'], freeBet: FreeBet): void {
  working.changes.emitted.add({ type, freeBet: freeBetSnapshot(freeBet) });
}

export function emitBetEvent(working: WorkingSet, type: BetEvent['type'], freeBet: FreeBet, bet: PlacedBet): void {
  working.changes.emitted.add({ type, freeBet: freeBetSnapshot(freeBet), bet: betSnapshot(bet) });
}

export function emitCampaignEvent(
  working: WorkingSet,
  type: CampaignEvent['type'],
  { campaign, state }: CampaignEntry,
): void {
  working.changes.emitted.add({ type, campaign, state: { ...state } });
}

export function emitJobEvent(working: WorkingSet, type: JobEvent['type'], job: Job): void {
  const { contentHash: _, attempts: __, bytes: ___, ...snapshot } = job;
  working.changes.emitted.add({ type, job: snapshot });
}
