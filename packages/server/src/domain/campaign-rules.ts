import type { Instant } from './amounts.ts';
import { newCampaignState } from './campaign.ts';
import type { CreateCampaign, StopCampaign } from './command.ts';
import { done, idempotently, type Outcome, refuse } from './outcome.ts';
import { whyTermsAreRefused } from './terms.ts';
import { emitCampaignEvent, type WorkingSet } from './working-set.ts';

export function createCampaign(working: WorkingSet, command: CreateCampaign, now: Instant): Outcome {
  const { kind: _, ...fields } = command;
  const answer = () => ({ campaign_id: command.campaignId });
  return idempotently(working.campaigns.get(command.campaignId)?.campaign, command, answer, () => {
    const currencies = new Map([...command.betAmounts.keys()].map((code, i) => [code, `bet_amounts[${i}].currency`]));
    const refusal = whyTermsAreRefused(command.terms, currencies, working.partner.offer, now);
    if (refusal) return { ok: false, ...refusal };
    const entry = { campaign: { ...fields, createdAt: now }, state: newCampaignState() };
    working.campaigns.set(command.campaignId, entry);
    working.changes.newCampaigns.add(entry);
    emitCampaignEvent(working, 'campaign.created', entry);
    return done(answer());
  });
}

export function stopCampaign(working: WorkingSet, command: StopCampaign, now: Instant): Outcome {
  const entry = working.campaigns.get(command.campaignId);
  if (entry === undefined) return refuse('campaign_not_found');
  if (entry.state.stoppedAt === null) {
    entry.state.stoppedAt = now;
    working.changes.campaigns.add(entry);
    emitCampaignEvent(working, 'campaign.stopped', entry);
  }
  return done({});
}
