// How far each partner's feed and chain of records have come, and the word that says so: the id of a message.

export interface Position {
  event: number;
  audit: number;
}

export interface Positions {
  /** The tag of their database. After a restore, the same numbers belong to other events. */
  database: string;
  /** By partner; 0 for what belongs to none. */
  of: Map<number, Position>;
}

export const start: Position = { event: 0, audit: 0 };

/** A header of this length is taken by every proxy. */
const maxLength = 4096;
/** Of somebody who has too many partners for that: who comes back with it has to read everything anew. */
const tooLong = '-';

export function writePositions(positions: Positions): string {
  let text = positions.database;
  for (const [clientId, { event, audit }] of positions.of) {
    if (event + audit === 0) continue;
    text += `_${clientId.toString(36)}.${event.toString(36)}.${audit.toString(36)}`;
    if (text.length > maxLength) return tooLong;
  }
  return text;
}

const form = /^[0-9a-f]{8}(_[0-9a-z]{1,11}(\.[0-9a-z]{1,11}){2})*$/;

/** Undefined when it is none of ours, or says nothing. */
export function readPositions(text: string): Positions | undefined {
  if (text.length > maxLength || !form.test(text)) return undefined;
  const [database = '', ...parts] = text.split('_');
  const positions = parts.map((part): [number, Position] => {
    const [clientId = 0, event = 0, audit = 0] = part.split('.').map((digits) => Number.parseInt(digits, 36));
    return [clientId, { event, audit }];
  });
  return { database, of: new Map(positions) };
}
