import { newCampaignState } from './campaign.ts';
import type { Answers, CreateCampaign, StopCampaign } from './command.ts';
import { done, idempotently, refuse } from './outcome.ts';
import type { Rule } from './rule.ts';
import { whyTermsAreRefused } from './terms.ts';
import { emitCampaignEvent } from './working-set.ts';

export const createCampaign: Rule<CreateCampaign, Answers['create_campaign']> = {
  needs: ({ campaignId }) => ({ campaignId }),
  decide(working, command, now) {
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
  },
};

export const stopCampaign: Rule<StopCampaign, Answers['stop_campaign']> = {
  needs: ({ campaignId }) => ({ campaignId }),
  decide(working, { campaignId }, now) {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined) return refuse('campaign_not_found');
    if (entry.state.stoppedAt === null) {
      entry.state.stoppedAt = now;
      working.changes.campaigns.add(entry);
      emitCampaignEvent(working, 'campaign.stopped', entry);
    }
    return done({});
  },
};
