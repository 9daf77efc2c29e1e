import { notFound } from '@tanstack/react-router';
import { isUuid } from './new-id.ts';

// Of an id in an address: where it cannot be one, such as in a link that was cut off, there is no such page.

export function assertUuid(text: string): void {
  if (!isUuid(text)) throw notFound();
}

/** Of a partner, or of an event or a record in its order. */
export const isNumber = (text: string): boolean => /^[1-9]\d*$/.test(text);

export function assertNumber(text: string): void {
  if (!isNumber(text)) throw notFound();
}
