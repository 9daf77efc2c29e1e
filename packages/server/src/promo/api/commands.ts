import { randomUUIDv7 } from 'node:crypto';
import {
  type BetRequest,
  type CampaignCreateRequest,
  type IssueDirect,
  type IssueItem,
  type JobAddRequest,
  type JobCreateRequest,
  type JobItem,
  maxDetails,
  type RequestOf,
  type SandboxRoundRequest,
  type SettleRequest,
} from '@freebets/contract';
import { parseCoefficient, parseInstant, parseMoney } from '../../primitives/amounts.ts';
import { type CommandOf, contentHash, issueByCampaignCommand, issueDirectCommand } from '../batch/command.ts';
import type { JobQuota, KeptItem } from '../jobs/job.ts';

// From a validated request to a command: ids are made where none came, strings become numbers, and the content is
// hashed over the values, so that equal requests are equal however they were written.

const coefficientOf = (text: string | undefined) => (text === undefined ? null : parseCoefficient(text));

const coefficients = (config: { min_coefficient?: string; max_coefficient?: string } | undefined) => ({
  minCoefficient: coefficientOf(config?.min_coefficient),
  maxCoefficient: coefficientOf(config?.max_coefficient),
});

export function createCampaignCommand(request: CampaignCreateRequest): CommandOf<'create_campaign'> {
  const { config } = request;
  const content = {
    terms: {
      name: request.name,
      quantity: request.quantity,
      games: request.games,
      validFrom: parseInstant(request.valid_from),
      validUntil: parseInstant(request.valid_until),
      durationMin: request.duration_min ?? null,
      ...coefficients(config),
    },
    betAmounts: new Map(request.bet_amounts.map(({ currency, amount }) => [currency, parseMoney(amount)])),
    bonusLimit: config?.bonus_limit ?? null,
    bonusLimitPerUser: config?.bonus_limit_per_user ?? null,
  };
  const { terms, betAmounts, bonusLimit, bonusLimitPerUser } = content;
  return {
    kind: 'create_campaign',
    campaignId: request.campaign_id ?? randomUUIDv7(),
    ...content,
    contentHash: contentHash([terms, [...betAmounts], bonusLimit, bonusLimitPerUser]),
  };
}

export const changeLimitsCommand = (request: RequestOf<'CampaignLimits'>): CommandOf<'change_limits'> => ({
  kind: 'change_limits',
  campaignId: request.campaign_id,
  bonusLimit: request.bonus_limit,
  bonusLimitPerUser: request.bonus_limit_per_user,
});

export function issueCommand(request: IssueItem): CommandOf<'issue_by_campaign' | 'issue_direct'> {
  const issueId = request.issue_id?.toLowerCase() ?? randomUUIDv7();
  const { player_id: playerId, currency } = request;
  if ('campaign_id' in request) {
    return issueByCampaignCommand({ issueId, campaignId: request.campaign_id, playerId, currency });
  }
  return issueDirectCommand({
    issueId,
    playerId,
    currency,
    betAmount: parseMoney(request.bet_amount),
    terms: directTerms(request),
  });
}

const directTerms = (request: Omit<IssueDirect, 'player_id' | 'currency'>) => ({
  name: request.name ?? null,
  quantity: request.quantity,
  games: request.games,
  validFrom: instantOf(request.valid_from),
  validUntil: parseInstant(request.valid_until),
  durationMin: request.duration_min ?? null,
  ...coefficients(request.config),
});

const instantOf = (text: string | undefined) => (text === undefined ? null : parseInstant(text));

export function createJobCommand(request: JobCreateRequest, quota: JobQuota): CommandOf<'create_job'> {
  const isDirect = !('campaign_id' in request);
  const content = {
    name: request.name,
    campaignId: isDirect ? null : request.campaign_id,
    shared: isDirect ? { betAmount: parseMoney(request.bet_amount), terms: directTerms(request) } : null,
    startAt: instantOf(request.start_at),
  };
  const hash = contentHash(Object.values(content));
  return { kind: 'create_job', jobId: request.job_id.toLowerCase(), ...content, quota, contentHash: hash };
}

export const startJobCommand = ({ job_id, parts, items }: RequestOf<'JobStart'>): CommandOf<'start_job'> => ({
  kind: 'start_job',
  jobId: job_id.toLowerCase(),
  parts,
  items,
});

/** The items become text at once: what waits in a lane should be small, and nothing looks into it before it is carried out. */
export function addJobPartCommand(request: JobAddRequest, quota: JobQuota): CommandOf<'add_job_part'> {
  const { part, items } = request;
  const kept = items.map(keptItem);
  const ofDirectJobs = items.flatMap((item, i) =>
    (['bet_amount', 'quantity'] as const)
      .filter((name) => item[name] !== undefined)
      .map((name) => `items[${i}].${name}`),
  );
  return {
    kind: 'add_job_part',
    quota,
    jobId: request.job_id.toLowerCase(),
    part,
    items: items.length,
    list: JSON.stringify(kept),
    ofDirectJobs: ofDirectJobs.slice(0, maxDetails),
    contentHash: contentHash(kept),
  };
}

const keptItem = ({ player_id, currency, issue_id, bet_amount, quantity }: JobItem): KeptItem => [
  player_id,
  currency,
  issue_id?.toLowerCase() ?? null,
  bet_amount === undefined ? null : parseMoney(bet_amount),
  quantity ?? null,
];

export const cancelCommand = (issueId: string): CommandOf<'cancel_free_bet'> => ({
  kind: 'cancel_free_bet',
  issueId: issueId.toLowerCase(),
});

export function placeBetCommand(request: BetRequest): CommandOf<'place_bet'> {
  const issueId = request.issue_id.toLowerCase();
  const { player_id: playerId, game_id: gameId } = request;
  const coefficient = coefficientOf(request.coefficient);
  const hash = contentHash([issueId, playerId, gameId, coefficient]);
  return { ...betOf(request), kind: 'place_bet', issueId, playerId, gameId, coefficient, contentHash: hash };
}

export const settleBetCommand = (request: SettleRequest): CommandOf<'settle_bet'> => ({
  ...betOf(request),
  kind: 'settle_bet',
  result: request.result,
  coefficient: coefficientOf(request.coefficient),
});

export const playRoundCommand = (request: SandboxRoundRequest): CommandOf<'play_round'> => ({
  kind: 'play_round',
  issueId: request.issue_id.toLowerCase(),
  betId: randomUUIDv7(),
  gameId: request.game_id ?? null,
  result: request.result,
  coefficient: coefficientOf(request.coefficient),
});

export const betOf = ({ provider_id, bet_id }: { provider_id: string; bet_id: string }) => ({
  providerId: provider_id,
  betId: bet_id.toLowerCase(),
});
