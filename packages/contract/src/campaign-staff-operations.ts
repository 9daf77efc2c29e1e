import { CampaignListResponse, CampaignSearchRequest } from './campaigns.ts';
import type { StaffOperationRows } from './operation-types.ts';

export const campaignStaffOperations = {
  CampaignSearch: {
    tag: 'Campaigns',
    summary:
      'Find campaigns by name or id; newest, ending soonest or by name. A page may be short, and still have a next one',
    request: CampaignSearchRequest,
    response: CampaignListResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
