import { notFound } from '@tanstack/react-router';
import { isUuid } from './new-id.ts';

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
