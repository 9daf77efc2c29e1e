import { done, idempotently, refuse } from '../../primitives/outcome.ts';
import type {
  ChangeLimits,
  CommandResults,
  CreateCampaign,
  PauseCampaign,
  ResumeCampaign,
  StopCampaign,
} from '../batch/command.ts';
import type { Rule } from '../batch/needs.ts';
import { emitCampaignEvent } from '../batch/working-set.ts';
import { termsRefusal } from '../terms.ts';
import { campaignBody, isOver, limitsOf, newCampaignState } from './campaign.ts';

export const createCampaign: Rule<CreateCampaign, CommandResults['create_campaign']> = {
  needs: ({ campaignId }) => ({ campaignId }),
  decide(working, command, now) {
    const { kind: _, ...fields } = command;
    const answer = () => ({ campaign_id: command.campaignId });
    return idempotently(working.campaigns.get(command.campaignId)?.campaign, command, answer, () => {
      const currencies = new Map([...command.betAmounts.keys()].map((code, i) => [code, `bet_amounts[${i}].currency`]));
      const refusal = termsRefusal(command.terms, currencies, working.partner.offer, now);
      if (refusal) return { ok: false, ...refusal };
      const terms = { ...command.terms, stakeReturned: working.partner.stakeReturned };
      const entry = { campaign: { ...fields, terms, createdAt: now }, state: newCampaignState() };
      working.campaigns.set(command.campaignId, entry);
      working.changes.newCampaigns.add(entry);
      emitCampaignEvent(working, 'campaign.created', entry);
      return done(answer());
    });
  },
};

export const stopCampaign: Rule<StopCampaign, CommandResults['stop_campaign']> = {
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

/** Pausing a stopped or ended campaign succeeds without a change. */
export const pauseCampaign: Rule<PauseCampaign, CommandResults['pause_campaign']> = {
  needs: ({ campaignId }) => ({ campaignId }),
  decide(working, { campaignId }, now) {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined) return refuse('campaign_not_found');
    const { campaign, state } = entry;
    if (state.pausedAt === null && !isOver(campaign, state, now)) {
      state.pausedAt = now;
      working.changes.campaigns.add(entry);
      emitCampaignEvent(working, 'campaign.paused', entry);
    }
    return done({});
  },
};

export const resumeCampaign: Rule<ResumeCampaign, CommandResults['resume_campaign']> = {
  needs: ({ campaignId }) => ({ campaignId }),
  decide(working, { campaignId }, now) {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined) return refuse('campaign_not_found');
    const { campaign, state } = entry;
    if (state.pausedAt !== null && !isOver(campaign, state, now)) {
      state.pausedAt = null;
      working.changes.campaigns.add(entry);
      emitCampaignEvent(working, 'campaign.resumed', entry);
    }
    return done({});
  },
};

/** A lower limit only stops further issues; free bets that were already issued stay valid. */
export const changeLimits: Rule<ChangeLimits, CommandResults['change_limits']> = {
  needs: ({ campaignId }) => ({ campaignId, changesLimits: true }),
  decide(working, { campaignId, bonusLimit, bonusLimitPerUser }, now) {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined) return refuse('campaign_not_found');
    const { campaign, state } = entry;
    const inForce = limitsOf(campaign, state);
    if (bonusLimit !== inForce.bonusLimit || bonusLimitPerUser !== inForce.bonusLimitPerUser) {
      state.changedLimits = { bonusLimit, bonusLimitPerUser, at: now };
      working.changes.campaigns.add(entry);
      emitCampaignEvent(working, 'campaign.limits_changed', entry);
    }
    return done(campaignBody(campaign, state, now));
  },
};
