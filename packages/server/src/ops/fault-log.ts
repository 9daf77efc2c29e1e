import type { Logger } from 'pino';
import type { EdgeServices } from '../edge/services.ts';
import { causeOf, isDatabaseUnavailable } from '../engine/faults.ts';

const repeatMs = 60_000;

/**
 * What nobody expected is an error. What the database cannot do now is a warning, of each cause one in a minute: as long as it lasts, every
 * request has one.
 */
export function openFaultLog(
  log: Pick<Logger, 'error' | 'warn'>,
  databaseRefused: (code: string) => void,
): EdgeServices['onFault'] {
  const saidAt = new Map<string, number>();
  return (error, requestId) => {
    if (!isDatabaseUnavailable(error)) {
      log.error({ request_id: requestId, fault: faultOf(error) }, 'something failed that should not');
      return;
    }
    const { code, reason } = causeOf(error as Error);
    databaseRefused(code);
    const now = performance.now();
    if (now - (saidAt.get(code) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    saidAt.set(code, now);
    log.warn({ code, reason }, 'the database could not do what was asked of it');
  };
}

/** What helps to find the cause, and nothing of what the caller sent: PostgreSQL's messages can quote values. */
function faultOf(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, statement, constraint, table } = error as Error & Partial<Record<string, string>>;
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  const message = code === undefined ? error.message : undefined;
  return { type: error.name, message, code, statement, constraint, table, frames };
}
