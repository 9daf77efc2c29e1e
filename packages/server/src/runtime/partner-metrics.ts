import { Counter, type Registry } from '@prometheus-io/client';
import type { EmittedEvent } from '../domain/event.ts';

// What happened by partner, as far as the lanes of this server committed it. Each series stays in the memory of the server and of
// Prometheus, so only so many partners have their own: those that came first. The others are counted together. What partners do is
// nobody's business but that of who runs the service: on the port that everybody can reach there is nothing of it.

/** With series of their own. */
const partnersNamed = 100;
const others = 'other';

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
  const won = counter('freebets_won_total', `Winnings in the currency${of}`, ['client_id', 'currency']);
  const named = new Set<number>();
  const labelOf = (clientId: number): string => {
    if (named.size < partnersNamed) named.add(clientId);
    return named.has(clientId) ? String(clientId) : others;
  };
  return (clientId, emitted) => {
    // Names are few.
    if (emitted.size === 0) return;
    const client_id = labelOf(clientId);
    let issues = 0;
    for (const event of emitted) {
      if (event.type === 'freebet.issued') issues += 1;
      if (!('bet' in event)) continue;
      const { state, winAmount } = event.bet;
      bets.inc({ client_id, result: state });
      if (state === 'won') won.inc({ client_id, currency: event.freeBet.currency }, Number(winAmount ?? 0n) / 100);
    }
    if (issues > 0) issued.inc({ client_id }, issues);
  };
}
