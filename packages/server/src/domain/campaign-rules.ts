import type { Instant } from './amounts.ts';
import { type Book, tellOfCampaign } from './book.ts';
import { newCampaignState } from './campaign.ts';
import type { CreateCampaign, StopCampaign } from './command.ts';
import { done, type Outcome, once, refuse } from './outcome.ts';
import { whyTermsAreRefused } from './terms.ts';

export function createCampaign(book: Book, command: CreateCampaign, now: Instant): Outcome {
  const { kind: _, ...fields } = command;
  const answer = () => ({ campaign_id: command.campaignId });
  return once(book.campaigns.get(command.campaignId)?.campaign, command, answer, () => {
    const currencies = new Map([...command.betAmounts.keys()].map((code, i) => [code, `bet_amounts[${i}].currency`]));
    const refusal = whyTermsAreRefused(command.terms, currencies, book.partner.offer, now);
    if (refusal) return { ok: false, ...refusal };
    const entry = { campaign: { ...fields, createdAt: now }, state: newCampaignState() };
    book.campaigns.set(command.campaignId, entry);
    book.changes.newCampaigns.add(entry);
    tellOfCampaign(book, 'campaign.created', entry);
    return done(answer());
  });
}

export function stopCampaign(book: Book, command: StopCampaign, now: Instant): Outcome {
  const entry = book.campaigns.get(command.campaignId);
  if (entry === undefined) return refuse('campaign_not_found');
  if (entry.state.stoppedAt === null) {
    entry.state.stoppedAt = now;
    book.changes.campaigns.add(entry);
    tellOfCampaign(book, 'campaign.stopped', entry);
  }
  return done({});
}
