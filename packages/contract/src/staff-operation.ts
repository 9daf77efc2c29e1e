import type { TSchema } from 'typebox';
import type { ErrorName } from './errors.ts';
import { text } from './formats.ts';
import type { StaffOperationName, staffPaths } from './staff-paths.ts';
import { Type } from './type.ts';

/** A row of the table of operations that staff alone call. */
export interface StaffOperation {
  path: string;
  tag:
    | 'Session'
    | 'Staff'
    | 'Partners'
    | 'Catalogue'
    | 'Webhooks'
    | 'Drafts'
    | 'Confirmations'
    | 'Audit'
    | 'Reports'
    | 'System'
    | 'Campaigns'
    | 'Players';
  summary: string;
  request: TSchema;
  /** A file is sent as it is made, of this content type. */
  response: TSchema | { file: 'text/csv; charset=utf-8' | 'application/x-ndjson' | 'application/json' };
  /** Beside those that every operation can answer. */
  errors: ErrorName[];
  /** In bytes; 1 MiB when absent. */
  maxBody?: number;
}

export type StaffOperations = { [N in StaffOperationName]: StaffOperation & (typeof staffPaths)[N] };

/** Why somebody changes something: beside the fields of the operation, in every request that changes something. */
const words = text(500, 'Why it is done');
export const Reason = Type.String({
  ...words,
  // Blanks alone are no reason.
  pattern: String((words as { pattern?: string }).pattern).replace('^', '^(?=(?:\\s*\\S){3})'),
  'x-form': '3 to 500 printable characters, not all of them blank',
});
