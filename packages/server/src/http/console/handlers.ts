import type { StaffOperationTable } from '@freebets/contract';
import type { StaffHandlers } from './call.ts';
import { draftHandlers } from './draft-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';

/** What each operation of the staff does, once role, scope and schema have allowed it. */
export const staffHandlers: StaffHandlers<keyof StaffOperationTable> = {
  ...sessionHandlers,
  ...draftHandlers,
};
