import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Attribution, Target } from '../../audit/entry.ts';
import type { Instant } from '../../primitives/amounts.ts';
import { type Outcome, refuse } from '../../primitives/outcome.ts';
import { clockBody } from '../../primitives/sandbox-clock.ts';
import { campaignBody } from '../campaigns/campaign.ts';
import { changeLimits, createCampaign, pauseCampaign, resumeCampaign, stopCampaign } from '../campaigns/rules.ts';
import { needsDraft } from '../drafts/approval.ts';
import { freeBetBody } from '../free-bets/free-bet.ts';
import { cancelFreeBet, expireFreeBet, issueByCampaign, issueDirect } from '../free-bets/rules.ts';
import { failJob, giveUpJob, retryJob, stopJob } from '../jobs/end-rules.ts';
import { jobBody } from '../jobs/job.ts';
import { addJobPart, createJob, runJobStep, startJob } from '../jobs/rules.ts';
import { placeBet, rollBackBet, settleBet } from '../rounds/rules.ts';
import { playRound, setClock } from '../sandbox/rules.ts';
import type { Command, CommandKind, CommandOf, CommandResults } from './command.ts';
import type { Needs, Rule } from './needs.ts';
import type { WorkingSet } from './working-set.ts';

/** The rule of every command. */
const rules: { [K in CommandKind]: Rule<CommandOf<K>, CommandResults[K]> } = {
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
  run_job_step: runJobStep,
};

/**
 * Decides a command without I/O: time and ids are arguments, and a refused command leaves the working set unchanged.
 */
export const decide = <K extends CommandKind>(
  working: WorkingSet,
  command: CommandOf<K>,
  now: Instant,
): Outcome<CommandResults[K]> => {
  if (command.isGated && needsDraft(working, command)) return refuse('approval_needed');
  const byRule = () => rules[command.kind].decide(working, command, now);
  return command.by === undefined ? byRule() : decideFor(command.by, working, command, now, byRule);
};

const needsOf = <K extends CommandKind>(command: CommandOf<K>): Needs | Needs[] => rules[command.kind].needs(command);

/** The rows to load for all of the commands. */
export const needsOfAll = (commands: readonly Command[]): Needs[] => commands.flatMap((command) => needsOf(command));

/** The target of a command for the audit log; undefined for commands that staff can't send. */
function targetOf(command: Command): Target | undefined {
  switch (command.kind) {
    case 'create_campaign':
    case 'stop_campaign':
    case 'pause_campaign':
    case 'resume_campaign':
    case 'change_limits':
      return { kind: 'campaign', id: command.campaignId };
    case 'issue_by_campaign':
    case 'issue_direct':
    case 'cancel_free_bet':
    case 'play_round':
      return { kind: 'free_bet', id: command.issueId };
    case 'create_job':
    case 'add_job_part':
    case 'start_job':
    case 'stop_job':
    case 'retry_job':
      return { kind: 'job', id: command.jobId };
    case 'set_clock':
      return { kind: 'sandbox_clock', id: '' };
    default:
      return undefined;
  }
}

function stateOf(working: WorkingSet, { kind, id }: Target, now: Instant): unknown {
  if (kind === 'campaign') {
    const entry = working.campaigns.get(id);
    return entry ? campaignBody(entry.campaign, entry.state, now) : null;
  }
  if (kind === 'free_bet') {
    const freeBet = working.freeBets.get(id);
    return freeBet ? freeBetBody(freeBet, now) : null;
  }
  if (kind === 'job') {
    const job = working.jobs.get(id);
    return job ? jobBody(job, now) : null;
  }
  return working.clock && clockBody(working.clock);
}

/** Decides a command of a staff member and adds an audit entry if it changes something. */
function decideFor<Answer>(
  by: Attribution,
  working: WorkingSet,
  command: Command,
  now: Instant,
  decide: () => Outcome<Answer>,
): Outcome<Answer> {
  const target = targetOf(command);
  assert(target, 'every command of staff has a target');
  const before = stateOf(working, target, now);
  const emitted = working.changes.emitted.size;
  const outcome = decide();
  if (!outcome.ok) return outcome;
  const after = stateOf(working, target, now);
  // A repeated command succeeds again without changing anything.
  if (working.changes.emitted.size > emitted || !isDeepStrictEqual(before, after)) {
    working.changes.audited.add({ ...by, target, before, after });
  }
  return outcome;
}
