import { isUtf8 } from 'node:buffer';
import { randomInt } from 'node:crypto';
import type { FieldError } from '@freebets/contract';

// Reads a body in one pass over its bytes and builds nothing from them, so that a caller whose signature has not been
// checked costs no more than its bytes do: JSON.parse takes 200 ms for a mebibyte of brackets. What passes is an object as
// JSON.parse accepts it, less what no valid request has: deep nesting, a great many fields in one object, and a field that
// is named twice, of which one reader would take the first and another the last.

/**
 * `valueAt` is where the value of the wanted field begins, -1 if it is missing; `items` is the length of the longest list
 * that is a field of the body; `isTried` says that the field `dry_run` of the body is true.
 */
export type Scan = { ok: true; valueAt: number; items: number; isTried: boolean } | { ok: false; error: FieldError };

const maxDepth = 16;
const maxFields = 32;
/** The nesting level of the fields of the body. */
const listDepth = 2;

// A scan runs to its end before another begins, so they share these. A level is an object or an array that is open, the
// outermost is 1; names are those of all open objects, the outermost first.
const closers = new Uint8Array(maxDepth + 1);
const items = new Uint32Array(maxDepth + 1);
const firstNames = new Uint16Array(maxDepth + 1);
/** A bit for each name of an object, by its hash: most names are the first with theirs, and need no comparing. */
const nameBits = new Int32Array(maxDepth + 1);
const nameStarts = new Uint32Array(maxDepth * maxFields);
const nameHashes = new Int32Array(maxDepth * maxFields);

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const firstOfTrue = 0x74;

/** Zero behind the end, which nothing allows: reading there makes every other reading slower as well. */
const byteAt = (bytes: Buffer, at: number): number => (at < bytes.length ? (bytes[at] as number) : 0);

const refusal = (field: string, reason: string): Scan => ({ ok: false, error: { field, reason } });
const notJson = refusal('', 'must be a JSON object in UTF-8');

// What may come next; an object or an array that has just begun may end where a comma may come.
const nextIsValue = 0;
const nextIsName = 1;
const nextIsComma = 2;

export const scanObject = (bytes: Buffer, wanted: Wanted): Scan => (isUtf8(bytes) ? scanUtf8(bytes, wanted) : notJson);

function scanUtf8(bytes: Buffer, wanted: Wanted): Scan {
  let valueAt = -1;
  let longest = 0;
  let isTried = false;
  let depth = 0;
  let closer = 0;
  let names = 0;
  let next = nextIsValue;
  let at = spaceEnd(bytes, 0);
  if (byteAt(bytes, at) !== openBrace) return notJson;
  for (;;) {
    const byte = byteAt(bytes, at);
    if (next === nextIsComma) {
      at = spaceEnd(bytes, at + 1);
      if (byte === comma) {
        items[depth] = (items[depth] as number) + 1;
        next = closer === closeBrace ? nextIsName : nextIsValue;
      } else if (byte === closer) {
        names = firstNames[depth] as number;
        // An empty list counts as one item, which changes nothing.
        if (depth === listDepth && closer !== closeBrace) longest = Math.max(longest, (items[depth] as number) + 1);
        depth -= 1;
        if (depth === 0) return at === bytes.length ? { ok: true, valueAt, items: longest, isTried } : notJson;
        closer = closers[depth] as number;
      } else return notJson;
    } else if (next === nextIsName) {
      if (names - (firstNames[depth] as number) === maxFields) return tooMany(bytes, depth);
      nameStarts[names] = at;
      at = nameEnd(bytes, at, names++);
      if (at < 0) return notJson;
      if (isRepeated(bytes, depth, names - 1)) return refusal(pathOf(bytes, depth, names), 'must not be named twice');
      if (depth === 1) {
        if (isField(bytes, names - 1, wanted)) valueAt = at;
        // A value that begins so is true, or the body is not JSON.
        else if (byteAt(bytes, at) === firstOfTrue && isField(bytes, names - 1, 'dry_run')) isTried = true;
      }
      next = nextIsValue;
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === maxDepth) return refusal('', `must not be nested deeper than ${maxDepth} levels`);
      depth += 1;
      closer = byte + 2;
      open(depth, closer, names);
      at = spaceEnd(bytes, at + 1);
      next = byteAt(bytes, at) === closer ? nextIsComma : byte === openBrace ? nextIsName : nextIsValue;
    } else {
      at = scalarEnd(bytes, at, byte);
      if (at < 0) return notJson;
      at = spaceEnd(bytes, at);
      next = nextIsComma;
    }
  }
}

function open(depth: number, closer: number, names: number): void {
  closers[depth] = closer;
  items[depth] = 0;
  firstNames[depth] = names;
  nameBits[depth] = 0;
}

/** Behind the name and its colon; -1 where they are not there. */
function nameEnd(bytes: Buffer, start: number, name: number): number {
  const end = byteAt(bytes, start) === quote ? stringEnd(bytes, start) : -1;
  if (end < 0) return -1;
  nameHashes[name] = hashOf(bytes, start + 1, end - 1);
  const at = spaceEnd(bytes, end);
  return byteAt(bytes, at) === colon ? spaceEnd(bytes, at + 1) : -1;
}

function isRepeated(bytes: Buffer, depth: number, name: number): boolean {
  const hash = nameHashes[name] as number;
  const bits = nameBits[depth] as number;
  const bit = 1 << hash;
  nameBits[depth] = bits | bit;
  if ((bits & bit) === 0) return false;
  for (let other = firstNames[depth] as number; other < name; other++) {
    if (nameHashes[other] === hash && nameOf(bytes, other) === nameOf(bytes, name)) return true;
  }
  return false;
}

const tooMany = (bytes: Buffer, depth: number): Scan =>
  refusal(pathOf(bytes, depth - 1, firstNames[depth] as number), `must not have more than ${maxFields} fields`);

function spaceEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break;
  }
  return at;
}

/** Behind the string, number or word that begins here; -1 where it is none of them. */
function scalarEnd(bytes: Buffer, at: number, first: number): number {
  if (first === quote) return stringEnd(bytes, at);
  if (first === firstOfTrue) return wordEnd(bytes, at, 'true');
  if (first === 0x66) return wordEnd(bytes, at, 'false');
  if (first === 0x6e) return wordEnd(bytes, at, 'null');
  return numberEnd(bytes, at, first);
}

function wordEnd(bytes: Buffer, at: number, word: string): number {
  for (let i = 0; i < word.length; i++) if (byteAt(bytes, at + i) !== word.charCodeAt(i)) return -1;
  return at + word.length;
}

function digitsEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x30 || byte > 0x39) break;
  }
  return at;
}

function numberEnd(bytes: Buffer, start: number, first: number): number {
  const whole = first === 0x2d ? start + 1 : start;
  let at = byteAt(bytes, whole) === 0x30 ? whole + 1 : digitsEnd(bytes, whole);
  if (at === whole) return -1;
  if (byteAt(bytes, at) === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return -1;
  }
  if ((byteAt(bytes, at) | 0x20) !== 0x65) return at;
  const sign = byteAt(bytes, at + 1);
  const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
  at = digitsEnd(bytes, exponent);
  return at === exponent ? -1 : at;
}

function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    while (at < bytes.length && isPlain[bytes[at] as number] === 1) at += 1;
    if (byteAt(bytes, at) === quote) return at + 1;
    if (byteAt(bytes, at) !== backslash || escaped(bytes, at) < 0) return -1;
    at += byteAt(bytes, at + 1) === 0x75 ? 6 : 2;
  }
}

/** Of a string: neither its end, nor an escape, nor a control character, which must be escaped. */
const isPlain = new Uint8Array(256).fill(1, 0x20);
isPlain[quote] = isPlain[backslash] = 0;
const meanings = new Int16Array(256).fill(-1);
for (const [i, letter] of [...'"\\/bfnrt'].entries()) meanings[letter.charCodeAt(0)] = '"\\/\b\f\n\r\t'.charCodeAt(i);
const hexDigits = new Int8Array(256).fill(-1);
for (const [i, digit] of [...'0123456789abcdef0123456789ABCDEF'].entries()) hexDigits[digit.charCodeAt(0)] = i % 16;

/** The character that the escape beginning here stands for; less than zero where it stands for none. */
function escaped(bytes: Buffer, at: number): number {
  const letter = byteAt(bytes, at + 1);
  if (letter !== 0x75) return meanings[letter] as number;
  if (at + 6 > bytes.length) return -1;
  let character = 0;
  // A digit that is none has all its bits set, and keeps the sign below zero.
  for (let i = at + 2; i < at + 6; i++) character = (character << 4) | (hexDigits[bytes[i] as number] as number);
  return character;
}

/** Secret, so that nobody can make up names that are different and have the same hash. */
const seed = randomInt(2 ** 31);
const multiplier = randomInt(2 ** 31) | 1;

/**
 * A name has one hash in every spelling of its letters. Letters other than ASCII have another one when they are escaped,
 * so that a name with such letters may pass twice; but no field has such a name, and the schema refuses it.
 */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) {
    let character = bytes[at] as number;
    if (character === backslash) {
      character = escaped(bytes, at);
      at += bytes[at + 1] === 0x75 ? 5 : 1;
    }
    const product = Math.imul(hash ^ character, multiplier);
    hash = product ^ (product >>> 15);
  }
  return hash;
}

const hashes = {
  client_id: hashOfText('client_id'),
  provider_id: hashOfText('provider_id'),
  dry_run: hashOfText('dry_run'),
};
type Wanted = 'client_id' | 'provider_id';

function hashOfText(text: string): number {
  return hashOf(Buffer.from(text), 0, text.length);
}

function nameOf(bytes: Buffer, name: number): string {
  const start = nameStarts[name] as number;
  return JSON.parse(bytes.toString('utf8', start, stringEnd(bytes, start)));
}

const isField = (bytes: Buffer, name: number, field: keyof typeof hashes): boolean =>
  nameHashes[name] === hashes[field] && isNamed(bytes, name, field);

/** As `nameOf` would tell, which takes half as long as the whole scan of a small body. */
function isNamed(bytes: Buffer, name: number, wanted: string): boolean {
  const start = (nameStarts[name] as number) + 1;
  for (let i = 0; i < wanted.length; i++) {
    if (bytes[start + i] !== wanted.charCodeAt(i)) return nameOf(bytes, name) === wanted;
  }
  return bytes[start + wanted.length] === quote;
}

/** The field that is being read on this level, such as `items[3].client_id`; `names` are those up to there. */
function pathOf(bytes: Buffer, level: number, names: number): string {
  let path = '';
  for (let i = 1; i <= level; i++) {
    const name = (i < level ? (firstNames[i + 1] as number) : names) - 1;
    if (closers[i] !== closeBrace) path += `[${items[i]}]`;
    else path += `${path && '.'}${nameOf(bytes, name).slice(0, 100).toWellFormed()}`;
  }
  return path;
}

/** The value that begins here, where it is not an object or an array. */
export function scalarAt(bytes: Buffer, at: number): unknown {
  const first = byteAt(bytes, at);
  if (first === openBrace || first === openBracket) return undefined;
  const end = scalarEnd(bytes, at, first);
  // Most ids are a few digits, and need no JSON.parse.
  if (end - at <= safeDigits && digitsEnd(bytes, at) === end) return wholeNumber(bytes, at, end);
  return JSON.parse(bytes.toString('utf8', at, end));
}

/** So many of them are a whole number that is exact. */
const safeDigits = 15;

function wholeNumber(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] as number) - 0x30;
  return value;
}
