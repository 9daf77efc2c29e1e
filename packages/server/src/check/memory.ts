import { randomUUIDv7 } from 'node:crypto';
import type { EventBody } from '@freebets/contract';
import type { PartnerProfile } from '../partners/profile.ts';
import type { Outcome } from '../primitives/outcome.ts';
import type { CommandKind, CommandOf, CommandResults } from '../promo/batch/command.ts';
import { decide } from '../promo/batch/decide.ts';
import { eventBody } from '../promo/batch/event.ts';
import { emptyWorkingSet, type WorkingSet } from '../promo/batch/working-set.ts';

// Runs the rules of the service in memory, without a database, for one partner. The working set is never discarded.

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

/** There are no concurrent commands, so the decision is final. */
export function carryOut<K extends CommandKind>(memory: Memory, command: CommandOf<K>): Outcome<CommandResults[K]> {
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
