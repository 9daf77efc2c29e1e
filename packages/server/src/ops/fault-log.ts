import { Counter, type Registry } from '@prometheus-io/client';
import type { Logger } from 'pino';
import type { EdgeServices } from '../edge/services.ts';
import { causeOf, isDatabaseUnavailable } from '../engine/faults.ts';

const repeatMs = 60_000;

/**
 * Logs unexpected failures as errors. Logs database failures as warnings, at most one per cause and minute: during an
 * outage every request fails.
 */
export function openFaultLog(
  log: Pick<Logger, 'error' | 'warn'>,
  databaseRefused: (code: string) => void,
): EdgeServices['onFault'] {
  const loggedAt = new Map<string, number>();
  return (error, requestId) => {
    if (!isDatabaseUnavailable(error)) {
      log.error({ request_id: requestId, fault: faultOf(error) }, 'unexpected failure');
      return;
    }
    const { code, reason } = causeOf(error as Error);
    databaseRefused(code);
    const now = performance.now();
    if (now - (loggedAt.get(code) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    loggedAt.set(code, now);
    log.warn({ code, reason }, 'the database could not carry out a statement');
  };
}

/** Details that help to find the cause, without data of the caller: PostgreSQL's messages can quote values. */
function faultOf(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, statement, constraint, table } = error as Error & Partial<Record<string, string>>;
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  const message = code === undefined ? error.message : undefined;
  return { type: error.name, message, code, statement, constraint, table, frames };
}

const diskFull = '53100';
const namedCode = /^[0-9A-Z_]{5,40}$/;

/** Counts from the start for a full disk, so that an alert sees the first refusal as an increase. */
export function countRefusals() {
  const counts = new Map([[diskFull, 0]]);
  return {
    count(code: string) {
      const name = namedCode.test(code) ? code : 'none';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    read: (): ReadonlyMap<string, number> => counts,
  };
}

export function refusalMetric(registers: Registry[], read: () => ReadonlyMap<string, number>): void {
  new Counter({
    name: 'freebets_database_refusals_total',
    help: 'Database errors that made requests fail with 503, by SQLSTATE code: 53100 for a full disk, 25006 for a read-only database.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of read()) this.inc({ code }, count);
    },
  });
}
