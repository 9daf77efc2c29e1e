import type { StaffOperationName } from '@freebets/contract';
import { auditHandlers } from '../../audit/api.ts';
import type { StaffHandlers } from '../../calls/staff-call.ts';
import { eventHandlers } from '../../events/feed/api.ts';
import { webhookHandlers } from '../../events/webhooks/api.ts';
import { partnerHandlers } from '../../partners/callers/api/partners.ts';
import { providerHandlers } from '../../partners/callers/api/providers.ts';
import { catalogueHandlers } from '../../partners/catalogue/api.ts';
import { accountHandlers } from '../../people/api/account.ts';
import { staffAdminHandlers } from '../../people/api/administration.ts';
import { sessionHandlers } from '../../people/api/sessions.ts';
import { confirmationHandlers } from '../../people/confirmations/api.ts';
import { campaignHandlers } from '../../promo/campaigns/api.ts';
import { draftHandlers } from '../../promo/drafts/api.ts';
import { sandboxHandlers } from '../../promo/sandbox/api.ts';
import { overviewHandlers } from '../../reports/api/overview.ts';
import { playerHandlers } from '../../reports/api/players.ts';
import { reportHandlers } from '../../reports/api/reports.ts';
import { systemHandlers } from '../../reports/api/system.ts';

/** What each operation of the staff does, once role, scope and schema have allowed it. */
export const staffHandlers: StaffHandlers<StaffOperationName> = {
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
