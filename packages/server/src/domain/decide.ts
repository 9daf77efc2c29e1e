import type { Instant } from './amounts.ts';
import { type Book, type CampaignEntry, type PlayerPlace, placeKey } from './book.ts';
import { isExhausted, newCampaignState } from './campaign.ts';
import type { CancelFreeBet, Command, CreateCampaign, IssueByCampaign, IssueDirect, StopCampaign } from './command.ts';
import { expiryOf, type FreeBet, isExpired, issuedBody } from './free-bet.ts';
import { done, type Outcome, refuse } from './outcome.ts';
import { whyTermsAreRefused } from './terms.ts';

// What each command does. Pure over the book: time and ids come in, the outcome comes back as a value, and a refused
// command leaves the book as it was.

export function decide(book: Book, command: Command, now: Instant): Outcome {
  switch (command.kind) {
    case 'create_campaign':
      return createCampaign(book, command, now);
    case 'stop_campaign':
      return stopCampaign(book, command, now);
    case 'issue_by_campaign':
      return once(book.freeBets.get(command.issueId), command, issuedBody, () => issueByCampaign(book, command, now));
    case 'issue_direct':
      return once(book.freeBets.get(command.issueId), command, issuedBody, () => issueDirect(book, command, now));
    case 'cancel_free_bet':
      return cancelFreeBet(book, command, now);
  }
}

/** Idempotency, for every write that makes something: what exists answers again, or refuses other content. */
function once<T extends { contentHash: string }>(
  existing: T | undefined,
  command: { contentHash: string },
  answerAgain: (existing: T) => object,
  run: () => Outcome,
): Outcome {
  if (existing === undefined) return run();
  return existing.contentHash === command.contentHash ? done(answerAgain(existing)) : refuse('id_reused');
}

function createCampaign(book: Book, command: CreateCampaign, now: Instant): Outcome {
  const { kind: _, ...fields } = command;
  const answer = () => ({ campaign_id: command.campaignId });
  return once(book.campaigns.get(command.campaignId)?.campaign, command, answer, () => {
    const currencies = new Map([...command.betAmounts.keys()].map((code, i) => [code, `bet_amounts[${i}].currency`]));
    const refusal = whyTermsAreRefused(command.terms, currencies, book.offer, now);
    if (refusal) return { ok: false, ...refusal };
    const entry = { campaign: { ...fields, createdAt: now }, state: newCampaignState() };
    book.campaigns.set(command.campaignId, entry);
    book.changes.newCampaigns.add(entry);
    return done(answer());
  });
}

function stopCampaign(book: Book, command: StopCampaign, now: Instant): Outcome {
  const entry = book.campaigns.get(command.campaignId);
  if (entry === undefined) return refuse('campaign_not_found');
  if (entry.state.stoppedAt === null) {
    entry.state.stoppedAt = now;
    book.changes.campaigns.add(entry);
  }
  return done({});
}

function issueByCampaign(book: Book, command: IssueByCampaign, now: Instant): Outcome {
  const entry = book.campaigns.get(command.campaignId);
  if (entry === undefined) return refuse('campaign_not_found');
  const { campaign, state } = entry;
  if (state.stoppedAt !== null) return refuse('campaign_stopped');
  if (now >= campaign.terms.validUntil) return refuse('campaign_ended');
  const betAmount = campaign.betAmounts.get(command.currency);
  if (betAmount === undefined) {
    return refuse('currency_not_allowed', [{ field: 'currency', reason: 'is not a currency of the campaign' }]);
  }
  if (isExhausted(campaign, state)) return refuse('bonus_limit_reached');
  if (campaign.bonusLimitPerUser !== null) {
    const place = placeOf(book, command.campaignId, command.playerId);
    if (place.held >= campaign.bonusLimitPerUser) return refuse('bonus_limit_per_user_reached');
    movePlace(book, place, 1);
  }
  state.issued += 1;
  book.changes.campaigns.add(entry);
  return addFreeBet(book, {
    issueId: command.issueId,
    campaignId: command.campaignId,
    playerId: command.playerId,
    currency: command.currency,
    betAmount,
    terms: campaign.terms,
    issuedAt: now,
    expiresAt: expiryOf(campaign.terms, now),
    cancelledAt: null,
    contentHash: command.contentHash,
  });
}

function issueDirect(book: Book, command: IssueDirect, now: Instant): Outcome {
  const terms = { ...command.terms, validFrom: command.terms.validFrom ?? now };
  const refusal = whyTermsAreRefused(terms, new Map([[command.currency, 'currency']]), book.offer, now);
  if (refusal) return { ok: false, ...refusal };
  return addFreeBet(book, {
    issueId: command.issueId,
    campaignId: null,
    playerId: command.playerId,
    currency: command.currency,
    betAmount: command.betAmount,
    terms,
    issuedAt: now,
    expiresAt: expiryOf(terms, now),
    cancelledAt: null,
    contentHash: command.contentHash,
  });
}

function cancelFreeBet(book: Book, command: CancelFreeBet, now: Instant): Outcome {
  const freeBet = book.freeBets.get(command.issueId);
  if (freeBet === undefined) return refuse('free_bet_not_found');
  if (freeBet.cancelledAt !== null) return done({});
  if (isExpired(freeBet, now)) return refuse('free_bet_expired');
  freeBet.cancelledAt = now;
  if (!book.changes.newFreeBets.has(freeBet)) book.changes.freeBets.add(freeBet);
  const entry = freeBet.campaignId === null ? undefined : book.campaigns.get(freeBet.campaignId);
  if (entry !== undefined) givePlaceBack(book, entry, freeBet.playerId);
  return done({});
}

function givePlaceBack(book: Book, entry: CampaignEntry, playerId: string): void {
  entry.state.cancelled += 1;
  book.changes.campaigns.add(entry);
  if (entry.campaign.bonusLimitPerUser === null) return;
  movePlace(book, placeOf(book, entry.campaign.campaignId, playerId), -1);
}

function addFreeBet(book: Book, freeBet: FreeBet): Outcome {
  book.freeBets.set(freeBet.issueId, freeBet);
  book.changes.newFreeBets.add(freeBet);
  return done(issuedBody(freeBet));
}

function placeOf(book: Book, campaignId: string, playerId: string): PlayerPlace {
  const key = placeKey(campaignId, playerId);
  let place = book.places.get(key);
  if (place === undefined) {
    place = { campaignId, playerId, held: 0 };
    book.places.set(key, place);
  }
  return place;
}

function movePlace(book: Book, place: PlayerPlace, by: 1 | -1): void {
  place.held += by;
  book.changes.places.add(place);
}
