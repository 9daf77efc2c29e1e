import type { CampaignGetResponse, JobBody } from '@freebets/contract';
import { useMemo } from 'react';
import { count } from '../../ui/figures.tsx';
import { GamePictures, useGames } from '../../ui/games.tsx';
import { Details } from '../../ui/page.tsx';
import { exactText } from '../../ui/time.tsx';
import { coefficientsText, durationText, gamesText } from '../campaigns/terms.tsx';
import { isComplete, type OwnForm, type OwnTerms, ownFormOf, ownTermsOf } from '../drafts/own-terms.tsx';
import { type CheckedList, type Promised, promisedOf } from './check-list.ts';

/** What every player of a bulk award gets. */
export interface ListTerms {
  name: string;
  /** Null for a bulk award with its own terms. */
  campaign: CampaignGetResponse | null;
  bet_amounts: { currency: string; amount: string }[];
  quantity: number;
  config: { max_coefficient: string | null };
  /** In the format of the service; null while incomplete. */
  request: { campaign_id: string } | OwnTerms | null;
}

export function termsOfCampaign(campaign: CampaignGetResponse): ListTerms {
  const { name, bet_amounts, quantity, config, campaign_id } = campaign;
  return { name, campaign, bet_amounts, quantity, config, request: { campaign_id } };
}

/** The same amount in each available currency. */
export function termsOfOwn(own: OwnForm, currencies: string[]): ListTerms {
  const terms = ownTermsOf(own);
  const { bet_amount, quantity, config } = terms;
  return {
    name: 'Own terms',
    campaign: null,
    bet_amounts: currencies.map((currency) => ({ currency, amount: bet_amount })),
    quantity,
    config: { max_coefficient: config?.max_coefficient ?? null },
    request: isComplete(own) ? terms : null,
  };
}

/** The form with the terms of an existing bulk award. */
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

export type DirectJob = Exclude<JobBody, { campaign_id: string }>;

/** The terms of a bulk award without a campaign. A player can get several of its free bets. */
export function OwnTermsPanel({ job }: { job: DirectJob }) {
  const { quantity, bet_amount, games, valid_from, valid_until, duration_min, config } = job;
  const { titleOf } = useGames(games.slice(0, 3));
  return (
    <Details
      title="Terms of each free bet"
      rows={[
        ['Bets per free bet', `${count(quantity)}, unless the list sets it`],
        ['Stake per bet', `${bet_amount} in the player’s currency, unless the list sets it`],
        ['Games', gamesText(games, titleOf)],
        ...(valid_from === null ? [] : [['Usable from', exactText(valid_from)] as [string, string]]),
        ['Usable until', exactText(valid_until)],
        ['Free bet valid for', duration_min === null ? 'until then' : durationText(duration_min)],
        ['Odds', coefficientsText({ minCoefficient: config.min_coefficient, maxCoefficient: config.max_coefficient })],
      ]}
    >
      <GamePictures ids={games} most={5} isTitled />
    </Details>
  );
}

export const freeBetsText = (number: number): string => `${count(number)} free ${number === 1 ? 'bet' : 'bets'}`;

/** Counts each player once. */
export function playersText({ items, repeated }: CheckedList): string {
  const players = items.length - repeated.length;
  return `${count(players)} ${players === 1 ? 'player' : 'players'}`;
}

export const usePromised = ({ campaign }: Pick<ListTerms, 'campaign'>, checked: CheckedList): Promised =>
  useMemo(() => promisedOf(campaign, checked), [campaign, checked]);
