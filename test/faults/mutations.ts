import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { codePoint } from '../support/code-points.ts';
import { games, inDays } from '../support/requests.ts';

// What can go wrong inside a value of JSON: another type, another value, a field too many, too few or misspelt.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Change {
  /** Which node it changes, counted over the whole value and taken around. */
  where: number;
  kind: 'replace' | 'remove' | 'rename' | 'add' | 'wrap' | 'repeat' | 'splice';
  value: Json;
  key: string;
  count: number;
}

const nested = (depth: number): Json => {
  let value: Json = 'deep';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
};

const instants = [
  inDays(-2),
  inDays(0),
  inDays(400),
  '2027-02-30T00:00:00Z',
  '2027-02-28T24:00:00Z',
  '2027-02-28T23:59:60Z',
  '9999-12-31T23:59:59.999999999Z',
  '1970-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '+275760-09-13T00:00:00Z',
  '2027-01-01T00:00:00+00:00',
  '2027-01-01',
];
const amounts = [
  '0.00',
  '0.01',
  '9999999999999.99',
  '99999999999999.99',
  '0000000000001.00',
  '1',
  '1.5',
  '-1.00',
  '1e5',
  '１.00',
  '1,00',
];
const odds = ['0', '0.9999', '1', '1.0000', '999999.9999', '1000000', '1.00001', '000001.5', '.5', '1.', 'Infinity'];
const strings = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\n',
  '\u2028',
  '\ud800',
  '\udc00\ud800',
  '\u200b',
  '\ufeff',
  '\uffff',
  '\u{1f3b0}'.repeat(64),
  '\u{1f3b0}'.repeat(129),
  'x'.repeat(64),
  'x'.repeat(256),
  'x'.repeat(20_000),
  "'; DROP TABLE free_bets; --",
  '\\',
  '"',
  '{"a":1}',
  '{NULL}',
  '$1',
  '%s%n',
  '__proto__',
  'toString',
  'null',
  'EUR',
  'eur',
  'USDT',
  games.withoutFreeBets,
  games.ofSecondProvider,
  'active',
  'in_use',
  'won',
  'copper-heron',
];
const numbers = [0, -0, -1, 1, 2, 1000, 1001, 1.5, 1e-7, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e21, 1e308, -1e308];
const ids = [
  randomUUID(),
  randomUUID().toUpperCase(),
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '-'.repeat(36),
  `{${randomUUID()}}`,
  randomUUID().replaceAll('-', ''),
];

/** A cursor is an opaque word to callers; one that is forged must still be no more than a wrong cursor. */
const cursorPart = fc.oneof(
  fc.constantFrom<Json>(...numbers, ...ids, ...strings.slice(0, 20), null, [], {}, Date.now(), 253_402_300_799_999),
  fc.integer(),
  fc.string({ unit: codePoint, maxLength: 130 }),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef-'), minLength: 36, maxLength: 36 }),
);
const forgedCursor = fc
  .oneof(fc.tuple(cursorPart, cursorPart), fc.array(cursorPart, { maxLength: 3 }), cursorPart)
  .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...strings),
  fc.constantFrom<Json>(...numbers),
  fc.constantFrom<Json>(...instants, ...amounts, ...odds, ...ids),
  fc.constantFrom<Json>(null, true, false, [], {}, [[]], [null], { toString: 1 }, nested(50), nested(300)),
  fc.string({ unit: codePoint, maxLength: 140 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  forgedCursor,
);

const keys = [
  'client_id',
  'issue_id',
  'campaign_id',
  'player_id',
  'currency',
  'amount',
  'bet_amounts',
  'games',
  'quantity',
  'valid_from',
  'valid_until',
  'duration_min',
  'config',
  'bonus_limit',
  'min_coefficient',
  'max_coefficient',
  'limit',
  'after',
  'cursor',
  'status',
  'items',
  'provider_id',
  'bet_id',
  'game_id',
  'result',
  'coefficient',
  '__proto__',
  'constructor',
  'toString',
  '',
  '0',
  'a/b~c',
  'x'.repeat(300),
];

const change: fc.Arbitrary<Change> = fc.record({
  where: fc.nat(60),
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Change['kind']>('replace') },
    { weight: 4, arbitrary: fc.constantFrom<Change['kind']>('remove', 'rename', 'add', 'wrap', 'repeat', 'splice') },
  ),
  value,
  key: fc.constantFrom(...keys),
  count: fc.oneof(fc.integer({ min: 2, max: 5 }), fc.constantFrom(101, 501, 1001)),
});

export const changes: fc.Arbitrary<Change[]> = fc.array(change, { maxLength: 3 });

interface Place {
  parent: Json[] | { [key: string]: Json };
  key: string | number;
}

function placesIn(root: Json[] | { [key: string]: Json }): Place[] {
  const found: Place[] = [];
  const waiting: Place['parent'][] = [root];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const key of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
      found.push({ parent, key });
      const child = at({ parent, key });
      if (typeof child === 'object' && child !== null) waiting.push(child);
    }
  }
  return found;
}

const at = ({ parent, key }: Place): Json => (parent as Record<string | number, Json>)[key] as Json;

/** Defined, because assigning to `__proto__` would not make a field of that name. */
const put = (parent: Place['parent'], key: string | number, value: Json) =>
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });

function applyTo(place: Place, { kind, value, key, count }: Change): void {
  const { parent } = place;
  const before = at(place);
  const isObject = !Array.isArray(parent);
  if (kind === 'replace') put(parent, place.key, value);
  if (kind === 'add' && isObject) put(parent, key, value);
  if (kind === 'wrap') put(parent, place.key, count % 2 === 0 ? [before] : { [String(place.key)]: before });
  if (kind === 'repeat')
    put(parent, place.key, Array.isArray(before) ? repeated(before, count) : repeated([before], count));
  if (kind === 'splice') put(parent, place.key, typeof before === 'string' ? spliced(before, value, count) : value);
  if (kind === 'remove' || kind === 'rename') {
    if (isObject) delete parent[place.key as string];
    else parent.splice(place.key as number, 1);
  }
  if (kind === 'rename' && isObject) put(parent, key, before);
}

const repeated = (items: Json[], count: number): Json[] =>
  Array.from({ length: count }, () => structuredClone(items)).flat();

const spliced = (text: string, value: Json, count: number): string =>
  text.slice(0, count % (text.length + 1)) +
  (typeof value === 'string' ? value : '\0') +
  text.slice(count % (text.length + 1));

export function mutate(valid: Json, wanted: Change[]): Json {
  const root = structuredClone(valid) as { [key: string]: Json };
  for (const change of wanted) {
    const places = placesIn(root);
    const place = places[change.where % Math.max(1, places.length)];
    // A copy, because the next change may go into this value, which other mutants share.
    if (place !== undefined) applyTo(place, { ...change, value: structuredClone(change.value) });
  }
  return root;
}
