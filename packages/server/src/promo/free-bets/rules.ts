import type { FreeBetBody } from '@freebets/contract';
import type { Instant } from '../../primitives/amounts.ts';
import { done, idempotently, type Outcome, refuse } from '../../primitives/outcome.ts';
import type { CancelFreeBet, CommandResults, ExpireFreeBet, IssueByCampaign, IssueDirect } from '../batch/command.ts';
import type { Rule } from '../batch/needs.ts';
import {
  type CampaignEntry,
  campaignPlayerKey,
  changeFreeBet,
  closeRemaining,
  emitCampaignEvent,
  emitFreeBetEvent,
  tally,
  type WorkingSet,
} from '../batch/working-set.ts';
import { isExhausted, limitsOf, storesHeldCounts } from '../campaigns/campaign.ts';
import { termsRefusal } from '../terms.ts';
import { expiryOf, isExpired, issuedBody, type NewFreeBet, newFreeBet } from './free-bet.ts';

export const issueByCampaign: Rule<IssueByCampaign, CommandResults['issue_by_campaign']> = {
  needs: ({ issueId, campaignId, playerId }) => ({
    newIssueId: issueId,
    campaignId,
    campaignPlayer: { campaignId, playerId },
  }),
  decide(working, command, now) {
    return idempotently(working.freeBets.get(command.issueId), command, issuedBody, () => {
      const entry = working.campaigns.get(command.campaignId);
      return entry === undefined ? refuse('campaign_not_found') : issueFrom(working, entry, command, now);
    });
  },
};

/** The only place that enforces the limits of a campaign. */
function issueFrom(working: WorkingSet, entry: CampaignEntry, command: IssueByCampaign, now: Instant) {
  const { campaign, state } = entry;
  if (state.stoppedAt !== null) return refuse('campaign_stopped');
  if (now >= campaign.terms.validUntil) return refuse('campaign_ended');
  if (state.pausedAt !== null) return refuse('campaign_paused');
  const betAmount = campaign.betAmounts.get(command.currency);
  if (betAmount === undefined) {
    return refuse('currency_not_allowed', [{ field: 'currency', reason: 'is not a currency of the campaign' }]);
  }
  if (isExhausted(campaign, state)) return refuse('bonus_limit_reached');
  const { bonusLimitPerUser } = limitsOf(campaign, state);
  const held = working.campaignPlayers.get(campaignPlayerKey(command.campaignId, command.playerId))?.held ?? 0;
  if (bonusLimitPerUser !== null && held >= bonusLimitPerUser) return refuse('bonus_limit_per_user_reached');
  changeHeldCount(working, entry, command.playerId, 1);
  const { issueId, campaignId, playerId, currency, contentHash } = command;
  const { terms } = campaign;
  const expiresAt = expiryOf(terms, now);
  const promised = { issueId, campaignId, playerId, currency, betAmount, terms, issuedAt: now, expiresAt, contentHash };
  const outcome = addFreeBet(working, promised);
  if (isExhausted(campaign, state)) emitCampaignEvent(working, 'campaign.exhausted', entry);
  return outcome;
}

export const issueDirect: Rule<IssueDirect, CommandResults['issue_direct']> = {
  needs: ({ issueId }) => ({ newIssueId: issueId }),
  decide(working, command, now) {
    return idempotently(working.freeBets.get(command.issueId), command, issuedBody, () => {
      const stakeReturned = command.stakeReturned ?? working.partner.stakeReturned;
      const terms = { ...command.terms, validFrom: command.terms.validFrom ?? now, stakeReturned };
      const currencies = new Map([[command.currency, 'currency']]);
      const refusal = termsRefusal(terms, currencies, working.partner.offer, now);
      if (refusal) return { ok: false, ...refusal };
      const { issueId, playerId, currency, betAmount, contentHash } = command;
      const times = { issuedAt: now, expiresAt: expiryOf(terms, now) };
      return addFreeBet(working, {
        issueId,
        campaignId: null,
        playerId,
        currency,
        betAmount,
        terms,
        ...times,
        contentHash,
      });
    });
  },
};

function addFreeBet(working: WorkingSet, given: NewFreeBet): Outcome<FreeBetBody> {
  const freeBet = newFreeBet(given);
  working.freeBets.set(freeBet.issueId, freeBet);
  working.changes.newFreeBets.add(freeBet);
  tally(working, freeBet, { issued: 1, openBets: freeBet.terms.quantity });
  emitFreeBetEvent(working, 'freebet.issued', freeBet);
  return done(issuedBody(freeBet));
}

export const cancelFreeBet: Rule<CancelFreeBet, CommandResults['cancel_free_bet']> = {
  needs: ({ issueId }) => ({ issueId, givesBack: true }),
  decide(working, { issueId }, now) {
    const freeBet = working.freeBets.get(issueId);
    if (freeBet === undefined) return refuse('free_bet_not_found');
    if (freeBet.cancelledAt !== null) return done({});
    if (freeBet.betsPlaced > 0) return refuse('free_bet_already_used');
    if (isExpired(freeBet, now)) return refuse('free_bet_expired');
    freeBet.cancelledAt = now;
    changeFreeBet(working, freeBet);
    closeRemaining(working, freeBet, 'cancelled');
    const entry = freeBet.campaignId === null ? undefined : working.campaigns.get(freeBet.campaignId);
    if (entry !== undefined) changeHeldCount(working, entry, freeBet.playerId, -1);
    return done({});
  },
};

/** Every free bet is swept once after its expiry time, in any state; its unused bets then expire. */
export const expireFreeBet: Rule<ExpireFreeBet, CommandResults['expire_free_bet']> = {
  needs: ({ issueId }) => ({ issueId }),
  decide(working, { issueId }, now) {
    const freeBet = working.freeBets.get(issueId);
    if (freeBet === undefined || freeBet.swept || now < freeBet.expiresAt) return done({});
    freeBet.swept = true;
    changeFreeBet(working, freeBet);
    if (freeBet.cancelledAt === null && isExpired(freeBet, now)) closeRemaining(working, freeBet, 'expired');
    return done({});
  },
};

/**
 * Stores the held count if the campaign stores held counts. If not, a later command of this batch may still change the
 * limits. The working set then follows the count, which was loaded or, for a campaign created in this batch, starts at
 * 0.
 */
function changeHeldCount(working: WorkingSet, entry: CampaignEntry, playerId: string, by: 1 | -1): void {
  const { campaign, state } = entry;
  const key = campaignPlayerKey(campaign.campaignId, playerId);
  const storesCount = storesHeldCounts(campaign, state);
  let player = working.campaignPlayers.get(key);
  if (player === undefined) {
    if (!storesCount && !working.changes.newCampaigns.has(entry)) return;
    player = { campaignId: campaign.campaignId, playerId, held: 0, isStored: false };
    working.campaignPlayers.set(key, player);
  }
  player.held += by;
  if (storesCount) working.changes.campaignPlayers.add(player);
}
