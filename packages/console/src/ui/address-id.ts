import { notFound } from '@tanstack/react-router';
import { isUuid } from './new-id.ts';

/** Of an id in an address: where it cannot be one, such as in a link that was cut off, there is no such page. */
export function assertUuid(text: string): void {
  if (!isUuid(text)) throw notFound();
}
