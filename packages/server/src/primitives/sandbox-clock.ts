import type { FieldError, SandboxClockBody } from '@freebets/contract';
import { formatInstant, type Instant, type WorldInstant } from './amounts.ts';

/** The clock of a sandbox at the time of a batch. */
export interface SandboxClock {
  worldNow: WorldInstant;
  /** How far business time is ahead of world time. */
  aheadMs: number;
  /** The time that the latest Set requested; null before the first. */
  setTo: Instant | null;
}

export const businessNowOf = ({ worldNow, aheadMs }: Pick<SandboxClock, 'worldNow' | 'aheadMs'>): Instant =>
  worldNow + aheadMs;

export const clockBody = (clock: SandboxClock): SandboxClockBody => ({
  now: formatInstant(businessNowOf(clock)),
  offset_s: Math.round(clock.aheadMs / 1000),
});

const maxYears = 2;
/** Times computed from a time up to here still fit into a timestamp. */
const latest = Date.UTC(2100, 0, 1);

/** The reasons why the clock can't be set to this time; empty if it can. */
export function clockErrors(clock: SandboxClock, to: Instant): FieldError[] {
  const businessNow = businessNowOf(clock);
  const furthest = new Date(businessNow).setUTCFullYear(new Date(businessNow).getUTCFullYear() + maxYears);
  const reasons: string[] = [];
  if (to < businessNow) {
    reasons.push(
      `must not be before the time of the sandbox, ${formatInstant(businessNow)}: its clock goes forward only`,
    );
  }
  if (to > furthest) {
    reasons.push(`must be at most ${maxYears} years after the time of the sandbox, ${formatInstant(businessNow)}`);
  }
  if (to > latest) reasons.push(`must not be after ${formatInstant(latest)}`);
  return reasons.map((reason) => ({ field: 'now', reason }));
}
