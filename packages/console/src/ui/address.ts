import { notFound } from '@tanstack/react-router';

// Of an id in an address: where it cannot be one, such as in a link that was cut off, there is no such page.

export function assertUuid(text: string): void {
  if (!isUuid(text)) throw notFound();
}

/** Of a partner, or of an event or a record in its order: a whole number that JavaScript has exactly. */
export const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;

export function assertNumber(text: string): void {
  if (numberIn(text) === undefined) throw notFound();
}

/**
 * An id of any form as a part of a path. A browser takes "." and ".." for a way, also where they are encoded: such an id has a
 * sign before it, and one that looks like that has one more.
 */
export const idInPath = (id: string): string => encodeURIComponent(/^~*\.{1,2}$/.test(id) ? `~${id}` : id);

export const idFromPath = (text: string): string => (/^~+\.{1,2}$/.test(text) ? text.slice(1) : text);

/** A UUID of version 4. `crypto.randomUUID` is there only where the page came over HTTPS or from this machine. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

// What the address says behind its question mark: filters, so that a link shows to a colleague what one sees oneself.

type Search = Record<string, unknown>;

/** Only these, and only where they are words; whatever else somebody writes into an address is left out. */
export const wordsIn =
  <Name extends string>(...names: Name[]) =>
  (search: Search): { [N in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
      }),
    ) as { [N in Name]?: string };

/** One of these words, or nothing. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value);

/** As one would write it by hand: `?partner=1&status=active`. */
export function plainSearch(search: Search): string {
  const words = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
