import { randomUUIDv7 } from 'node:crypto';
import type { BetRequest, CampaignCreateRequest, IssueItem, RequestOf, SettleRequest } from '@freebets/contract';
import { parseCoefficient, parseInstant, parseMoney } from '../domain/amounts.ts';
import { type CommandOf, contentHash } from '../domain/command.ts';

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
    const campaignId = request.campaign_id;
    const hash = contentHash([campaignId, playerId, currency]);
    return { kind: 'issue_by_campaign', issueId, campaignId, playerId, currency, contentHash: hash };
  }
  const terms = {
    name: request.name ?? null,
    quantity: request.quantity,
    games: request.games,
    validFrom: request.valid_from === undefined ? null : parseInstant(request.valid_from),
    validUntil: parseInstant(request.valid_until),
    durationMin: request.duration_min ?? null,
    ...coefficients(request.config),
  };
  const betAmount = parseMoney(request.bet_amount);
  const hash = contentHash([playerId, currency, betAmount, terms]);
  return { kind: 'issue_direct', issueId, playerId, currency, betAmount, terms, contentHash: hash };
}

export const cancelCommand = (issueId: string): CommandOf<'cancel_free_bet'> => ({
  kind: 'cancel_free_bet',
  issueId: issueId.toLowerCase(),
});

export function placeBetCommand(request: BetRequest): CommandOf<'place_bet'> {
  const bet = {
    issueId: request.issue_id.toLowerCase(),
    playerId: request.player_id,
    gameId: request.game_id,
    coefficient: coefficientOf(request.coefficient),
  };
  return { kind: 'place_bet', ...betOf(request), ...bet, contentHash: contentHash(Object.values(bet)) };
}

export const settleBetCommand = (request: SettleRequest): CommandOf<'settle_bet'> => ({
  kind: 'settle_bet',
  ...betOf(request),
  result: request.result,
  coefficient: coefficientOf(request.coefficient),
});

export const betOf = ({ provider_id, bet_id }: { provider_id: string; bet_id: string }) => ({
  providerId: provider_id,
  betId: bet_id.toLowerCase(),
});
