import {
  Counter,
  type MetricObject,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from '@prometheus-io/client';
import type { EmittedEvent } from '../promo/batch/event.ts';

// What happened by partner, as far as the lanes of this server committed it. Each series stays in the memory of the server and of
// Prometheus, so only so many partners have their own: those that came first. The others are counted together. What partners do is
// nobody's business but that of who runs the service: on the port that everybody can reach there is nothing of it.

/** With series of their own. */
const partnersNamed = 100;
const others = 'other';

/** Under which name a partner is counted. */
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
  const of = `; of the first ${partnersNamed} partners that this server has served, and of the rest as one. With INTERNAL_PORT only.`;
  const issued = counter('freebets_issued_total', `Free bets issued${of}`, ['client_id']);
  const bets = counter('freebets_bets_total', `Bets by what became of them: placed, won, lost, rolled_back${of}`, [
    'client_id',
    'result',
  ]);
  const addWon = wonCounter(registers, `Winnings in the currency${of}`);
  const nameOf = nameFirst();
  return (clientId, emitted) => {
    // Names are few.
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

/** Summed here in cents, and handed over when somebody asks: a sum of fractions would be off after a few. */
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
 * Of several processes each has its own first partners, and those that take their places again others. Here they become those of one server:
 * who has once been counted among the others remains there, so that no sum becomes less.
 */
export function partnersOfOneServer(): (counted: MetricObject[]) => MetricObject[] {
  const nameOf = nameFirst();
  return (counted) =>
    (counted as MetricObjectWithValues<MetricValue<string>>[]).map((metric) => ({
      ...metric,
      values: metric.values.map((series) => {
        // The sum and the count of a summary come without labels, whatever their type says.
        const clientId = series.labels?.client_id;
        return clientId === undefined
          ? series
          : { ...series, labels: { ...series.labels, client_id: nameOf(String(clientId)) } };
      }),
    }));
}

/** The metrics of several processes as those of one, with winnings that are whole cents again. */
export function aggregated(all: MetricObject[][]): Registry {
  const registry = Registry.aggregate(all);
  const won = registry.getSingleMetric(wonName) as unknown as { values: { value: number }[] } | undefined;
  for (const series of won?.values ?? []) series.value = Math.round(series.value * 100) / 100;
  return registry;
}
