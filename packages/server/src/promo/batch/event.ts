import type { BetEventType, CampaignEventType, EventBody, FreeBetEventType, JobEventType } from '@freebets/contract';
import { formatInstant, type Instant, type WorldInstant } from '../../primitives/amounts.ts';
import { type Campaign, type CampaignState, campaignBody, campaignBytes } from '../campaigns/campaign.ts';
import { type FreeBetSnapshot, freeBetBody, freeBetBytes } from '../free-bets/free-bet.ts';
import { type JobSnapshot, jobBody, jobBytes } from '../jobs/job.ts';
import { type BetSnapshot, betBody } from '../rounds/bet.ts';

/** An event as a rule emits it, with a copy of the state at that moment. */
export type EmittedEvent = FreeBetEvent | BetEvent | CampaignEvent | JobEvent;

export interface FreeBetEvent {
  type: FreeBetEventType;
  freeBet: FreeBetSnapshot;
}

export interface BetEvent {
  type: BetEventType;
  freeBet: FreeBetSnapshot;
  bet: BetSnapshot;
}

export interface CampaignEvent {
  type: CampaignEventType;
  campaign: Campaign;
  state: CampaignState;
}

export interface JobEvent {
  type: JobEventType;
  job: JobSnapshot;
}

/** An emitted event with its number. */
export interface Event {
  eventId: string;
  sequence: number;
  /** Business time of the partner. */
  occurredAt: Instant;
  /** World time. */
  writtenAt: WorldInstant;
  emitted: EmittedEvent;
}

export const eventBody = (clientId: number, { eventId, sequence, occurredAt, emitted }: Event): EventBody =>
  ({
    event_id: eventId,
    sequence,
    type: emitted.type,
    occurred_at: formatInstant(occurredAt),
    client_id: clientId,
    data: dataOf(emitted, occurredAt),
  }) as EventBody;

function dataOf(emitted: EmittedEvent, at: Instant): EventBody['data'] {
  if ('campaign' in emitted) return { campaign: campaignBody(emitted.campaign, emitted.state, at) };
  if ('job' in emitted) return { job: jobBody(emitted.job, at) };
  const data = { free_bet: freeBetBody(emitted.freeBet, at) };
  return 'bet' in emitted ? { ...data, bet: betBody(emitted.bet, emitted.freeBet) } : data;
}

const betBytes = 500;

/** The most bytes that an event takes in a response. */
export function eventBytes(emitted: EmittedEvent): number {
  if ('campaign' in emitted) return campaignBytes(emitted.campaign);
  return 'job' in emitted ? jobBytes(emitted.job) : freeBetBytes(emitted.freeBet) + betBytes;
}
