import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Role } from '@freebets/contract';
import type { Instant } from '../primitives/amounts.ts';
import type { Outcome } from '../primitives/outcome.ts';
import { clockBody } from '../primitives/sandbox-clock.ts';
import type { Command } from '../promo/batch/command.ts';
import type { WorkingSet } from '../promo/batch/working-set.ts';
import { campaignBody } from '../promo/campaigns/campaign.ts';
import { freeBetBody } from '../promo/free-bets/free-bet.ts';
import { jobBody } from '../promo/jobs/job.ts';

// Who changes something, and what is recorded of it. A command that somebody of the staff gives carries this through its lane,
// and the batch that carries it out writes it down.

/** Unknown: whoever did not prove to be the one with this address. */
export type Actor =
  | { kind: 'staff'; staff_id: string; email: string; role: Role }
  | { kind: 'unknown'; email: string }
  | { kind: 'cli' };

/** On whose behalf a change is made, and why. */
export interface Attribution {
  actor: Actor;
  /** The word for what is done: the name of the operation, also where a command of the terminal does it. */
  action: string;
  /** From where; null where nobody called. */
  address: string | null;
  requestId: string | null;
  reason: string | null;
  /** The session that asks, where one does: nothing is done for one that has ended by then. It is not recorded. */
  sessionId?: string | undefined;
}

/** What is changed, by its kind and its id. */
export interface Target {
  kind: string;
  id: string;
}

export interface Changed {
  target: Target;
  before: unknown;
  after: unknown;
}

export interface AuditEntry extends Attribution, Changed {}

/** Byte for byte what is stored and hashed. */
export const auditText = ({ actor, action, address, requestId, reason, target, before, after }: AuditEntry): string =>
  JSON.stringify({ actor, action, address, request_id: requestId, reason, target, before, after });

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
