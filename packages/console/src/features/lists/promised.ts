import type { CampaignGetResponse } from '@freebets/contract';
import { type Alike, leftOf } from '../campaigns/cost.ts';
import type { CheckedList } from './check-list.ts';

/** What a list can issue within the limits of its campaign. It can be less, if players already have free bets of the campaign. */
export interface Promised {
  freeBets: number;
  /** Free bets of the list that each limit refuses for certain. */
  beyondPlayers: number;
  beyondCampaign: number;
  alike: Alike[];
}

type Campaign = Pick<CampaignGetResponse, 'config' | 'counts'> | null;

export function promisedOf(campaign: Campaign, checked: Pick<CheckedList, 'items' | 'alike' | 'mostOfOne'>): Promised {
  const { items, alike, mostOfOne } = checked;
  const perPlayer = campaign?.config.bonus_limit_per_user ?? null;
  const left = campaign === null ? null : leftOf(campaign);
  const ofPlayers =
    perPlayer === null || mostOfOne <= perPlayer
      ? { freeBets: items.length, alike: [...alike.values()] }
      : withinPlayerLimit(items, perPlayer);
  const freeBets = Math.min(ofPlayers.freeBets, left ?? Number.POSITIVE_INFINITY);
  return {
    ...ofPlayers,
    freeBets,
    beyondPlayers: items.length - ofPlayers.freeBets,
    beyondCampaign: ofPlayers.freeBets - freeBets,
  };
}

/** The most free bets in each currency. Which free bet of a player a limit refuses depends on the player's earlier ones. */
function withinPlayerLimit(items: CheckedList['items'], perPlayer: number): Pick<Promised, 'freeBets' | 'alike'> {
  const given = new Map<string, number>();
  const takes = (key: string): boolean => {
    const before = given.get(key) ?? 0;
    if (before < perPlayer) given.set(key, before + 1);
    return before < perPlayer;
  };
  const players = new Map<string, number>();
  let freeBets = 0;
  for (const { player_id, currency } of items) {
    if (takes(player_id)) freeBets += 1;
    if (takes(`${player_id}\n${currency}`)) players.set(currency, (players.get(currency) ?? 0) + 1);
  }
  return { freeBets, alike: [...players].map(([currency, count]) => ({ currency, players: count })) };
}
