import type { StaffOperationTable } from '@freebets/contract';
import { accountHandlers } from './account-handlers.ts';
import { auditHandlers } from './audit-handlers.ts';
import type { StaffHandlers } from './call.ts';
import { campaignHandlers } from './campaign-handlers.ts';
import { catalogueHandlers } from './catalogue-handlers.ts';
import { confirmationHandlers } from './confirmation-handlers.ts';
import { draftHandlers } from './draft-handlers.ts';
import { eventHandlers } from './event-handlers.ts';
import { overviewHandlers } from './overview-handlers.ts';
import { partnerHandlers } from './partner-handlers.ts';
import { playerHandlers } from './player-handlers.ts';
import { providerHandlers } from './provider-handlers.ts';
import { reportHandlers } from './report-handlers.ts';
import { sandboxHandlers } from './sandbox-handlers.ts';
import { sessionHandlers } from './session-handlers.ts';
import { staffAdminHandlers } from './staff-handlers.ts';
import { systemHandlers } from './system-handlers.ts';
import { webhookHandlers } from './webhook-handlers.ts';

/** What each operation of the staff does, once role, scope and schema have allowed it. */
export const staffHandlers: StaffHandlers<keyof StaffOperationTable> = {
  ...sessionHandlers,
  ...accountHandlers,
  ...staffAdminHandlers,
  ...partnerHandlers,
  ...providerHandlers,
  ...webhookHandlers,
  ...reportHandlers,
  ...catalogueHandlers,
  ...draftHandlers,
  ...confirmationHandlers,
  ...auditHandlers,
  ...systemHandlers,
  ...overviewHandlers,
  ...campaignHandlers,
  ...eventHandlers,
  ...playerHandlers,
  ...sandboxHandlers,
};
