// A token bucket for each caller, on each server: `limit` tokens a second flow in, up to `burst`.

export interface RateVerdict {
  allowed: boolean;
  remaining: number;
  retryAfterS: number;
}

export type RateLimiter = (caller: string, nowMs: number) => RateVerdict;

/** Undefined when there is no limit. */
export function rateLimiter(limit: number, burst: number): RateLimiter | undefined {
  if (limit === 0 || burst === 0) return undefined;
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (caller, nowMs) => {
    const bucket = buckets.get(caller) ?? { tokens: burst, at: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * limit);
    bucket.at = nowMs;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    // Only callers with a valid signature, and people who are signed in, come here, so there are never more buckets than callers.
    buckets.set(caller, bucket);
    return {
      allowed,
      remaining: Math.floor(bucket.tokens),
      retryAfterS: Math.max(1, Math.ceil((1 - bucket.tokens) / limit)),
    };
  };
}
