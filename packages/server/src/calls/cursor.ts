import { isTimestamp, isValid } from '@freebets/contract';
import { Refused } from '../audit/change.ts';
import type { PageKey, PageWanted } from '../engine/page.ts';
import { formatInstant, parseBound } from '../primitives/amounts.ts';

// The place in a list where the next page starts, as an opaque string. It holds no secret and grants nothing: a request
// with a cursor is checked like one without.

type Is<T> = (value: unknown) => value is T;

export interface Cursors<Place> {
  write(place: Place | null): string | null;
  /** Null without a cursor. Refuses the request if it is not a cursor of this list. */
  read(cursor: string | undefined): Place | null;
}

/** The cursors of a list that is ordered by these fields. */
export function cursorsOf<Place extends object>(kinds: { [F in keyof Place]: Is<Place[F]> }): Cursors<Place> {
  const fields = Object.keys(kinds) as (keyof Place)[];
  return {
    write: (place) => place && writeValues(fields.map((field) => place[field])),
    read(cursor) {
      if (cursor === undefined) return null;
      const values = readValues(cursor, Object.values<Is<Place[keyof Place]>>(kinds));
      return Object.fromEntries(fields.map((field, i) => [field, values[i]])) as Place;
    },
  };
}

export const writeValues = (values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

/** Refuses the request if the cursor holds other values than these kinds. */
export function readValues<T>(cursor: string, kinds: readonly Is<T>[]): T[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(values) && values.length === kinds.length && kinds.every((is, i) => is(values[i]))) return values;
  } catch {}
  throw new Refused('invalid_request', [{ field: 'cursor', reason: 'is not a cursor of this list' }]);
}

export const isInstant: Is<number> = (value): value is number =>
  Number.isSafeInteger(value) && isTimestamp(formatInstant(value as number));

const isUpTo =
  (highest: number): Is<number> =>
  (value): value is number =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= highest;

export const isCount = isUpTo(2 ** 31 - 1);
export const isSequence = isUpTo(Number.MAX_SAFE_INTEGER);

export const isA =
  <T>(schema: object): Is<T> =>
  (value): value is T =>
    isValid(schema, value);

/** The cursors of a list that is ordered by time and by an id of this schema. */
export const pageCursorsOf = (id: object): Cursors<PageKey> => cursorsOf({ at: isInstant, id: isA<string>(id) });

/** The page that a request wants, newest first. */
export function pageWanted(
  { limit = 50, status, cursor }: { limit?: number; status?: string; cursor?: string },
  [from, until]: [string | undefined, string | undefined],
  cursors: Cursors<PageKey>,
): PageWanted {
  const instant = (text: string | undefined) => (text === undefined ? null : parseBound(text));
  const times = { from: instant(from), until: instant(until) };
  return { limit, status: status ?? null, ...times, after: cursors.read(cursor) };
}
