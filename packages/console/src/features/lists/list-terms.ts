import type { CampaignGetResponse } from '@freebets/contract';
import { isWhole, type OwnForm, type OwnTerms, ownFormOf, ownTermsOf } from '../drafts/own-terms.tsx';
import type { DirectJob } from './own-terms-panel.tsx';

/** What every player of a list gets. */
export interface ListTerms {
  name: string;
  /** Null of a list with terms of its own. */
  campaign: CampaignGetResponse | null;
  bet_amounts: { currency: string; amount: string }[];
  quantity: number;
  config: { max_coefficient: string | null };
  /** As the service takes them; null while they are not whole. */
  request: { campaign_id: string } | OwnTerms | null;
}

export function termsOfCampaign(campaign: CampaignGetResponse): ListTerms {
  const { name, bet_amounts, quantity, config, campaign_id } = campaign;
  return { name, campaign, bet_amounts, quantity, config, request: { campaign_id } };
}

/** The same amount in each currency that fits. */
export function termsOfOwn(own: OwnForm, currencies: string[]): ListTerms {
  const terms = ownTermsOf(own);
  const { bet_amount, quantity, config } = terms;
  return {
    name: 'Own terms',
    campaign: null,
    bet_amounts: currencies.map((currency) => ({ currency, amount: bet_amount })),
    quantity,
    config: { max_coefficient: config?.max_coefficient ?? null },
    request: isWhole(own) ? terms : null,
  };
}

/** As they were sent before. */
export function ownFormOfJob({
  bet_amount,
  quantity,
  games,
  valid_until,
  valid_from,
  duration_min,
  config,
}: DirectJob) {
  const { min_coefficient, max_coefficient } = config;
  return ownFormOf(
    {
      quantity,
      games,
      valid_until,
      ...(valid_from !== null && { valid_from }),
      ...(duration_min !== null && { duration_min }),
      config: { ...(min_coefficient && { min_coefficient }), ...(max_coefficient && { max_coefficient }) },
    },
    bet_amount,
  );
}
