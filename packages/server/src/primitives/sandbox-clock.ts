import type { FieldError, SandboxClockBody } from '@freebets/contract';
import { formatInstant, type Instant, type WorldInstant } from './amounts.ts';

/** The clock of a sandbox, at the instant of a batch. */
export interface SandboxClock {
  worldNow: WorldInstant;
  /** How much later it is for the partner. */
  aheadMs: number;
  /** What the latest Set asked for; null before the first. */
  setTo: Instant | null;
}

export const businessNowOf = ({ worldNow, aheadMs }: Pick<SandboxClock, 'worldNow' | 'aheadMs'>): Instant =>
  worldNow + aheadMs;

export const clockBody = (clock: SandboxClock): SandboxClockBody => ({
  now: formatInstant(businessNowOf(clock)),
  offset_s: Math.round(clock.aheadMs / 1000),
});

const maxYears = 2;
/** Whatever is reckoned from a time up to here stays within what a timestamp can say. */
const latest = Date.UTC(2100, 0, 1);

/** Why the clock cannot be set to this time: each reason; none when it can. */
export function whyClockIsRefused(clock: SandboxClock, to: Instant): FieldError[] {
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
