// A token bucket per caller on each server, refilled with `limit` tokens per second up to `burst`. If a server has
// several processes, the first has the buckets and the others lease some tokens at a time. Together they never allow
// more than the bucket has.

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  retryAfterS: number;
}

/** Takes one token unless `tokens` is given. Returns a promise only if tokens must be leased first. */
export type RateLimiter = (caller: string, nowMs: number, tokens?: number) => RateVerdict | Promise<RateVerdict>;

export interface Taken extends Omit<RateVerdict, 'allowed'> {
  tokens: number;
}

/** Takes at most `most` tokens, or none if the bucket has fewer than `least`. */
export type TakeTokens = (caller: string, nowMs: number, least: number, most: number) => Taken;

export function openBuckets(limit: number, burst: number): TakeTokens {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (caller, nowMs, least, most) => {
    const bucket = buckets.get(caller) ?? { tokens: burst, at: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * limit);
    bucket.at = nowMs;
    const whole = Math.floor(bucket.tokens);
    const tokens = whole < least ? 0 : Math.min(most, whole);
    bucket.tokens -= tokens;
    // Only callers with a valid signature and signed-in staff have buckets, so their number is bounded.
    buckets.set(caller, bucket);
    const retryAfterS = Math.max(1, Math.ceil((least - bucket.tokens) / limit));
    return { tokens, remaining: Math.floor(bucket.tokens), retryAfterS };
  };
}

const isUnlimited = (limit: number, burst: number): boolean => limit === 0 || burst === 0;

/** Undefined if there is no limit. */
export function rateLimiter(limit: number, burst: number): RateLimiter | undefined {
  if (isUnlimited(limit, burst)) return undefined;
  const take = openBuckets(limit, burst);
  return (caller, nowMs, wanted = 1) => {
    const { tokens, ...rest } = take(caller, nowMs, wanted, wanted);
    return { allowed: tokens === wanted, ...rest };
  };
}

/** A lease is this share of a second's tokens, and all processes together lease at most this share of the burst. */
const [leasedShareOfSecond, leasedShareOfBurst] = [1 / 20, 1 / 8];
/** Unused leased tokens expire after this time, so that later requests see the real state of the bucket. */
const leaseMs = 1000;

interface LeasedTokens extends Taken {
  /** When they arrived. The time of the lease request itself does not count. */
  at: number;
  asking: Promise<void> | undefined;
}

/** Undefined if there is no limit. */
export function leasedLimiter(
  limit: number,
  burst: number,
  processes: number,
  lease: (caller: string, least: number, most: number) => Promise<Taken>,
): RateLimiter | undefined {
  if (isUnlimited(limit, burst)) return undefined;
  const share = Math.max(
    1,
    Math.floor(Math.min(limit * leasedShareOfSecond, (burst * leasedShareOfBurst) / processes)),
  );
  const leases = new Map<string, LeasedTokens>();
  const take = (held: LeasedTokens, tokens: number): RateVerdict | undefined => {
    if (held.tokens < tokens) return undefined;
    held.tokens -= tokens;
    return { allowed: true, remaining: held.remaining + held.tokens, retryAfterS: held.retryAfterS };
  };
  const renew = async (caller: string, held: LeasedTokens, wanted: number): Promise<void> => {
    const least = wanted - held.tokens;
    const { tokens, ...rest } = await lease(caller, least, Math.max(least, share));
    Object.assign(held, rest, { tokens: held.tokens + tokens, at: performance.now() });
  };
  // Leased tokens are used here even if they arrive late: otherwise a slow first process would empty the bucket for
  // nothing.
  const insist = async (caller: string, held: LeasedTokens, wanted: number): Promise<RateVerdict> => {
    for (;;) {
      held.asking ??= renew(caller, held, wanted).finally(() => {
        held.asking = undefined;
      });
      await held.asking;
      const taken = take(held, wanted);
      if (taken !== undefined) return taken;
      // Other requests may have taken the leased tokens. This one is refused only if the bucket has too few as well.
      const { tokens, remaining, retryAfterS } = held;
      if (tokens + remaining < wanted) return { allowed: false, remaining: tokens + remaining, retryAfterS };
    }
  };
  return (caller, nowMs, wanted = 1) => {
    const held = leases.get(caller) ?? { tokens: 0, remaining: 0, retryAfterS: 1, at: 0, asking: undefined };
    leases.set(caller, held);
    if (nowMs - held.at >= leaseMs) held.tokens = 0;
    return take(held, wanted) ?? insist(caller, held, wanted);
  };
}
