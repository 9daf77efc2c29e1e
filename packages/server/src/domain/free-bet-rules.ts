import type { Instant } from './amounts.ts';
import {
  type Book,
  changeFreeBet,
  closeWhatIsLeft,
  type PlayerPlace,
  placeKey,
  tally,
  tellOfCampaign,
  tellOfFreeBet,
} from './book.ts';
import { isExhausted } from './campaign.ts';
import type { CancelFreeBet, ExpireFreeBet, IssueByCampaign, IssueDirect } from './command.ts';
import { expiryOf, isExpired, issuedBody, type NewFreeBet, newFreeBet } from './free-bet.ts';
import { done, type Outcome, once, refuse } from './outcome.ts';
import { whyTermsAreRefused } from './terms.ts';

export function issueByCampaign(book: Book, command: IssueByCampaign, now: Instant): Outcome {
  return once(book.freeBets.get(command.issueId), command, issuedBody, () => {
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
    const { kind: _, ...fields } = command;
    const outcome = addFreeBet(book, { ...fields, betAmount, terms: campaign.terms, ...timesOf(campaign.terms, now) });
    if (isExhausted(campaign, state)) tellOfCampaign(book, 'campaign.exhausted', entry);
    return outcome;
  });
}

export function issueDirect(book: Book, command: IssueDirect, now: Instant): Outcome {
  return once(book.freeBets.get(command.issueId), command, issuedBody, () => {
    const terms = { ...command.terms, validFrom: command.terms.validFrom ?? now };
    const currencies = new Map([[command.currency, 'currency']]);
    const refusal = whyTermsAreRefused(terms, currencies, book.partner.offer, now);
    if (refusal) return { ok: false, ...refusal };
    const { kind: _, ...fields } = command;
    return addFreeBet(book, { ...fields, campaignId: null, terms, ...timesOf(terms, now) });
  });
}

const timesOf = (terms: NewFreeBet['terms'], now: Instant) => ({ issuedAt: now, expiresAt: expiryOf(terms, now) });

function addFreeBet(book: Book, given: NewFreeBet): Outcome {
  const freeBet = newFreeBet(given);
  book.freeBets.set(freeBet.issueId, freeBet);
  book.changes.newFreeBets.add(freeBet);
  tally(book, freeBet, { issued: 1, openBets: freeBet.terms.quantity });
  tellOfFreeBet(book, 'freebet.issued', freeBet);
  return done(issuedBody(freeBet));
}

export function cancelFreeBet(book: Book, command: CancelFreeBet, now: Instant): Outcome {
  const freeBet = book.freeBets.get(command.issueId);
  if (freeBet === undefined) return refuse('free_bet_not_found');
  if (freeBet.cancelledAt !== null) return done({});
  if (freeBet.betsPlaced > 0) return refuse('free_bet_already_used');
  if (isExpired(freeBet, now)) return refuse('free_bet_expired');
  freeBet.cancelledAt = now;
  changeFreeBet(book, freeBet);
  closeWhatIsLeft(book, freeBet, 'cancelled');
  const entry = freeBet.campaignId === null ? undefined : book.campaigns.get(freeBet.campaignId);
  if (entry !== undefined && entry.campaign.bonusLimitPerUser !== null) {
    movePlace(book, placeOf(book, entry.campaign.campaignId, freeBet.playerId), -1);
  }
  return done({});
}

/** Every free bet is swept once, when its time has come, whatever has become of it; what is left of it then expires. */
export function expireFreeBet(book: Book, command: ExpireFreeBet, now: Instant): Outcome {
  const freeBet = book.freeBets.get(command.issueId);
  if (freeBet === undefined || freeBet.swept || now < freeBet.expiresAt) return done({});
  freeBet.swept = true;
  changeFreeBet(book, freeBet);
  if (freeBet.cancelledAt === null && isExpired(freeBet, now)) closeWhatIsLeft(book, freeBet, 'expired');
  return done({});
}

function placeOf(book: Book, campaignId: string, playerId: string): PlayerPlace {
  const key = placeKey(campaignId, playerId);
  let place = book.places.get(key);
  if (place === undefined) {
    place = { campaignId, playerId, held: 0, isStored: false };
    book.places.set(key, place);
  }
  return place;
}

function movePlace(book: Book, place: PlayerPlace, by: 1 | -1): void {
  place.held += by;
  book.changes.places.add(place);
}
