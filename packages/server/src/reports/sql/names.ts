import type { PartnerSelection } from '../../calls/partner-selection.ts';
import { named, type Statement } from '../../engine/statement.ts';
import { selectedPartnerIds } from './reports.ts';

// The names of partners and campaigns in reports.

export interface NamedPartner {
  client_id: number;
  name: string;
}

const selectPartners = named<NamedPartner>(
  'partner_names',
  'SELECT client_id, name FROM partners WHERE client_id = ANY ($1::int[])',
);

export const findPartnerNames = (ids: number[]): Statement<NamedPartner[]> => selectPartners([ids]);

export interface NamedCampaign extends NamedPartner {
  campaign_id: string;
}

/** Reads all selected partners, because two of them may have a campaign with the same id. */
export const findCampaignNames = (wanted: PartnerSelection, ids: string[]): Statement<NamedCampaign[]> =>
  named<NamedCampaign>(
    '',
    `SELECT client_id, campaign_id, name FROM campaigns
     WHERE client_id = ANY (${selectedPartnerIds(wanted)}) AND campaign_id = ANY ($2::text[])`,
  )([wanted.partners, ids]);
