import type { ClockUse } from '../../engine/clock.ts';
import type { Instant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { WorkingSet } from './working-set.ts';

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
