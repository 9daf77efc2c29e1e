import { notFound } from '@tanstack/react-router';

// IDs in addresses. An invalid one, such as in a link that was cut off, shows "not found".

export function assertUuid(text: string): void {
  if (!isUuid(text)) throw notFound();
}

/**
 * The ID of a partner, or the sequence of an event or audit record: a whole number that JavaScript represents exactly.
 */
export const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;

export function assertNumber(text: string): void {
  if (numberIn(text) === undefined) throw notFound();
}

/**
 * Any ID as a path segment. Browsers resolve "." and ".." even when they are encoded, so such an ID gets a "~" prefix,
 * and an ID that already looks like that gets one more.
 */
export const idInPath = (id: string): string => encodeURIComponent(/^~*\.{1,2}$/.test(id) ? `~${id}` : id);

export const idFromPath = (text: string): string => (/^~+\.{1,2}$/.test(text) ? text.slice(1) : text);

/** A version 4 UUID. `crypto.randomUUID` exists only on pages loaded over HTTPS or from localhost. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

// Filters are in the query of the address, so that a colleague who opens the link sees the same.

type Search = Record<string, unknown>;

/** Keeps only these parameters, and only as text. Drops everything else in the query. */
export const textParams =
  <Name extends string>(...names: Name[]) =>
  (search: Search): { [N in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
      }),
    ) as { [N in Name]?: string };

/** Returns the value if it is one of these words. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value);

/** A readable query without JSON quoting: `?partner=1&status=active`. */
export function plainSearch(search: Search): string {
  const words = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
