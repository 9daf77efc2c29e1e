import type { ClockUse } from '../../engine/clock.ts';
import type { Instant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import { betKey, campaignPlayerKey, jobPartKey, type WorkingSet } from './working-set.ts';

/** The rows that the commands of a batch need, each named once. */
export interface RowKeys {
  campaignIds: string[];
  /** Those among them whose limits may change. */
  changingLimitsIds: string[];
  /** Free bets that change if they exist, and with them their campaign. */
  changingIssueIds: string[];
  /** Those among them whose player may hold one less. */
  givenBackIssueIds: string[];
  /** Free bets that an issue is about to make, and that may exist already. */
  newIssueIds: string[];
  campaignPlayers: { campaignId: string; playerId: string }[];
  bets: { providerId: string; betId: string }[];
  /** Those among them whose standing bets are all asked for. */
  shownIssueIds: string[];
  /** What is done with the clock of the partner, where it is a sandbox; null where nothing is. */
  clock: ClockUse | null;
  jobIds: string[];
  /** Whether the command needs the sums of the partner's unfinished jobs. */
  jobQuota: boolean;
  /** Parts that are about to be added, and may be there already. */
  jobParts: { jobId: string; part: number }[];
  /** Jobs whose parts are all asked for. */
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
  }
  return {
    campaignIds: [...campaignIds],
    changingLimitsIds: [...changingLimitsIds],
    changingIssueIds: [...changingIssueIds],
    givenBackIssueIds: [...givenBackIssueIds],
    newIssueIds: [...newIssueIds],
    campaignPlayers: [...campaignPlayers.values()],
    bets: [...bets.values()],
    shownIssueIds: [...shownIssueIds],
    clock: clockUseOf(all),
    jobIds: [...jobIds],
    jobQuota: all.some(({ jobQuota }) => jobQuota),
    jobParts: [...jobParts.values()],
    partsOfJobIds: [...partsOfJobIds],
  };
}

const clockUseOf = (all: readonly Needs[]): ClockUse | null => {
  if (all.some(({ clock }) => clock === 'moved')) return 'moved';
  return all.some(({ clock }) => clock === 'known') ? 'known' : null;
};

/** Whether free bets are to be locked: those named, and those of the bets. */
export const changesFreeBets = ({ changingIssueIds, bets }: RowKeys): boolean =>
  changingIssueIds.length + bets.length > 0;

/** Which rows a command names, by what it does with them: they are loaded before it is decided, and locked where it matters. */
export interface Needs {
  /** A campaign whose state is asked for or changed. */
  campaignId?: string;
  /** Its limits may change: what players hold of it is to be known, also where nobody has asked before. */
  changesLimits?: boolean;
  /** How many free bets of a campaign a player holds. */
  campaignPlayer?: { campaignId: string; playerId: string };
  /** A free bet about to be issued, which may exist already. */
  newIssueId?: string;
  /** A free bet that changes if it exists, and with it its campaign. */
  issueId?: string;
  /** That free bet may be taken from its player, and then counts no more for the limit of one player. */
  givesBack?: boolean;
  /** A bet, and with it the free bet it stands against, and the campaign of that. */
  bet?: { providerId: string; betId: string };
  /** That free bet is answered with the bets that stand against it. */
  showsBets?: boolean;
  /** The clock of a sandbox, where the partner has one: to know of it, or to move it. */
  clock?: ClockUse;
  jobId?: string;
  /** The sums of the partner's unfinished jobs, which the command may raise. */
  jobQuota?: boolean;
  /** A part about to be added to a job, which may be there already. */
  jobPart?: { jobId: string; part: number };
  /** A job of which is asked which parts are there. */
  partsOfJobId?: string;
}

/** What a command needs, and what it does: pure over the working set, which a refusal leaves as it was. */
export interface Rule<Command, Answer> {
  needs(command: Command): Needs | Needs[];
  decide(working: WorkingSet, command: Command, now: Instant): Outcome<Answer>;
}
