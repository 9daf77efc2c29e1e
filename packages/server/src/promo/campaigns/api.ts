import { CampaignId, isValid } from '@freebets/contract';
import { badCursor, readIdCursor, writeIdCursor } from '../../calls/cursor.ts';
import { inReportTurn } from '../../calls/report-turns.ts';
import type { StaffHandlers } from '../../calls/staff-call.ts';
import { firstFitting } from '../../engine/page.ts';
import { ask } from '../../engine/statement.ts';
import { done } from '../../primitives/outcome.ts';
import { readCountedCampaigns } from '../api/reads.ts';
import { searchCampaigns } from './sql/search.ts';

export const campaignHandlers: StaffHandlers<'CampaignSearch'> = {
  async CampaignSearch(call, { client_id, search = null, status = null, sort = 'newest', limit = 50, cursor }) {
    const after = cursor === undefined ? null : readIdCursor(cursor, (id) => isValid(CampaignId, id));
    if (after === undefined) return badCursor;
    const { services } = call;
    const wanted = searchCampaigns(client_id, sort, { search, status, after, limit });
    const found = await inReportTurn(call, (pool) => ask(pool, wanted));
    const campaigns = await readCountedCampaigns(services.consolePool, client_id, found.ids);
    const shown = firstFitting(campaigns, (campaign) => Buffer.byteLength(JSON.stringify(campaign)));
    const next = shown.length < campaigns.length ? (shown.at(-1)?.campaign_id ?? null) : found.next;
    return done({ campaigns: shown, next_cursor: writeIdCursor(next) });
  },
};
