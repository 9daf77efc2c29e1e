import type { StaffOperationRows } from './operation-types.ts';
import { OverviewGetRequest, OverviewGetResponse } from './overview.ts';

export const overviewOperations = {
  OverviewGet: {
    tag: 'Reports',
    summary: 'How things stand: live campaigns, today against last week, exposure, webhooks, jobs, approvals',
    request: OverviewGetRequest,
    response: OverviewGetResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
