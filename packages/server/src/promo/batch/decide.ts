import type { Instant } from '../../primitives/amounts.ts';
import { type Outcome, refuse } from '../../primitives/outcome.ts';
import { changeLimits, createCampaign, pauseCampaign, resumeCampaign, stopCampaign } from '../campaigns/rules.ts';
import { mustBeDraft } from '../drafts/approval.ts';
import { cancelFreeBet, expireFreeBet, issueByCampaign, issueDirect } from '../free-bets/rules.ts';
import { failJob, giveUpJob, retryJob, stopJob } from '../jobs/end-rules.ts';
import { addJobPart, carryOutJobStep, createJob, startJob } from '../jobs/rules.ts';
import { placeBet, rollBackBet, settleBet } from '../rounds/rules.ts';
import { playRound, setClock } from '../sandbox/rules.ts';
import { decideFor } from './audited.ts';
import type { Answers, Command, CommandKind, CommandOf } from './command.ts';
import type { Needs, Rule } from './rule.ts';
import type { WorkingSet } from './working-set.ts';

/** The rule of every command. */
const rules: { [K in CommandKind]: Rule<CommandOf<K>, Answers[K]> } = {
  create_campaign: createCampaign,
  stop_campaign: stopCampaign,
  pause_campaign: pauseCampaign,
  resume_campaign: resumeCampaign,
  change_limits: changeLimits,
  issue_by_campaign: issueByCampaign,
  issue_direct: issueDirect,
  cancel_free_bet: cancelFreeBet,
  expire_free_bet: expireFreeBet,
  place_bet: placeBet,
  settle_bet: settleBet,
  roll_back_bet: rollBackBet,
  set_clock: setClock,
  play_round: playRound,
  create_job: createJob,
  add_job_part: addJobPart,
  start_job: startJob,
  stop_job: stopJob,
  retry_job: retryJob,
  fail_job: failJob,
  give_up_job: giveUpJob,
  carry_out_job_step: carryOutJobStep,
};

/**
 * Pure over the working set: time and ids come in, the outcome comes back as a value, and a refused command leaves the
 * working set as it was.
 */
export const decide = <K extends CommandKind>(
  working: WorkingSet,
  command: CommandOf<K>,
  now: Instant,
): Outcome<Answers[K]> => {
  if (command.isGated && mustBeDraft(working, command)) return refuse('approval_needed');
  const byRule = () => rules[command.kind].decide(working, command, now);
  return command.by === undefined ? byRule() : decideFor(command.by, working, command, now, byRule);
};

const needsOf = <K extends CommandKind>(command: CommandOf<K>): Needs | Needs[] => rules[command.kind].needs(command);

/** What must be loaded for all of the commands. */
export const needsOfAll = (commands: readonly Command[]): Needs[] => commands.flatMap((command) => needsOf(command));
