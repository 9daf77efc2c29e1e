import { isDeepStrictEqual } from 'node:util';
import { IssueId, isValid } from '@freebets/contract';
import { eventsNext } from './events.ts';
import { jobBody, newJob, withItem } from './jobs-model.ts';
import {
  againstJob,
  type Campaign,
  campaignOf,
  comparable,
  type Fields,
  type FreeBet,
  freeBetBody,
  freeBetOf,
  issuedBody,
  type Job,
  type Offer,
  type Refusals,
  type Seen,
  statusOf,
  type Verdict,
  type World,
} from './model.ts';
import { campaignBody, campaignStatuses } from './reads.ts';

// Whether an answer is right, given the world in which the request found the service.

export interface Judged {
  operation: string;
  body: Fields;
  seen: Seen;
  /** Of a batch, where a free bet of a campaign leaves out its games. */
  isItem?: boolean;
  /** The job of this item. A refusal is stored with its position instead of a response. */
  jobId?: string;
}

const show = (value: unknown) => JSON.stringify(value);

function shouldBe(expected: Fields, seen: Seen, world: World): Verdict {
  if (!seen.ok) return { wrong: `refused with ${seen.error}, expected ${show(expected)}` };
  const got = comparable(seen.body);
  return isDeepStrictEqual(got, expected) ? { world } : { wrong: `answered ${show(got)}, expected ${show(expected)}` };
}

function shouldRefuse(refusals: Refusals, seen: Seen, world: World): Verdict {
  const names = [...refusals.keys()].join(' or ');
  if (seen.ok) return { wrong: `answered ${show(seen.body)}, expected ${names}` };
  const fields = refusals.get(seen.error);
  if (fields === undefined) return { wrong: `refused with ${seen.error}, expected ${names}` };
  const isNamed = seen.fields.every((field) => fields.includes(field));
  if (isNamed && seen.fields.length > 0 === fields.length > 0) return { world };
  return { wrong: `${seen.error} names ${show(seen.fields)}, expected of ${show(fields)}` };
}

const refusing = (error: string, seen: Seen, world: World) => shouldRefuse(new Map([[error, []]]), seen, world);

function create(world: World, offer: Offer, { body, seen }: Judged, now: number): Verdict {
  const { campaign, refusals } = campaignOf(body, offer, now);
  const existing = world.campaigns.get(campaign.id);
  if (existing !== undefined && existing.content !== campaign.content) return refusing('id_reused', seen, world);
  if (existing !== undefined) return shouldBe({ campaign_id: existing.id }, seen, world);
  if (refusals.size > 0) return shouldRefuse(refusals, seen, world);
  const made = seen.ok ? seen.body.campaign_id : undefined;
  const id = campaign.id ?? made;
  if (typeof id !== 'string' || world.campaigns.has(id)) return { wrong: `a new campaign ${show(seen)}` };
  const campaigns = new Map(world.campaigns).set(id, { ...campaign, id });
  return shouldBe({ campaign_id: id }, seen, { ...world, campaigns });
}

function stop(world: World, { body, seen }: Judged, now: number): Verdict {
  const campaign = world.campaigns.get(body.campaign_id);
  if (campaign === undefined) return refusing('campaign_not_found', seen, world);
  const campaigns = new Map(world.campaigns).set(campaign.id, { ...campaign, stoppedAt: campaign.stoppedAt ?? now });
  return shouldBe({}, seen, { ...world, campaigns });
}

const withCampaign = (world: World, campaign: Campaign): World => ({
  ...world,
  campaigns: new Map(world.campaigns).set(campaign.id, campaign),
});

/** A stopped or ended campaign does not change. */
function pause(world: World, { operation, body, seen }: Judged, now: number): Verdict {
  const campaign = world.campaigns.get(body.campaign_id);
  if (campaign === undefined) return refusing('campaign_not_found', seen, world);
  const isOver = campaign.stoppedAt !== null || now >= campaign.terms.validUntil;
  const pausedAt = operation === 'CampaignPause' ? (campaign.pausedAt ?? now) : null;
  if (isOver || pausedAt === campaign.pausedAt) return shouldBe({}, seen, world);
  return shouldBe({}, seen, withCampaign(world, { ...campaign, pausedAt }));
}

function limit(world: World, { body, seen }: Judged, now: number): Verdict {
  const campaign = world.campaigns.get(body.campaign_id);
  if (campaign === undefined) return refusing('campaign_not_found', seen, world);
  const { bonus_limit: bonusLimit, bonus_limit_per_user: bonusLimitPerUser } = body;
  const isSame = bonusLimit === campaign.bonusLimit && bonusLimitPerUser === campaign.bonusLimitPerUser;
  const limited = isSame ? campaign : { ...campaign, bonusLimit, bonusLimitPerUser, limitsChangedAt: now };
  const after = isSame ? world : withCampaign(world, limited);
  const [status] = campaignStatuses({ world: after, now }, limited);
  return shouldBe({ ...campaignBody(limited), status }, seen, after);
}

function issue(world: World, offer: Offer, { body, seen, isItem = false, jobId }: Judged, now: number): Verdict {
  const answered = (freeBet: FreeBet) => {
    if (jobId !== undefined) return { issue_id: freeBet.issueId };
    return isItem ? itemBody(freeBet) : issuedBody(freeBet);
  };
  const { freeBet, content, refusals } = freeBetOf(world, body, offer, now);
  const existing = world.freeBets.get(body.issue_id?.toLowerCase());
  if (existing !== undefined && existing.content !== content) return refusing('id_reused', seen, world);
  if (existing !== undefined) return shouldBe(answered(existing), seen, world);
  if (freeBet === null || refusals.size > 0) return shouldRefuse(refusals, seen, world);
  const made = seen.ok ? seen.body.issue_id : undefined;
  const issueId = freeBet.issueId ?? made;
  if (!isValid(IssueId, issueId) || world.freeBets.has(issueId)) return { wrong: `a new free bet ${show(seen)}` };
  return shouldBe(answered({ ...freeBet, issueId }), seen, withFreeBet(world, { ...freeBet, issueId }));
}

function itemBody(freeBet: FreeBet): Fields {
  const { games, ...rest } = issuedBody(freeBet);
  return rest.campaign_id === null ? { games, ...rest } : rest;
}

const withFreeBet = (world: World, freeBet: FreeBet): World => ({
  ...world,
  freeBets: new Map(world.freeBets).set(freeBet.issueId, freeBet),
});

function cancel(world: World, { body, seen }: Judged, now: number): Verdict {
  const freeBet = world.freeBets.get(body.issue_id.toLowerCase());
  if (freeBet === undefined) return refusing('free_bet_not_found', seen, world);
  if (freeBet.cancelled) return shouldBe({}, seen, world);
  if (now >= freeBet.expiresAt) return refusing('free_bet_expired', seen, world);
  return shouldBe({}, seen, withFreeBet(world, { ...freeBet, cancelled: true }));
}

function get(world: World, { body, seen }: Judged, now: number): Verdict {
  const freeBet = world.freeBets.get(body.issue_id.toLowerCase());
  if (freeBet === undefined) return refusing('free_bet_not_found', seen, world);
  return shouldBe({ ...freeBetBody(freeBet, statusOf(freeBet, now)), bets: [] }, seen, world);
}

const withJob = (world: World, job: Job): World => ({
  ...world,
  jobs: new Map(world.jobs).set(job.asked.job_id, job),
});

function createJob(world: World, offer: Offer, { body, seen }: Judged, now: number): Verdict {
  const job = newJob(body, now);
  const existing = world.jobs.get(body.job_id);
  if (existing !== undefined) return shouldBe(jobBody(job, now), seen, world);
  const refusals = againstJob(world, body, offer, now);
  if (refusals.size > 0) return shouldRefuse(refusals, seen, world);
  return shouldBe(jobBody(job, now), seen, withJob(world, job));
}

function changeJob(world: World, { operation, body, seen }: Judged, now: number): Verdict {
  const job = world.jobs.get(body.job_id) as Job;
  if (operation === 'JobAdd') {
    const { job_id, part, items } = body;
    const added = { ...job, parts: job.parts + 1, items: job.items + items.length };
    return shouldBe({ job_id, part, items: items.length }, seen, withJob(world, added));
  }
  const started = operation === 'JobStart' ? { ...job, startedAt: job.startedAt ?? now } : job;
  return shouldBe(jobBody(started, now), seen, withJob(world, started));
}

function issueItem(world: World, offer: Offer, judged: Judged, now: number): Verdict {
  const verdict = issue(world, offer, judged, now);
  if ('wrong' in verdict) return verdict;
  const job = world.jobs.get(judged.jobId as string) as Job;
  return { world: withJob(verdict.world, withItem(job, judged.seen, now)) };
}

function judge(world: World, offer: Offer, judged: Judged, now: number): Verdict {
  switch (judged.operation) {
    case 'CampaignCreate':
      return create(world, offer, judged, now);
    case 'CampaignStop':
      return stop(world, judged, now);
    case 'CampaignPause':
    case 'CampaignResume':
      return pause(world, judged, now);
    case 'CampaignLimits':
      return limit(world, judged, now);
    case 'Issue':
      return (judged.jobId === undefined ? issue : issueItem)(world, offer, judged, now);
    case 'Cancel':
      return cancel(world, judged, now);
    case 'FreeBetGet':
      return get(world, judged, now);
    case 'JobCreate':
      return createJob(world, offer, judged, now);
    case 'JobAdd':
    case 'JobStart':
    case 'JobGet':
      return changeJob(world, judged, now);
    default:
      throw new Error(`the model does not know ${judged.operation}`);
  }
}

const isInert = (verdict: Verdict, world: World): boolean => 'world' in verdict && verdict.world === world;

/** Answered alike whether or not they change something, and another request can undo them: inert here, they may not be so later. */
const undoable = ['CampaignPause', 'CampaignResume', 'CampaignLimits'];

/**
 * Requests under way at the same moment are carried out in some order. Each thread is a list that keeps its own order,
 * such as the items of a batch. Returns the world after an order that fits all responses and the order of the events, or
 * the reason why there is none.
 */
export function judgeTogether(world: World, offer: Offer, threads: Judged[][], feed: Fields[], now: number): Verdict {
  const open = threads.filter((thread) => thread.length > 0);
  if (open.length === 0) return feed.length === 0 ? { world } : { wrong: `and without a request came ${show(feed)}` };
  // What fits here and changes nothing can come first in any order that fits: without it there are fewer orders to try.
  const inert = (open as [Judged, ...Judged[]][]).find(
    ([first]) => !undoable.includes(first.operation) && isInert(judge(world, offer, first, now), world),
  );
  if (inert !== undefined) {
    const others = open.filter((each) => each !== inert);
    return judgeTogether(world, offer, [...others, inert.slice(1)], feed, now);
  }
  const reasons: string[] = [];
  for (const thread of open) {
    const [first, ...rest] = thread as [Judged, ...Judged[]];
    const verdict = judge(world, offer, first, now);
    const emitted = 'world' in verdict ? eventsNext(world, verdict.world, feed, now) : 0;
    if ('wrong' in verdict) reasons.push(`${first.operation} ${show(first.body)} ${verdict.wrong}`);
    else if (emitted === undefined)
      reasons.push(`${first.operation} ${show(first.body)} did not emit ${show(feed[0])}`);
    else {
      const others = open.filter((each) => each !== thread);
      const later = judgeTogether(verdict.world, offer, [...others, rest], feed.slice(emitted), now);
      if ('world' in later) return later;
      reasons.push(later.wrong);
    }
  }
  return { wrong: reasons.join('\n').slice(0, 5000) };
}
