import type { StaffOperationTable } from '@freebets/contract';
import { auditHandlers } from './audit-handlers.ts';
import type { StaffHandlers } from './call.ts';
import { sessionHandlers } from './session-handlers.ts';
import { systemHandlers } from './system-handlers.ts';

/** What each operation of the staff does, once role, scope and schema have allowed it. */
export const staffHandlers: StaffHandlers<keyof StaffOperationTable> = {
  ...sessionHandlers,
  ...auditHandlers,
  ...systemHandlers,
};
