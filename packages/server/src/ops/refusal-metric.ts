import { Counter, type Registry } from '@prometheus-io/client';

const diskFull = '53100';
const namedCode = /^[0-9A-Z_]{5,40}$/;

/** The figure for a full disk is there from the start, so that an alert sees the first refusal. */
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
    help: 'What the database could not do for this server, by code: 53100 when its disk is full, 25006 when it is read-only.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of read()) this.inc({ code }, count);
    },
  });
}
