import type { Instant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import { betKey, campaignPlayerKey, jobPartKey, type WorkingSet } from './working-set.ts';

/** The rows that the commands of a batch need, without duplicates. */
export interface RowKeys {
  campaignIds: string[];
  /** The campaigns among them whose limits may change. */
  changingLimitsIds: string[];
  /** Free bets that change if they exist, and whose campaigns change with them. */
  changingIssueIds: string[];
  /** The free bets among them that may stop counting against the per-player cap. */
  givenBackIssueIds: string[];
  /** The other free bets to load: those in `changingIssueIds` and `newIssueIds`. */
  issueIdsWithoutHeld: string[];
  /** Free bets that a command is about to issue, and that may already exist. */
  newIssueIds: string[];
  campaignPlayers: { campaignId: string; playerId: string }[];
  bets: { providerId: string; betId: string }[];
  /** The bets among them whose free bets are needed too, but not named by the command. */
  betsWithFreeBet: { providerId: string; betId: string }[];
  /** The other bets among them. */
  betsAlone: { providerId: string; betId: string }[];
  /** The free bets among `changingIssueIds` whose bets are all needed. */
  shownIssueIds: string[];
  /** Whether a command uses the clock of a sandbox. */
  clock: boolean;
  jobIds: string[];
  /** Whether the command needs the sums of the partner's unfinished jobs. */
  jobQuota: boolean;
  /** Parts that a command is about to add, and that may already exist. */
  jobParts: { jobId: string; part: number }[];
  /** Jobs whose parts are all needed. */
  partsOfJobIds: string[];
}

export function rowKeysOf(all: readonly Needs[]): RowKeys {
  const campaignIds = new Set<string>();
  const changingLimitsIds = new Set<string>();
  const changingIssueIds = new Set<string>();
  const givenBackIssueIds = new Set<string>();
  const shownIssueIds = new Set<string>();
  const newIssueIds = new Set<string>();
  const campaignPlayers = new Map<string, RowKeys['campaignPlayers'][number]>();
  const bets = new Map<string, RowKeys['bets'][number]>();
  const betsWithFreeBet = new Map<string, RowKeys['bets'][number]>();
  const jobIds = new Set<string>();
  const jobParts = new Map<string, RowKeys['jobParts'][number]>();
  const partsOfJobIds = new Set<string>();
  for (const { jobId, jobPart, partsOfJobId } of all) {
    if (jobId !== undefined) jobIds.add(jobId);
    if (jobPart) jobParts.set(jobPartKey(jobPart.jobId, jobPart.part), jobPart);
    if (partsOfJobId !== undefined) partsOfJobIds.add(partsOfJobId);
  }
  for (const { campaignId, changesLimits, campaignPlayer, newIssueId, issueId, givesBack, showsBets, bet } of all) {
    if (campaignId !== undefined) campaignIds.add(campaignId);
    if (campaignId !== undefined && changesLimits) changingLimitsIds.add(campaignId);
    if (campaignPlayer) {
      campaignPlayers.set(campaignPlayerKey(campaignPlayer.campaignId, campaignPlayer.playerId), campaignPlayer);
    }
    if (newIssueId !== undefined) newIssueIds.add(newIssueId);
    if (issueId !== undefined) changingIssueIds.add(issueId);
    if (issueId !== undefined && givesBack) givenBackIssueIds.add(issueId);
    if (issueId !== undefined && showsBets) shownIssueIds.add(issueId);
    if (bet) bets.set(betKey(bet.providerId, bet.betId), bet);
    if (bet && issueId === undefined) betsWithFreeBet.set(betKey(bet.providerId, bet.betId), bet);
  }
  return {
    campaignIds: [...campaignIds],
    changingLimitsIds: [...changingLimitsIds],
    changingIssueIds: [...changingIssueIds],
    givenBackIssueIds: [...givenBackIssueIds],
    issueIdsWithoutHeld: [...changingIssueIds.union(newIssueIds).difference(givenBackIssueIds)],
    newIssueIds: [...newIssueIds],
    campaignPlayers: [...campaignPlayers.values()],
    bets: [...bets.values()],
    betsWithFreeBet: [...betsWithFreeBet.values()],
    betsAlone: [...bets].filter(([key]) => !betsWithFreeBet.has(key)).map(([, bet]) => bet),
    shownIssueIds: [...shownIssueIds],
    clock: all.some(({ usesClock }) => usesClock),
    jobIds: [...jobIds],
    jobQuota: all.some(({ jobQuota }) => jobQuota),
    jobParts: [...jobParts.values()],
    partsOfJobIds: [...partsOfJobIds],
  };
}

/**
 * The rows that a command names, by how it uses them. They are loaded before the decision, under the lock on the
 * partner's event head.
 */
export interface Needs {
  /** A campaign whose state is read or changed. */
  campaignId?: string;
  /**
   * The limits of that campaign may change, so the held counts of its players are needed even if they are not stored.
   */
  changesLimits?: boolean;
  /** How many free bets of a campaign a player holds. */
  campaignPlayer?: { campaignId: string; playerId: string };
  /** A free bet about to be issued, which may already exist. */
  newIssueId?: string;
  /** A free bet that changes if it exists, and whose campaign changes with it. */
  issueId?: string;
  /** That free bet may be cancelled and then no longer counts against the per-player cap. */
  givesBack?: boolean;
  /** A bet, and with it its free bet and the campaign of the free bet. */
  bet?: { providerId: string; betId: string };
  /** The response shows the bets of that free bet. */
  showsBets?: boolean;
  /** Uses the clock of a sandbox. */
  usesClock?: boolean;
  jobId?: string;
  /** The sums of the partner's unfinished jobs, which the command may increase. */
  jobQuota?: boolean;
  /** A part about to be added to a job, which may already exist. */
  jobPart?: { jobId: string; part: number };
  /** A job whose existing parts are needed. */
  partsOfJobId?: string;
}

/**
 * The rows that a command needs, and its decision: a pure function over the working set, which a refusal leaves
 * unchanged.
 */
export interface Rule<Command, Answer> {
  needs(command: Command): Needs | Needs[];
  decide(working: WorkingSet, command: Command, now: Instant): Outcome<Answer>;
}
