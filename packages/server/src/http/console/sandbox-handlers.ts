import { ask } from '../../db/statement.ts';
import { formatInstant, parseInstant } from '../../domain/amounts.ts';
import { done, refuse } from '../../domain/outcome.ts';
import { businessNowOf, whyClockIsRefused } from '../../domain/sandbox-clock.ts';
import { readSandboxClock } from '../../sql/clock.ts';
import { mostCounted, previewClock } from '../../sql/clock-preview.ts';
import type { StaffHandlers } from './call.ts';
import { inReportTurn } from './report-turns.ts';

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
