import type { BetEventType, CampaignEventType, EventBody, FreeBetEventType } from '@freebets/contract';
import { formatInstant, type Instant } from './amounts.ts';
import { type BetFacts, betBody } from './bet.ts';
import { type Campaign, type CampaignState, campaignBody } from './campaign.ts';
import { type FreeBetFacts, freeBetBody } from './free-bet.ts';

/** What a rule has to tell the partner, with everything as it stood at that moment. */
export type Told = ToldOfFreeBet | ToldOfBet | ToldOfCampaign;

export interface ToldOfFreeBet {
  type: FreeBetEventType;
  freeBet: FreeBetFacts;
}

export interface ToldOfBet {
  type: BetEventType;
  freeBet: FreeBetFacts;
  bet: BetFacts;
}

export interface ToldOfCampaign {
  type: CampaignEventType;
  campaign: Campaign;
  state: CampaignState;
}

/** What was told, once it has its number. */
export interface Event {
  eventId: string;
  sequence: number;
  occurredAt: Instant;
  told: Told;
}

export const eventBody = (clientId: number, { eventId, sequence, occurredAt, told }: Event): EventBody =>
  ({
    event_id: eventId,
    sequence,
    type: told.type,
    occurred_at: formatInstant(occurredAt),
    client_id: clientId,
    data: dataOf(told, occurredAt),
  }) as EventBody;

function dataOf(told: Told, at: Instant): EventBody['data'] {
  if ('campaign' in told) return { campaign: campaignBody(told.campaign, told.state, at) };
  const data = { free_bet: freeBetBody(told.freeBet, at) };
  return 'bet' in told ? { ...data, bet: betBody(told.bet, told.freeBet) } : data;
}
