import { EventSearchRequest, EventSearchResponse } from './events.ts';
import type { StaffOperations } from './staff-operation.ts';
import { staffPaths } from './staff-paths.ts';

export const eventStaffOperations = {
  EventSearch: {
    ...staffPaths.EventSearch,
    tag: 'Webhooks',
    summary: 'Find events, the latest first: of a type, a free bet, a campaign, a player, a job, or one by its id',
    request: EventSearchRequest,
    response: EventSearchResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperations>;
