import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import {
  type Bet,
  betBody,
  type Fields,
  type FreeBet,
  freeBetBody,
  freeBetsOf,
  statusOf,
  type World,
} from './rounds-model.ts';

// The events that a request must emit: every difference in the model's world, in this order. Only when an
// expiry is emitted depends on the sweeper; that it is emitted once, and its content, does not.

export interface EmittedEvent {
  clientId: number;
  type: string;
  occurred_at: string;
  data: Fields;
}

export interface Before {
  freeBets: ReadonlyMap<FreeBet, boolean>;
  bets: ReadonlyMap<Bet, Bet['state']>;
}

export const snapshotOf = ({ freeBets, bets }: World): Before => ({
  freeBets: new Map(freeBets.map((freeBet) => [freeBet, freeBet.cancelled])),
  bets: new Map(bets.map((bet) => [bet, bet.state])),
});

const betEvents = {
  placed: 'freebet.used',
  won: 'freebet.settled',
  lost: 'freebet.settled',
  rolled_back: 'freebet.rolled_back',
};

export function emittedSince(world: World, before: Before): EmittedEvent[] {
  const emitted: EmittedEvent[] = [];
  const emit = (clientId: number, type: string, data: Fields) =>
    emitted.push({ clientId, type, occurred_at: new Date(world.now).toISOString(), data });
  const free = (freeBet: FreeBet) => ({ free_bet: freeBetBody(world, freeBet) });
  for (const freeBet of world.freeBets) {
    const { clientId, campaignId, cancelled } = freeBet;
    const isNew = !before.freeBets.has(freeBet);
    if (isNew) emit(clientId, 'freebet.issued', free(freeBet));
    if (isNew && isFull(world, freeBet)) {
      emit(clientId, 'campaign.exhausted', { campaign: { campaign_id: campaignId, status: 'exhausted' } });
    }
    if (cancelled && before.freeBets.get(freeBet) === false) emit(clientId, 'freebet.cancelled', free(freeBet));
  }
  for (const bet of world.bets) {
    const { freeBet, state, clientId } = bet;
    if (freeBet === null || before.bets.get(bet) === state) continue;
    emit(clientId, betEvents[state], { ...free(freeBet), bet: betBody(bet) });
    const isFinished = betEvents[state] === 'freebet.settled' && statusOf(world, freeBet) === 'finished';
    if (isFinished) emit(clientId, 'freebet.finished', free(freeBet));
  }
  return emitted;
}

function isFull(world: World, { clientId, campaignId }: FreeBet): boolean {
  const campaign = world.campaigns.find((each) => each.clientId === clientId && each.id === campaignId);
  if (campaign === undefined || campaign.limit === null) return false;
  return freeBetsOf(world, campaign).filter(({ cancelled }) => !cancelled).length === campaign.limit;
}

/** Of a campaign only what the model knows of it. */
const known = ({ free_bet, bet, campaign }: Fields): Fields => {
  if (campaign !== undefined) return { campaign: { campaign_id: campaign.campaign_id, status: campaign.status } };
  return bet === undefined ? { free_bet } : { free_bet, bet };
};

/** A partner's feed since the run began, with the values made comparable. Those of runs before may still expire in it. */
export function assertEmitted(
  world: World,
  clientId: number,
  expected: EmittedEvent[],
  feed: Fields[],
  sweeps: boolean,
): void {
  const isExpiry = ({ type }: Fields) => type === 'freebet.expired';
  const wanted = expected.filter((emitted) => emitted.clientId === clientId);
  const got = feed
    .filter((event) => !isExpiry(event))
    .map(({ type, occurred_at, data }) => ({ clientId, type, occurred_at, data: known(data) }));
  const first = wanted.findIndex((emitted, i) => !isDeepStrictEqual(emitted, got[i]));
  assert.equal(first, -1, `emitted ${show(got[first])}\nexpected ${show(wanted[first])}`);
  assert.equal(got.length, wanted.length, `emitted more than expected: ${show(got[wanted.length])}`);

  const own = new Map(world.freeBets.filter((each) => each.clientId === clientId).map((each) => [each.issueId, each]));
  const expiries = feed.filter((event) => isExpiry(event) && own.has(event.data.free_bet.issue_id));
  for (const { occurred_at, data } of expiries) {
    const { remaining, ...rest } = data.free_bet;
    const { remaining: left, ...now } = freeBetBody(world, own.get(rest.issue_id) as FreeBet);
    assert.deepEqual(rest, now);
    assert.ok(remaining > 0 && remaining <= left && occurred_at >= rest.expires_at, show(data));
  }
  const expired = [...own.values()].filter((freeBet) => sweeps && statusOf(world, freeBet) === 'expired');
  assert.deepEqual(
    expiries.map(({ data }) => data.free_bet.issue_id).toSorted(),
    expired.map(({ issueId }) => issueId).toSorted(),
    'each expiry is emitted once',
  );
}

const show = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each));
