// How far each partner's feed and chain of records have come, and the word that says so: the id of a message.

export interface Position {
  event: number;
  audit: number;
}

/** By partner; 0 for what belongs to none. */
export type Positions = Map<number, Position>;

export const start: Position = { event: 0, audit: 0 };

/** A header of this length is taken by every proxy. */
const maxLength = 4096;
/** Of somebody who has too many partners for that: who comes back with it has to read everything anew. */
const tooLong = '-';

export function writePositions(positions: Positions): string {
  let text = '';
  for (const [clientId, { event, audit }] of positions) {
    if (event + audit === 0) continue;
    text += `${text === '' ? '' : '_'}${clientId.toString(36)}.${event.toString(36)}.${audit.toString(36)}`;
    if (text.length > maxLength) return tooLong;
  }
  return text === '' ? '0.0.0' : text;
}

const form = /^[0-9a-z]{1,11}(\.[0-9a-z]{1,11}){2}(_[0-9a-z]{1,11}(\.[0-9a-z]{1,11}){2})*$/;

/** Undefined when it is none of ours, or says nothing. */
export function readPositions(text: string): Positions | undefined {
  if (text.length > maxLength || !form.test(text)) return undefined;
  return new Map(
    text.split('_').map((part) => {
      const [clientId = 0, event = 0, audit = 0] = part.split('.').map((digits) => Number.parseInt(digits, 36));
      return [clientId, { event, audit }];
    }),
  );
}
