import { hash } from 'node:crypto';
import {
  type IssueByCampaign,
  type IssueDirect,
  issueByCampaignCommand,
  issueDirectCommand,
} from '../batch/command.ts';
import type { Job, StoredItem } from './job.ts';

/** The id of a free bet whose item has none: a version 8 UUID derived from the job, part and position. */
export function derivedIssueId(jobId: string, part: number, item: number): string {
  const digits = hash('sha256', `${jobId}/${part}/${item}`, 'hex');
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/** The command that issues the free bet of an item, the same as for a single issue request. */
export function commandOfItem(
  { jobId, campaignId, shared }: Pick<Job, 'jobId' | 'campaignId' | 'shared'>,
  part: number,
  item: number,
  [playerId, currency, givenId, betAmount, quantity]: StoredItem,
): IssueByCampaign | IssueDirect {
  const who = { issueId: givenId ?? derivedIssueId(jobId, part, item), playerId, currency };
  if (shared === null) return issueByCampaignCommand({ ...who, campaignId: campaignId as string });
  const terms = quantity === null ? shared.terms : { ...shared.terms, quantity };
  const { stakeReturned } = shared;
  return issueDirectCommand({ ...who, betAmount: betAmount ?? shared.betAmount, terms, stakeReturned });
}
