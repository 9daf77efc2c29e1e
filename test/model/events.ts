import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { jobBody } from './jobs-model.ts';
import { type Campaign, comparable, type Fields, freeBetBody, isFull, iso, statusOf, type World } from './model.ts';
import { campaignBody, campaignStatuses } from './reads.ts';

// The events that a request must emit: every difference in the model's world, in this order.

interface EmittedEvent {
  type: string;
  /** If a campaign may have one of several statuses, an event may have any of them. */
  bodies: Fields[];
}

function eventsBetween(before: World, after: World, now: number): EmittedEvent[] {
  const emitted: EmittedEvent[] = [];
  const emitCampaignEvent = (type: string, campaign: Campaign) => {
    const bodies = campaignStatuses({ world: after, now }, campaign).map((status) => ({
      campaign: { ...campaignBody(campaign), status },
    }));
    emitted.push({ type, bodies });
  };
  for (const campaign of after.campaigns.values()) {
    const earlier = before.campaigns.get(campaign.id);
    if (earlier === undefined) emitCampaignEvent('campaign.created', campaign);
    if (earlier === undefined) continue;
    if (earlier.stoppedAt !== campaign.stoppedAt) emitCampaignEvent('campaign.stopped', campaign);
    if (earlier.pausedAt !== campaign.pausedAt) {
      emitCampaignEvent(campaign.pausedAt === null ? 'campaign.resumed' : 'campaign.paused', campaign);
    }
    const limits = [campaign.bonusLimit, campaign.bonusLimitPerUser];
    if (!isDeepStrictEqual([earlier.bonusLimit, earlier.bonusLimitPerUser], limits)) {
      emitCampaignEvent('campaign.limits_changed', campaign);
    }
  }
  for (const freeBet of after.freeBets.values()) {
    const earlier = before.freeBets.get(freeBet.issueId);
    if (earlier?.cancelled === freeBet.cancelled) continue;
    const body = { free_bet: freeBetBody(freeBet, statusOf(freeBet, now)) };
    emitted.push({ type: earlier === undefined ? 'freebet.issued' : 'freebet.cancelled', bodies: [body] });
    const campaign = earlier === undefined ? after.campaigns.get(freeBet.campaignId ?? '') : undefined;
    if (campaign !== undefined && isFull(after, campaign)) emitCampaignEvent('campaign.exhausted', campaign);
  }
  for (const [id, job] of after.jobs) {
    const wasFinishedAt = before.jobs.get(id)?.finishedAt ?? null;
    if (job.finishedAt !== wasFinishedAt) emitted.push({ type: 'job.finished', bodies: [{ job: jobBody(job, now) }] });
  }
  return emitted;
}

const bodyOf = (data: Fields): Fields =>
  Object.fromEntries(Object.entries(data).map(([name, body]) => [name, comparable(body)]));

/** The number of events that the request emitted, if they come next; otherwise undefined. */
export function eventsNext(before: World, after: World, feed: Fields[], now: number): number | undefined {
  const emitted = eventsBetween(before, after, now);
  const isEmitted = ({ type, bodies }: EmittedEvent, event: Fields) =>
    event?.type === type &&
    event.occurred_at === iso(now) &&
    bodies.some((body) => isDeepStrictEqual(bodyOf(event.data), body));
  return emitted.every((each, i) => isEmitted(each, feed[i])) ? emitted.length : undefined;
}

export const isExpiry = ({ type }: Fields): boolean => type === 'freebet.expired';

/** Whether the sweeper has come by is left to time; but nothing expires twice, or before it does. */
export function assertExpiries(world: World, expiries: Fields[], now: number): void {
  const ids = expiries.map(({ data }) => data.free_bet.issue_id);
  assert.equal(new Set(ids).size, ids.length, 'none expires twice');
  for (const { data, occurred_at } of expiries) {
    const freeBet = world.freeBets.get(data.free_bet.issue_id);
    assert.ok(freeBet !== undefined && statusOf(freeBet, now) === 'expired', JSON.stringify(data));
    assert.deepEqual(bodyOf(data), { free_bet: freeBetBody(freeBet, 'expired') });
    assert.ok(occurred_at >= iso(freeBet.expiresAt));
  }
}
