import type { EmittedEvent } from '../batch/event.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import type { JobSnapshot } from '../jobs/job.ts';
import type { Terms } from '../terms.ts';

// How long a part of an answer can become, at most: a list of games has up to 500 ids of 128 characters, the rest is short.
// So the games are measured, once for all that share them, and for the rest stands its bound.

/** Ids, times, amounts and counts, with a name of 255 characters of up to four bytes each. */
const shortParts = 3000;
const betAmountBytes = 80;
/** What a campaign has won and may still win in one currency. */
const totalsBytes = 200;
const betBytes = 500;

const measured = new WeakMap<readonly string[], number>();

function gamesBytes(games: readonly string[]): number {
  const known = measured.get(games);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(games));
  measured.set(games, bytes);
  return bytes;
}

export const freeBetBytes = ({ terms }: { terms: Terms }): number => shortParts + gamesBytes(terms.games);

const campaignBytes = ({ terms, betAmounts }: Campaign): number =>
  shortParts + betAmountBytes * betAmounts.size + gamesBytes(terms.games);

export const countedCampaignBytes = (campaign: Campaign): number =>
  campaignBytes(campaign) + totalsBytes * campaign.betAmounts.size;

/** Among the short parts a count for each error. */
export const jobBytes = ({ shared }: JobSnapshot): number =>
  shortParts + (shared === null ? 0 : gamesBytes(shared.terms.games));

export function eventBytes(emitted: EmittedEvent): number {
  if ('campaign' in emitted) return campaignBytes(emitted.campaign);
  return 'job' in emitted ? jobBytes(emitted.job) : freeBetBytes(emitted.freeBet) + betBytes;
}
