import { OverviewGetRequest, OverviewGetResponse } from './overview.ts';
import type { StaffOperations } from './staff-operation.ts';
import { staffPaths } from './staff-paths.ts';

export const overviewOperations = {
  OverviewGet: {
    ...staffPaths.OverviewGet,
    tag: 'Reports',
    summary: 'How things stand: live campaigns, today against last week, exposure, webhooks, jobs, approvals',
    request: OverviewGetRequest,
    response: OverviewGetResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperations>;
