// A token bucket for each caller, on each server: `limit` tokens a second flow in, up to `burst`. Where several processes are one
// server, the first of them has the buckets, and the others lease some tokens at a time: together they never give more than there are.

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  retryAfterS: number;
}

/** A promise only where tokens must be leased first. */
export type RateLimiter = (caller: string, nowMs: number) => RateVerdict | Promise<RateVerdict>;

export interface Taken extends Omit<RateVerdict, 'allowed'> {
  tokens: number;
}

/** So many tokens of a caller at most, and no more than there are. */
export type TakeTokens = (caller: string, nowMs: number, most: number) => Taken;

export function openBuckets(limit: number, burst: number): TakeTokens {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (caller, nowMs, most) => {
    const bucket = buckets.get(caller) ?? { tokens: burst, at: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * limit);
    bucket.at = nowMs;
    const tokens = Math.min(most, Math.floor(bucket.tokens));
    bucket.tokens -= tokens;
    // Only callers with a valid signature, and people who are signed in, come here, so there are never more buckets than callers.
    buckets.set(caller, bucket);
    const retryAfterS = Math.max(1, Math.ceil((1 - bucket.tokens) / limit));
    return { tokens, remaining: Math.floor(bucket.tokens), retryAfterS };
  };
}

const isUnlimited = (limit: number, burst: number): boolean => limit === 0 || burst === 0;

/** Undefined when there is no limit. */
export function rateLimiter(limit: number, burst: number): RateLimiter | undefined {
  if (isUnlimited(limit, burst)) return undefined;
  const take = openBuckets(limit, burst);
  return (caller, nowMs) => {
    const { tokens, ...rest } = take(caller, nowMs, 1);
    return { allowed: tokens === 1, ...rest };
  };
}

/** So much of a second is leased at a time, and so much of the burst by all processes together. */
const [leasedShareOfSecond, leasedShareOfBurst] = [1 / 20, 1 / 8];
/** What is not used by then is given up, so that whoever comes later finds the bucket as it is. */
const leaseMs = 1000;

interface LeasedTokens extends Taken {
  at: number;
  asking: Promise<void> | undefined;
}

/** Undefined when there is no limit. */
export function leasedLimiter(
  limit: number,
  burst: number,
  processes: number,
  lease: (caller: string, most: number) => Promise<Taken>,
): RateLimiter | undefined {
  if (isUnlimited(limit, burst)) return undefined;
  const most = Math.max(1, Math.floor(Math.min(limit * leasedShareOfSecond, (burst * leasedShareOfBurst) / processes)));
  const leases = new Map<string, LeasedTokens>();
  const take = (held: LeasedTokens, nowMs: number): RateVerdict | undefined => {
    if (held.tokens < 1 || nowMs - held.at >= leaseMs) return undefined;
    held.tokens -= 1;
    return { allowed: true, remaining: held.remaining + held.tokens, retryAfterS: held.retryAfterS };
  };
  const renew = async (caller: string, held: LeasedTokens): Promise<void> => {
    const at = performance.now();
    Object.assign(held, await lease(caller, most), { at });
  };
  const insist = async (caller: string, held: LeasedTokens): Promise<RateVerdict> => {
    for (;;) {
      held.asking ??= renew(caller, held).finally(() => {
        held.asking = undefined;
      });
      await held.asking;
      // Many may have waited for the same lease. Only where it had nothing is there nothing to be had.
      if (held.tokens < 1 && held.remaining < 1) return { allowed: false, remaining: 0, retryAfterS: held.retryAfterS };
      const taken = take(held, performance.now());
      if (taken !== undefined) return taken;
    }
  };
  return (caller, nowMs) => {
    const held = leases.get(caller) ?? { tokens: 0, remaining: 0, retryAfterS: 1, at: 0, asking: undefined };
    leases.set(caller, held);
    return take(held, nowMs) ?? insist(caller, held);
  };
}
