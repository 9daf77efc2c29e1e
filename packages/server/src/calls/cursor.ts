import { ClientId, DraftId, isTimestamp, isValid } from '@freebets/contract';
import type { AuditKey } from '../audit/sql.ts';
import type { PageKey, PageWanted } from '../engine/page.ts';
import { formatInstant, parseBound } from '../primitives/amounts.ts';
import { refuse } from '../primitives/outcome.ts';
import type { DraftKey } from '../promo/drafts/sql/drafts.ts';
import type { RefusalKey } from '../promo/jobs/sql/refusals.ts';

// Where a list goes on, as an opaque word. It holds no secret and gives no right: what may be seen is decided by who asks, never by the
// word, and so it does not matter where somebody has it from.

export const badCursor = refuse('invalid_request', [{ field: 'cursor', reason: 'is not a cursor of this list' }]);

export const writeCursor = (key: PageKey | null): string | null => key && written([key.at, key.id]);

const written = (values: unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');

/** Undefined when it is not one of ours. */
function readCursor(cursor: string, isId: (id: string) => boolean): PageKey | undefined {
  try {
    const [at, id] = valuesOf(cursor);
    return isInstant(at) && typeof id === 'string' && isId(id) ? { at, id } : undefined;
  } catch {
    return undefined;
  }
}

/** The page that a request for a list wants, newest first; undefined if its cursor is not valid. */
export function pageWanted(
  { limit = 50, status, cursor }: { limit?: number; status?: string; cursor?: string },
  [from, until]: [string | undefined, string | undefined],
  isId: (id: string) => boolean,
): PageWanted | undefined {
  const after = cursor === undefined ? null : readCursor(cursor, isId);
  const instant = (text: string | undefined) => (text === undefined ? null : parseBound(text));
  if (after === undefined) return undefined;
  return { limit, status: status ?? null, from: instant(from), until: instant(until), after };
}

const isInstant = (at: unknown): at is number => Number.isSafeInteger(at) && isTimestamp(formatInstant(Number(at)));

const valuesOf = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString());

export const writeRefusalCursor = (key: RefusalKey | null): string | null =>
  key && written([key.carriedOut, key.position]);

export const highestCount = 2 ** 31 - 1;
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= highestCount;

/** Undefined when it is not one of ours. */
export function readRefusalCursor(cursor: string): RefusalKey | undefined {
  try {
    const [carriedOut, position] = valuesOf(cursor);
    return isCount(carriedOut) && isCount(position) ? { carriedOut, position } : undefined;
  } catch {
    return undefined;
  }
}

/** Of a list that is ordered by one number. */
export const writeNumberCursor = (key: number | null): string | null => (key === null ? null : written([key]));

/** Undefined when it is not one of ours. */
export function readNumberCursor(cursor: string, highest: number): number | undefined {
  try {
    const [key] = valuesOf(cursor);
    return Number.isSafeInteger(key) && key >= 0 && key <= highest ? key : undefined;
  } catch {
    return undefined;
  }
}

export const writeAuditCursor = (key: AuditKey | null): string | null =>
  key && written([key.at, key.clientId, key.sequence]);

/** Undefined when it is not one of ours. */
export function readAuditCursor(cursor: string): AuditKey | undefined {
  try {
    const [at, clientId, sequence] = valuesOf(cursor);
    const isKey = isInstant(at) && isCount(clientId) && Number.isSafeInteger(sequence) && sequence >= 0;
    return isKey ? { at, clientId, sequence } : undefined;
  } catch {
    return undefined;
  }
}

export const writeDraftCursor = (key: DraftKey | null): string | null =>
  key && written([key.at, key.draftId, key.clientId]);

/** Undefined when it is not one of ours. */
export function readDraftCursor(cursor: string): DraftKey | undefined {
  try {
    const [at, draftId, clientId] = valuesOf(cursor);
    const isKey = isInstant(at) && isValid(DraftId, draftId) && isClientId(clientId);
    return isKey ? { at, draftId, clientId } : undefined;
  } catch {
    return undefined;
  }
}

/** Of a list whose place is said by the id of one thing. */
export const writeIdCursor = (id: string | null): string | null => (id === null ? null : written([id]));

/** Undefined when it is not one of ours. */
export function readIdCursor(cursor: string, isId: (id: unknown) => boolean): string | undefined {
  try {
    const [id] = valuesOf(cursor);
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

const isClientId = (value: unknown): boolean => isValid(ClientId, value);

export const writeReportCursor = (keys: (string | number)[]): string => written(keys);

/** Undefined when it is not one of ours, or of another report. */
export function readReportCursor(cursor: string, types: ('int' | 'text')[]): (string | number)[] | undefined {
  try {
    const keys: unknown = valuesOf(cursor);
    const isOurs =
      Array.isArray(keys) &&
      keys.length === types.length &&
      keys.every((key, i) => (types[i] === 'int' ? isClientId(key) : typeof key === 'string' && !key.includes('\0')));
    return isOurs ? keys : undefined;
  } catch {
    return undefined;
  }
}
