import { EventSearchRequest, EventSearchResponse } from './events.ts';
import type { StaffOperationRows } from './operation-types.ts';

export const eventStaffOperations = {
  EventSearch: {
    tag: 'Webhooks',
    summary: 'Find events, the latest first: of a type, a free bet, a campaign, a player, a job, or one by its id',
    request: EventSearchRequest,
    response: EventSearchResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
