import { inReportTurn } from '../../calls/report-turns.ts';
import type { StaffHandlers } from '../../calls/staff-call.ts';
import { readSandboxClock } from '../../engine/clock.ts';
import { ask } from '../../engine/statement.ts';
import { formatInstant, parseInstant } from '../../primitives/amounts.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import { businessNowOf, whyClockIsRefused } from '../../primitives/sandbox-clock.ts';
import { mostCounted, previewClock } from './sql.ts';

const many = (count: number, walked = count) => ({
  count: Math.min(count, mostCounted),
  is_more: walked > mostCounted,
});

export const sandboxHandlers: StaffHandlers<'ClockPreview'> = {
  async ClockPreview(call, { client_id, now: wanted }) {
    const clock = await ask(call.services.consolePool, readSandboxClock(client_id));
    if (clock === undefined) return refuse('not_a_sandbox');
    const to = parseInstant(wanted);
    const reasons = whyClockIsRefused(clock, to);
    if (reasons.length > 0) return refuse('invalid_request', reasons);
    const now = businessNowOf(clock);
    const happening = await inReportTurn(call, (pool) => ask(pool, previewClock(client_id, now, to)));
    const { expire, walked, expiring, begin, end, turning, jobs_begin, jobs_removed, jobs_turning } = happening;
    return done({
      now: formatInstant(now),
      to: formatInstant(to),
      free_bets: {
        expire: many(expire, walked),
        next: expiring.map((row) => ({ ...row, expires_at: formatInstant(row.expires_at) })),
      },
      campaigns: {
        begin: many(begin),
        end: many(end),
        next: turning.map((row) => ({ ...row, at: formatInstant(row.at) })),
      },
      jobs: {
        begin: many(jobs_begin),
        removed: many(jobs_removed),
        next: jobs_turning.map((row) => ({ ...row, at: formatInstant(row.at) })),
      },
    });
  },
};
