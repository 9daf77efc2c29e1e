import type { Static, TSchema } from 'typebox';
import { auditOperations } from './audit-operations.ts';
import { campaignStaffOperations } from './campaign-staff-operations.ts';
import { catalogueOperations } from './catalogue-operations.ts';
import { confirmationOperations } from './confirmation-operations.ts';
import { draftOperations } from './draft-operations.ts';
import { eventStaffOperations } from './event-staff-operations.ts';
import { overviewOperations } from './overview-operations.ts';
import { partnerOperations } from './partner-operations.ts';
import { playerOperations } from './player-operations.ts';
import { reportOperations } from './report-operations.ts';
import { sandboxStaffOperations } from './sandbox-staff-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { staffAdminOperations } from './staff-admin-operations.ts';
import type { StaffOperations } from './staff-operation.ts';
import { systemOperations } from './system-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

// The operations that staff alone call, by what they are about. Beside them staff call those of partners, see paths.ts.

export const staffOperations = {
  ...sessionOperations,
  ...staffAdminOperations,
  ...partnerOperations,
  ...webhookOperations,
  ...reportOperations,
  ...catalogueOperations,
  ...draftOperations,
  ...confirmationOperations,
  ...auditOperations,
  ...systemOperations,
  ...overviewOperations,
  ...campaignStaffOperations,
  ...eventStaffOperations,
  ...playerOperations,
  ...sandboxStaffOperations,
} as const satisfies StaffOperations;

export type StaffOperationTable = typeof staffOperations;
export type StaffRequestOf<N extends keyof StaffOperationTable> = Static<StaffOperationTable[N]['request']>;
/** Never for a file. */
export type StaffResponseOf<N extends keyof StaffOperationTable> = StaffOperationTable[N]['response'] extends {
  file: string;
}
  ? never
  : Static<Extract<StaffOperationTable[N]['response'], TSchema>>;
