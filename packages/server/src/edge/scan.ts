import { isUtf8 } from 'node:buffer';
import { randomInt } from 'node:crypto';
import type { FieldError } from '@freebets/contract';

// Checks a body in one pass over its bytes without allocating, because its signature has not been checked: JSON.parse
// takes 200 ms for a mebibyte of brackets. The scan accepts objects as JSON.parse does, without forms that no valid
// request needs: deep nesting, too many fields in one object, and duplicate fields, because some parsers take the first
// value and others the last.

/**
 * `valueAt` is the position of the value of the wanted field, -1 if the field is missing. `items` is the length of the
 * longest list among the fields of the body. `isDryRun` is true if the field `dry_run` of the body is true.
 */
export type Scan = { ok: true; valueAt: number; items: number; isDryRun: boolean } | { ok: false; error: FieldError };

const maxDepth = 16;
const maxFields = 32;
/** The nesting level of the fields of the body. */
const listDepth = 2;

// All scans share these arrays, because a scan is synchronous. A level is an open object or array; the outermost is
// level 1. The names are those of all open objects, the outermost first.
const closers = new Uint8Array(maxDepth + 1);
const items = new Uint32Array(maxDepth + 1);
const firstNames = new Uint16Array(maxDepth + 1);
/** Per level, a bit for each hash of a name (modulo 32). Most names set a new bit and need no comparison. */
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

/** Zero, which is never valid here, beyond the end: an out-of-bounds read would make all other reads slower too. */
const byteAt = (bytes: Buffer, at: number): number => (at < bytes.length ? (bytes[at] as number) : 0);

const refusal = (field: string, reason: string): Scan => ({ ok: false, error: { field, reason } });
const notJson = refusal('', 'must be a JSON object in UTF-8');

// The expected next token. After `nextIsComma`, the object or array may also end.
const nextIsValue = 0;
const nextIsName = 1;
const nextIsComma = 2;

export const scanObject = (bytes: Buffer, wanted: Wanted): Scan => (isUtf8(bytes) ? scanUtf8(bytes, wanted) : notJson);

function scanUtf8(bytes: Buffer, wanted: Wanted): Scan {
  let valueAt = -1;
  let longest = 0;
  let isDryRun = false;
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
        // An empty list counts as one item, which makes no difference.
        if (depth === listDepth && closer !== closeBrace) longest = Math.max(longest, (items[depth] as number) + 1);
        depth -= 1;
        if (depth === 0) return at === bytes.length ? { ok: true, valueAt, items: longest, isDryRun } : notJson;
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
        // A value with this first byte is `true`, or the body is not JSON.
        else if (byteAt(bytes, at) === firstOfTrue && isField(bytes, names - 1, 'dry_run')) isDryRun = true;
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

/** The position after the name and its colon; -1 if there is no name or no colon. */
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

/** The position after the string, number or word that begins here; -1 if there is none. */
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

/** 1 for bytes that a string may contain as they are: all but quotes, backslashes and control characters. */
const isPlain = new Uint8Array(256).fill(1, 0x20);
isPlain[quote] = isPlain[backslash] = 0;
const meanings = new Int16Array(256).fill(-1);
for (const [i, letter] of [...'"\\/bfnrt'].entries()) meanings[letter.charCodeAt(0)] = '"\\/\b\f\n\r\t'.charCodeAt(i);
const hexDigits = new Int8Array(256).fill(-1);
for (const [i, digit] of [...'0123456789abcdef0123456789ABCDEF'].entries()) hexDigits[digit.charCodeAt(0)] = i % 16;

/** The character of the escape that begins here; negative if the escape is invalid. */
function escaped(bytes: Buffer, at: number): number {
  const letter = byteAt(bytes, at + 1);
  if (letter !== 0x75) return meanings[letter] as number;
  if (at + 6 > bytes.length) return -1;
  let character = 0;
  // An invalid digit is -1, which has all bits set and keeps the result negative.
  for (let i = at + 2; i < at + 6; i++) character = (character << 4) | (hexDigits[bytes[i] as number] as number);
  return character;
}

/** Secret, so that callers can't construct different names with the same hash. */
const seed = randomInt(2 ** 31);
const multiplier = randomInt(2 ** 31) | 1;

/**
 * Escaped and plain ASCII letters have the same hash. Other letters have a different hash if they are escaped, so a
 * duplicate of such a name may pass the scan. But no field has such a name, so the schema refuses it.
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

/** Compares without `nameOf`, which would take half as long as the whole scan of a small body. */
function isNamed(bytes: Buffer, name: number, wanted: string): boolean {
  const start = (nameStarts[name] as number) + 1;
  for (let i = 0; i < wanted.length; i++) {
    if (bytes[start + i] !== wanted.charCodeAt(i)) return nameOf(bytes, name) === wanted;
  }
  return bytes[start + wanted.length] === quote;
}

/** The path of the current field on this level, such as `items[3].client_id`. `names` is the number of names so far. */
function pathOf(bytes: Buffer, level: number, names: number): string {
  let path = '';
  for (let i = 1; i <= level; i++) {
    const name = (i < level ? (firstNames[i + 1] as number) : names) - 1;
    if (closers[i] !== closeBrace) path += `[${items[i]}]`;
    else path += `${path && '.'}${nameOf(bytes, name).slice(0, 100).toWellFormed()}`;
  }
  return path;
}

/** The value that begins here; undefined for an object or an array. */
export function scalarAt(bytes: Buffer, at: number): unknown {
  const first = byteAt(bytes, at);
  if (first === openBrace || first === openBracket) return undefined;
  const end = scalarEnd(bytes, at, first);
  // Most ids are a few digits and don't need JSON.parse.
  if (end - at <= safeDigits && digitsEnd(bytes, at) === end) return wholeNumber(bytes, at, end);
  return JSON.parse(bytes.toString('utf8', at, end));
}

/** Whole numbers with up to this many digits are exact. */
const safeDigits = 15;

function wholeNumber(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] as number) - 0x30;
  return value;
}
