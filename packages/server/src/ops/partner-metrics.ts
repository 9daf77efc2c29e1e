import {
  Counter,
  type MetricObject,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from '@prometheus-io/client';
import type { EmittedEvent } from '../promo/batch/event.ts';

// Metrics per partner of the events that this server's lanes have committed. Each series uses memory in the server and
// in Prometheus, so only the first partners have their own series; the others share one. Partners' activity is
// confidential, so these metrics are only on the internal port.

/** The number of partners with their own series. */
const partnersNamed = 100;
const others = 'other';

/** Returns the label for a partner: its id for the first partners, `other` for the rest. */
function nameFirst(): (clientId: string) => string {
  const named = new Set<string>();
  return (clientId) => {
    if (named.size < partnersNamed && clientId !== others) named.add(clientId);
    return named.has(clientId) ? clientId : others;
  };
}

export type ObserveEvents = (clientId: number, emitted: ReadonlySet<EmittedEvent>) => void;

export function partnerMetrics(registers: Registry[]): ObserveEvents {
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name, help, labelNames, registers });
  const of = `. The first ${partnersNamed} partners on this server have their own series, the others share one. Only with INTERNAL_PORT.`;
  const issued = counter('freebets_issued_total', `Free bets issued${of}`, ['client_id']);
  const bets = counter('freebets_bets_total', `Bets by result: placed, won, lost, rolled_back${of}`, [
    'client_id',
    'result',
  ]);
  const addWon = wonCounter(registers, `Winnings by currency${of}`);
  const nameOf = nameFirst();
  return (clientId, emitted) => {
    // Don't use up a label for a partner without events.
    if (emitted.size === 0) return;
    const client_id = nameOf(String(clientId));
    let issues = 0;
    for (const event of emitted) {
      if (event.type === 'freebet.issued') issues += 1;
      if (!('bet' in event)) continue;
      const { state, winAmount } = event.bet;
      bets.inc({ client_id, result: state });
      if (state === 'won') addWon(client_id, event.freeBet.currency, winAmount ?? 0n);
    }
    if (issues > 0) issued.inc({ client_id }, issues);
  };
}

const wonName = 'freebets_won_total';

/** Sums in cents and converts when the metrics are read, because sums of fractions would accumulate rounding errors. */
function wonCounter(registers: Registry[], help: string) {
  const won = new Map<string, { labels: { client_id: string; currency: string }; cents: bigint }>();
  new Counter({
    name: wonName,
    help,
    labelNames: ['client_id', 'currency'],
    registers,
    collect() {
      this.reset();
      for (const { labels, cents } of won.values()) this.inc(labels, Number(cents) / 100);
    },
  });
  return (client_id: string, currency: string, cents: bigint) => {
    const key = `${client_id} ${currency}`;
    const { labels, cents: before } = won.get(key) ?? { labels: { client_id, currency }, cents: 0n };
    won.set(key, { labels, cents: before + cents });
  };
}

/**
 * Each process labels its own first partners, and so do the processes that replace it. This maps them to the first
 * partners of the whole server. A partner once counted as `other` stays there, so that no counter decreases.
 */
export function partnersOfOneServer(): (counted: MetricObject[]) => MetricObject[] {
  const nameOf = nameFirst();
  return (counted) =>
    (counted as MetricObjectWithValues<MetricValue<string>>[]).map((metric) => ({
      ...metric,
      values: metric.values.map((series) => {
        // Despite its type, `labels` is undefined for the sum and the count of a summary.
        const clientId = series.labels?.client_id;
        return clientId === undefined
          ? series
          : { ...series, labels: { ...series.labels, client_id: nameOf(String(clientId)) } };
      }),
    }));
}

/** Aggregates the metrics of several processes, and rounds winnings to whole cents. */
export function aggregated(all: MetricObject[][]): Registry {
  const registry = Registry.aggregate(all);
  const won = registry.getSingleMetric(wonName) as unknown as { values: { value: number }[] } | undefined;
  for (const series of won?.values ?? []) series.value = Math.round(series.value * 100) / 100;
  return registry;
}
