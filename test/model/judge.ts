import { isDeepStrictEqual } from 'node:util';
import { toldNext } from './events.ts';
import {
  campaignOf,
  comparable,
  type Fields,
  type FreeBet,
  freeBetBody,
  freeBetOf,
  issuedBody,
  type Offer,
  type Refusals,
  type Seen,
  statusOf,
  type Verdict,
  type WorkingSet,
} from './model.ts';

// Whether an answer is right, given the book in which the request found the service.

export interface Judged {
  operation: string;
  body: Fields;
  seen: Seen;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const show = (value: unknown) => JSON.stringify(value);

function shouldBe(expected: Fields, seen: Seen, book: WorkingSet): Verdict {
  if (!seen.ok) return { wrong: `refused with ${seen.error}, expected ${show(expected)}` };
  const got = comparable(seen.body);
  return isDeepStrictEqual(got, expected) ? { book } : { wrong: `answered ${show(got)}, expected ${show(expected)}` };
}

function shouldRefuse(refusals: Refusals, seen: Seen, book: WorkingSet): Verdict {
  const names = [...refusals.keys()].join(' or ');
  if (seen.ok) return { wrong: `answered ${show(seen.body)}, expected ${names}` };
  const fields = refusals.get(seen.error);
  if (fields === undefined) return { wrong: `refused with ${seen.error}, expected ${names}` };
  const isNamed = seen.fields.every((field) => fields.includes(field));
  if (isNamed && seen.fields.length > 0 === fields.length > 0) return { book };
  return { wrong: `${seen.error} names ${show(seen.fields)}, expected of ${show(fields)}` };
}

const refusing = (error: string, seen: Seen, book: WorkingSet) => shouldRefuse(new Map([[error, []]]), seen, book);

function create(book: WorkingSet, offer: Offer, { body, seen }: Judged, now: number): Verdict {
  const { campaign, refusals } = campaignOf(body, offer, now);
  const existing = book.campaigns.get(campaign.id);
  if (existing !== undefined && existing.content !== campaign.content) return refusing('id_reused', seen, book);
  if (existing !== undefined) return shouldBe({ campaign_id: existing.id }, seen, book);
  if (refusals.size > 0) return shouldRefuse(refusals, seen, book);
  const made = seen.ok ? seen.body.campaign_id : undefined;
  const id = campaign.id ?? made;
  if (typeof id !== 'string' || book.campaigns.has(id)) return { wrong: `a new campaign ${show(seen)}` };
  const campaigns = new Map(book.campaigns).set(id, { ...campaign, id });
  return shouldBe({ campaign_id: id }, seen, { ...book, campaigns });
}

function stop(book: WorkingSet, { body, seen }: Judged, now: number): Verdict {
  const campaign = book.campaigns.get(body.campaign_id);
  if (campaign === undefined) return refusing('campaign_not_found', seen, book);
  const campaigns = new Map(book.campaigns).set(campaign.id, { ...campaign, stoppedAt: campaign.stoppedAt ?? now });
  return shouldBe({}, seen, { ...book, campaigns });
}

function issue(book: WorkingSet, offer: Offer, { body, seen }: Judged, now: number): Verdict {
  const { freeBet, content, refusals } = freeBetOf(book, body, offer, now);
  const existing = book.freeBets.get(body.issue_id?.toLowerCase());
  if (existing !== undefined && existing.content !== content) return refusing('id_reused', seen, book);
  if (existing !== undefined) return shouldBe(issuedBody(existing), seen, book);
  if (freeBet === null || refusals.size > 0) return shouldRefuse(refusals, seen, book);
  const made = seen.ok ? seen.body.issue_id : undefined;
  const issueId = freeBet.issueId ?? made;
  if (!uuid.test(issueId) || book.freeBets.has(issueId)) return { wrong: `a new free bet ${show(seen)}` };
  return shouldBe(issuedBody({ ...freeBet, issueId }), seen, withFreeBet(book, { ...freeBet, issueId }));
}

const withFreeBet = (book: WorkingSet, freeBet: FreeBet): WorkingSet => ({
  ...book,
  freeBets: new Map(book.freeBets).set(freeBet.issueId, freeBet),
});

function cancel(book: WorkingSet, { body, seen }: Judged, now: number): Verdict {
  const freeBet = book.freeBets.get(body.issue_id.toLowerCase());
  if (freeBet === undefined) return refusing('free_bet_not_found', seen, book);
  if (freeBet.cancelled) return shouldBe({}, seen, book);
  if (now >= freeBet.expiresAt) return refusing('free_bet_expired', seen, book);
  return shouldBe({}, seen, withFreeBet(book, { ...freeBet, cancelled: true }));
}

function get(book: WorkingSet, { body, seen }: Judged, now: number): Verdict {
  const freeBet = book.freeBets.get(body.issue_id.toLowerCase());
  if (freeBet === undefined) return refusing('free_bet_not_found', seen, book);
  return shouldBe({ ...freeBetBody(freeBet, statusOf(freeBet, now)), bets: [] }, seen, book);
}

function judge(book: WorkingSet, offer: Offer, judged: Judged, now: number): Verdict {
  switch (judged.operation) {
    case 'CampaignCreate':
      return create(book, offer, judged, now);
    case 'CampaignStop':
      return stop(book, judged, now);
    case 'Issue':
      return issue(book, offer, judged, now);
    case 'Cancel':
      return cancel(book, judged, now);
    case 'FreeBetGet':
      return get(book, judged, now);
    default:
      throw new Error(`the model does not know ${judged.operation}`);
  }
}

/**
 * Requests under way at the same moment are carried out in some order. Each thread is a list that keeps its own order,
 * such as the items of a batch; the book after an order that fits all answers and is the order in which the partner was
 * told, or why there is none.
 */
export function judgeTogether(
  book: WorkingSet,
  offer: Offer,
  threads: Judged[][],
  feed: Fields[],
  now: number,
): Verdict {
  const open = threads.filter((thread) => thread.length > 0);
  if (open.length === 0) return feed.length === 0 ? { book } : { wrong: `and for nothing was told ${show(feed)}` };
  const reasons: string[] = [];
  for (const thread of open) {
    const [first, ...rest] = thread as [Judged, ...Judged[]];
    const verdict = judge(book, offer, first, now);
    const told = 'book' in verdict ? toldNext(book, verdict.book, feed, now) : 0;
    if ('wrong' in verdict) reasons.push(`${first.operation} ${show(first.body)} ${verdict.wrong}`);
    else if (told === undefined)
      reasons.push(`${first.operation} ${show(first.body)} was not told by ${show(feed[0])}`);
    else {
      const others = open.filter((each) => each !== thread);
      const later = judgeTogether(verdict.book, offer, [...others, rest], feed.slice(told), now);
      if ('book' in later) return later;
      reasons.push(later.wrong);
    }
  }
  return { wrong: reasons.join('\n') };
}
