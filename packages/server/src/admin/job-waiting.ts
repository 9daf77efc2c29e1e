import type { Partner } from '@freebets/client';
import type { CampaignStatus, JobBody } from '@freebets/contract';

// Why a job stands still.

export type JobShown = JobBody & { waiting?: 'campaign_paused' };

/** Adds to jobs what they wait for; a campaign of several is asked for once. */
export function tellingWaits(partner: Partner): (job: JobBody) => Promise<JobShown> {
  const statuses = new Map<string, CampaignStatus>();
  return async (job) => {
    if (job.status !== 'running' || !('campaign_id' in job)) return job;
    const { campaign_id } = job;
    const status = statuses.get(campaign_id) ?? (await partner.campaigns.get({ campaign_id })).status;
    statuses.set(campaign_id, status);
    return status === 'paused' ? { ...job, waiting: 'campaign_paused' } : job;
  };
}
