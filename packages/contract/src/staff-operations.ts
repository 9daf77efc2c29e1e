import type { Static } from 'typebox';
import { auditOperations } from './audit-operations.ts';
import { sessionOperations } from './session-operations.ts';
import type { StaffOperations } from './staff-operation.ts';
import { systemOperations } from './system-operations.ts';

// The operations that staff alone call, by what they are about. Beside them staff call those of partners, see paths.ts.

export const staffOperations = {
  ...sessionOperations,
  ...auditOperations,
  ...systemOperations,
} as const satisfies Partial<StaffOperations>;

/** Those that are there. */
export type StaffOperationTable = typeof staffOperations;
export type StaffRequestOf<N extends keyof StaffOperationTable> = Static<StaffOperationTable[N]['request']>;
export type StaffResponseOf<N extends keyof StaffOperationTable> = StaffOperationTable[N]['response'] extends {
  file: string;
}
  ? never
  : Static<StaffOperationTable[N]['response']>;
