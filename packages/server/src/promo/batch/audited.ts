import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Attribution, Target } from '../../audit/entry.ts';
import type { Instant } from '../../primitives/amounts.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import { clockBody } from '../../primitives/sandbox-clock.ts';
import { campaignBody } from '../campaigns/campaign.ts';
import { freeBetBody } from '../free-bets/free-bet.ts';
import { jobBody } from '../jobs/job.ts';
import type { Command } from './command.ts';
import type { WorkingSet } from './working-set.ts';

/** What the commands of staff are about. What only the service itself and game providers do is nobody's. */
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

/** Decides a command that somebody gives, and has what it changed recorded. */
export function decideFor<Answer>(
  by: Attribution,
  working: WorkingSet,
  command: Command,
  now: Instant,
  decide: () => Outcome<Answer>,
): Outcome<Answer> {
  const target = targetOf(command);
  assert(target, 'whatever somebody of the staff can order has something it is about');
  const before = stateOf(working, target, now);
  const emitted = working.changes.emitted.size;
  const outcome = decide();
  if (!outcome.ok) return outcome;
  const after = stateOf(working, target, now);
  // A repeated command is answered again, and changes nothing.
  if (working.changes.emitted.size > emitted || !isDeepStrictEqual(before, after)) {
    working.changes.audited.add({ ...by, target, before, after });
  }
  return outcome;
}
