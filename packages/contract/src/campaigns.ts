import {
  CampaignId,
  ClientId,
  Coefficient,
  Currency,
  Cursor,
  closed,
  DryRun,
  From,
  GameId,
  Limit,
  Money,
  MoneySum,
  nullable,
  Timestamp,
  text,
  Until,
  WasDryRun,
} from './formats.ts';
import { Type } from './type.ts';

/** `x-not-above` and `x-distinct-by` are checks of ours (see schema.ts), which JSON Schema cannot say. */
const coefficientsInOrder = { 'x-not-above': ['min_coefficient', 'max_coefficient'] };

export const Quantity = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'How many bets one free bet gives its player, shared over the games listed.',
});

export const Games = Type.Array(GameId, { minItems: 1, maxItems: 500, uniqueItems: true });

export const DurationMin = Type.Integer({
  minimum: 1,
  maximum: 525_600,
  description: 'Minutes from the activation (the later of issue and `valid_from`) until the free bet expires.',
});

const BetAmount = closed({ currency: Currency, amount: Money });

export const CoefficientConfig = closed(
  { min_coefficient: Type.Optional(Coefficient), max_coefficient: Type.Optional(Coefficient) },
  coefficientsInOrder,
);

const bonusLimit = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description });

/** A union would be refused in the words of neither. */
const bonusLimitOrNull = (description: string) =>
  Type.Unsafe<number | null>({ ...bonusLimit(description), type: ['integer', 'null'] });

const CampaignConfig = closed(
  {
    bonus_limit: Type.Optional(bonusLimit('How many free bets the campaign gives in all; no limit when absent.')),
    bonus_limit_per_user: Type.Optional(bonusLimit('How many free bets it gives to one player; no limit when absent.')),
    ...CoefficientConfig.properties,
  },
  coefficientsInOrder,
);

const terms = {
  name: text(255, 'A name for people'),
  quantity: Quantity,
  valid_from: Timestamp,
  valid_until: Timestamp,
  games: Games,
  bet_amounts: Type.Array(BetAmount, {
    minItems: 1,
    maxItems: 100,
    'x-distinct-by': 'currency',
    description: 'The amount of one bet, once per currency.',
  }),
};

export const CampaignCreateRequest = closed({
  client_id: ClientId,
  campaign_id: Type.Optional(CampaignId),
  ...terms,
  duration_min: Type.Optional(DurationMin),
  config: Type.Optional(CampaignConfig),
  dry_run: Type.Optional(DryRun),
});
export type CampaignCreateRequest = Type.Static<typeof CampaignCreateRequest>;

const campaignStatuses = ['scheduled', 'active', 'exhausted', 'paused', 'ended', 'stopped'] as const;
export const CampaignStatus = Type.Enum(campaignStatuses, {
  description: '`exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good.',
});
export type CampaignStatus = (typeof campaignStatuses)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });
const PerCurrency = Type.Array(closed({ currency: Currency, amount: MoneySum }));
export const MostPerCurrency = (description: string) =>
  Type.Array(closed({ currency: Currency, amount: nullable(MoneySum) }), { description });

export const CampaignCreateResponse = closed({
  campaign_id: CampaignId,
  dry_run: Type.Optional(WasDryRun),
  max_exposure: Type.Optional(
    MostPerCurrency(
      'Only in the answer to a dry run: the most that the whole campaign could ever win; `amount` is null without a ' +
        '`bonus_limit` or a `max_coefficient`.',
    ),
  ),
});

const campaignFields = {
  campaign_id: CampaignId,
  ...terms,
  duration_min: nullable(DurationMin),
  stake_returned: Type.Boolean({
    description: 'Whether a win pays the stake as well: the setting of the partner when the campaign was created.',
  }),
  config: closed({
    bonus_limit: nullable(Type.Integer()),
    bonus_limit_per_user: nullable(Type.Integer()),
    min_coefficient: nullable(Coefficient),
    max_coefficient: nullable(Coefficient),
  }),
  status: CampaignStatus,
  created_at: Timestamp,
  stopped_at: nullable(Timestamp),
  paused_at: nullable(Timestamp),
  limits_changed_at: nullable(Timestamp),
};

export const Campaign = closed(campaignFields);
export type Campaign = Type.Static<typeof Campaign>;

const CampaignCounts = closed({
  issued: count('Free bets issued, cancelled ones included.'),
  cancelled: count('Of these, cancelled.'),
  expired: count('Of these, expired with bets left.'),
  finished: count('Of these, every bet used and settled.'),
  bets_placed: count('Bets that stand.'),
});

export const CampaignGetRequest = closed({ client_id: ClientId, campaign_id: CampaignId });
export type CampaignGetRequest = Type.Static<typeof CampaignGetRequest>;

export const CampaignGetResponse = closed({
  ...campaignFields,
  counts: CampaignCounts,
  winnings: PerCurrency,
  exposure: MostPerCurrency(
    'What bets that are left and bets that are not settled could win at most, the latter also of free bets that have expired; ' +
      '`amount` is null where no `max_coefficient` bounds it.',
  ),
});
export type CampaignGetResponse = Type.Static<typeof CampaignGetResponse>;

export const CampaignListRequest = closed(
  {
    client_id: ClientId,
    status: Type.Optional(CampaignStatus),
    created_from: Type.Optional(From('created')),
    created_until: Type.Optional(Until('created')),
    limit: Type.Optional(Limit(200, 50)),
    cursor: Type.Optional(Cursor),
  },
  { 'x-not-after': ['created_from', 'created_until'] },
);
export type CampaignListRequest = Type.Static<typeof CampaignListRequest>;

export const CampaignListResponse = closed({
  campaigns: Type.Array(CampaignGetResponse),
  next_cursor: nullable(Cursor),
});
export type CampaignListResponse = Type.Static<typeof CampaignListResponse>;

export const CampaignSearchRequest = closed({
  client_id: ClientId,
  search: Type.Optional(text(128, 'Part of the name or of the id, in any case')),
  status: Type.Optional(
    Type.Enum([...campaignStatuses, 'live'], {
      description: 'Those with this status; `live` are all that have begun, and neither ended nor were stopped.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum(['newest', 'ends_soonest', 'name'], {
      default: 'newest',
      description:
        '`newest` when absent. With `ends_soonest` those that have ended are left out, unless they are asked for by `status`.',
    }),
  ),
  limit: Type.Optional(Limit(100, 50)),
  cursor: Type.Optional(Cursor),
});

export const CampaignStopRequest = CampaignGetRequest;
export const CampaignPauseRequest = CampaignGetRequest;

export const CampaignLimitsRequest = closed({
  client_id: ClientId,
  campaign_id: CampaignId,
  bonus_limit: bonusLimitOrNull('How many free bets the campaign gives in all; null for no limit.'),
  bonus_limit_per_user: bonusLimitOrNull('How many it gives to one player; null for no limit.'),
});
export const Nothing = closed({});
