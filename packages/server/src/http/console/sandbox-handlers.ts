import { ask } from '../../db/statement.ts';
import { formatInstant, parseInstant } from '../../domain/amounts.ts';
import { done, refuse } from '../../domain/outcome.ts';
import { businessNowOf, whyClockIsRefused } from '../../domain/sandbox-clock.ts';
import { readSandboxClock } from '../../sql/clock.ts';
import { mostCounted, previewClock } from '../../sql/clock-preview.ts';
import type { StaffHandlers } from './call.ts';

const many = (count: number) => ({ count: Math.min(count, mostCounted), is_more: count > mostCounted });

export const sandboxHandlers: StaffHandlers<'ClockPreview'> = {
  async ClockPreview({ services: { consolePool } }, { client_id, now: wanted }) {
    const clock = await ask(consolePool, readSandboxClock(client_id));
    if (clock === undefined) return refuse('not_a_sandbox');
    const to = parseInstant(wanted);
    const reasons = whyClockIsRefused(clock, to);
    if (reasons.length > 0) return refuse('invalid_request', reasons);
    const now = businessNowOf(clock);
    const { expire, expiring, begin, end, turning } = await ask(consolePool, previewClock(client_id, now, to));
    return done({
      now: formatInstant(now),
      to: formatInstant(to),
      free_bets: {
        expire: many(expire),
        next: expiring.map((row) => ({ ...row, expires_at: formatInstant(row.expires_at) })),
      },
      campaigns: {
        begin: many(begin),
        end: many(end),
        next: turning.map((row) => ({ ...row, at: formatInstant(row.at) })),
      },
    });
  },
};
