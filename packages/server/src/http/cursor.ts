import { isTimestamp } from '@freebets/contract';
import { formatInstant } from '../domain/amounts.ts';
import type { PageKey } from '../sql/page.ts';

// Where a list goes on, as an opaque word. It holds no secret and gives no right: every list is of one partner anyway.

export const writeCursor = (key: PageKey | null): string | null =>
  key && Buffer.from(JSON.stringify([key.at, key.id])).toString('base64url');

/** Undefined when it is not one of ours. */
export function readCursor(cursor: string, isId: (id: string) => boolean): PageKey | undefined {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isInstant = Number.isSafeInteger(at) && isTimestamp(formatInstant(at));
    return isInstant && typeof id === 'string' && isId(id) ? { at, id } : undefined;
  } catch {
    return undefined;
  }
}
