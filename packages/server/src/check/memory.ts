import { randomUUIDv7 } from 'node:crypto';
import type { EventBody } from '@freebets/contract';
import type { PartnerProfile } from '../partners/profile.ts';
import type { Outcome } from '../primitives/outcome.ts';
import type { Answers, CommandKind, CommandOf } from '../promo/batch/command.ts';
import { decide } from '../promo/batch/decide.ts';
import { eventBody } from '../promo/batch/event.ts';
import { emptyWorkingSet, type WorkingSet } from '../promo/batch/working-set.ts';

// The rules of the service on what is in memory, for whoever plays the service without a database: one partner, whose working
// set is never thrown away.

export interface Memory {
  clientId: number;
  working: WorkingSet;
  events: EventBody[];
}

export const openMemory = (clientId: number, partner: PartnerProfile): Memory => ({
  clientId,
  working: emptyWorkingSet(partner),
  events: [],
});

export const timeIn = ({ working: { clock } }: Memory): number => Date.now() + (clock?.aheadMs ?? 0);

/** Nobody else is at work meanwhile, so what is decided is done. */
export function carryOut<K extends CommandKind>(memory: Memory, command: CommandOf<K>): Outcome<Answers[K]> {
  const { working, events, clientId } = memory;
  const now = timeIn(memory);
  if (working.clock !== null) working.clock.worldNow = Date.now();
  const outcome = decide(working, command, now);
  for (const emitted of working.changes.emitted) {
    const numbered = { eventId: randomUUIDv7(), sequence: events.length + 1, occurredAt: now, writtenAt: now, emitted };
    events.push(eventBody(clientId, numbered));
  }
  for (const changed of Object.values(working.changes)) changed.clear();
  return outcome;
}
