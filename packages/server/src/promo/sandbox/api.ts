import { randomUUIDv7 } from 'node:crypto';
import type { SandboxRoundRequest } from '@freebets/contract';
import type { Handlers } from '../../calls/call.ts';
import { type FairQueue, readInTurn } from '../../calls/fair-queue.ts';
import { inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import { readSandboxClock } from '../../engine/clock.ts';
import { ask } from '../../engine/statement.ts';
import { formatInstant, parseInstant } from '../../primitives/amounts.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import { businessNowOf, clockBody, clockErrors } from '../../primitives/sandbox-clock.ts';
import type { CommandOf } from '../batch/command.ts';
import { type SubmitServices, submitCommand, submitInTurn } from '../submit.ts';
import { coefficientOf } from '../terms.ts';
import { maxCounted, previewClock } from './sql.ts';

type Name = 'SandboxClockGet' | 'SandboxClockSet' | 'SandboxRound' | 'ClockPreview';

interface SandboxServices extends SubmitServices, ReportServices {
  /** For rounds: each loads and returns all bets of its free bet, up to 1,000. */
  roundTurns: FairQueue;
}

const boundedCount = (count: number, walked = count) => ({
  count: Math.min(count, maxCounted),
  is_more: walked > maxCounted,
});

export const sandboxHandlers: Handlers<Name, SandboxServices> = {
  SandboxClockGet: (call, { client_id }) =>
    readInTurn(call, client_id, async (pool) => {
      const clock = await ask(pool, readSandboxClock(client_id));
      return clock === undefined ? refuse('not_a_sandbox') : done(clockBody(clock));
    }),

  SandboxClockSet: (call, body) => submitCommand(call, body, { kind: 'set_clock', to: parseInstant(body.now) }),
  SandboxRound: (call, body) => submitInTurn(call, call.services.roundTurns, body, () => playRoundCommand(body)),

  async ClockPreview(call, { client_id, now: wanted }) {
    const clock = await ask(call.services.consolePool, readSandboxClock(client_id));
    if (clock === undefined) return refuse('not_a_sandbox');
    const to = parseInstant(wanted);
    const reasons = clockErrors(clock, to);
    if (reasons.length > 0) return refuse('invalid_request', reasons);
    const now = businessNowOf(clock);
    const happening = await inReportTurn(call, (pool) => ask(pool, previewClock(client_id, now, to)));
    const { expire, walked, expiring, begin, end, campaign_changes, jobs_begin, jobs_removed, job_changes } = happening;
    return done({
      now: formatInstant(now),
      to: formatInstant(to),
      free_bets: {
        expire: boundedCount(expire, walked),
        next: expiring.map((row) => ({ ...row, expires_at: formatInstant(row.expires_at) })),
      },
      campaigns: {
        begin: boundedCount(begin),
        end: boundedCount(end),
        next: campaign_changes.map((row) => ({ ...row, at: formatInstant(row.at) })),
      },
      jobs: {
        begin: boundedCount(jobs_begin),
        removed: boundedCount(jobs_removed),
        next: job_changes.map((row) => ({ ...row, at: formatInstant(row.at) })),
      },
    });
  },
};

export const playRoundCommand = (request: SandboxRoundRequest): CommandOf<'play_round'> => ({
  kind: 'play_round',
  issueId: request.issue_id,
  betId: randomUUIDv7(),
  gameId: request.game_id ?? null,
  result: request.result,
  coefficient: coefficientOf(request.coefficient),
});
