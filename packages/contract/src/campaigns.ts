import { Type } from 'typebox';
import type { ErrorName } from './errors.ts';
import * as story from './example-story.ts';
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
  Nothing,
  nullable,
  Timestamp,
  text,
  Until,
  WasDryRun,
} from './formats.ts';
import type { OperationRows, StaffOperationRows } from './operation-types.ts';

/** `x-not-above` and `x-distinct-by` are custom keywords (see schema.ts) that JSON Schema lacks. */
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

/** Not a union, because the error message of a union describes neither type. */
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

const CampaignCreateResponse = closed({
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

const CampaignSearchRequest = closed({
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

const CampaignStopRequest = CampaignGetRequest;
const CampaignPauseRequest = CampaignGetRequest;

export const CampaignLimitsRequest = closed({
  client_id: ClientId,
  campaign_id: CampaignId,
  bonus_limit: bonusLimitOrNull('How many free bets the campaign gives in all; null for no limit.'),
  bonus_limit_per_user: bonusLimitOrNull('How many it gives to one player; null for no limit.'),
});

/** The errors of all operations with terms in their request. */
export const termErrors: ErrorName[] = [
  'invalid_validity',
  'game_not_available',
  'game_without_free_bets',
  'currency_not_allowed',
];

export const campaignOperations = {
  CampaignCreate: {
    tag: 'Promo',
    summary: 'Create a campaign',
    description:
      'Creates a reusable template for free bets. With a `campaign_id` of your own the call can be repeated safely; ' +
      'without one the service makes one. With `dry_run` nothing is created, and the answer also tells the most that the ' +
      'campaign could ever win.',
    staffDryRunOnly: true,
    request: CampaignCreateRequest,
    response: CampaignCreateResponse,
    errors: [...termErrors, 'id_reused'],
    example: {
      summary: 'Created',
      request: { client_id: 1, ...story.campaign, duration_min: 1440, config: story.config },
      response: { campaign_id: story.campaign.campaign_id },
    },
    secondExample: {
      summary: 'Dry run',
      request: { client_id: 1, ...story.campaign, duration_min: 1440, config: story.config, dry_run: true },
      response: {
        campaign_id: story.campaign.campaign_id,
        dry_run: true,
        max_exposure: [
          { currency: 'EUR', amount: '60000.00' },
          { currency: 'USD', amount: '72000.00' },
        ],
      },
    },
  },
  CampaignGet: {
    tag: 'Promo',
    summary: 'Read a campaign',
    description: 'The campaign as created, its status, and what has become of its free bets.',
    request: CampaignGetRequest,
    response: CampaignGetResponse,
    errors: ['campaign_not_found'],
    example: {
      request: { client_id: 1, campaign_id: story.campaign.campaign_id },
      response: { ...story.storedCampaign, ...story.totals },
    },
  },
  CampaignList: {
    tag: 'Promo',
    summary: 'List campaigns',
    description:
      'Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it is null.',
    request: CampaignListRequest,
    response: CampaignListResponse,
    errors: [],
    example: {
      request: { client_id: 1, status: 'active', limit: 50 },
      response: { campaigns: [{ ...story.storedCampaign, ...story.totals }], next_cursor: null },
    },
  },
  CampaignStop: {
    tag: 'Promo',
    summary: 'Stop a campaign',
    description: 'No more issues from this campaign, for good. Free bets already issued live on.',
    request: CampaignStopRequest,
    response: Nothing,
    errors: ['campaign_not_found'],
    example: { request: { client_id: 1, campaign_id: story.campaign.campaign_id }, response: {} },
  },
  CampaignPause: {
    tag: 'Promo',
    summary: 'Pause a campaign',
    description:
      'No more issues from this campaign until it is resumed. Free bets already issued live on. A campaign that was ' +
      'stopped or has ended stays as it is.',
    request: CampaignPauseRequest,
    response: Nothing,
    errors: ['campaign_not_found'],
    example: { request: { client_id: 1, campaign_id: story.campaign.campaign_id }, response: {} },
  },
  CampaignResume: {
    tag: 'Promo',
    summary: 'Resume a campaign',
    description: 'Issues from a paused campaign again. A campaign that was stopped or has ended stays as it is.',
    request: CampaignPauseRequest,
    response: Nothing,
    errors: ['campaign_not_found'],
    example: { request: { client_id: 1, campaign_id: story.campaign.campaign_id }, response: {} },
  },
  CampaignLimits: {
    tag: 'Promo',
    summary: 'Change the limits of a campaign',
    description:
      'Both limits as they hold from then on. Lower than what was given is allowed: nothing is taken back, and nothing more ' +
      'is given.',
    request: CampaignLimitsRequest,
    response: Campaign,
    errors: ['campaign_not_found'],
    example: {
      request: { client_id: 1, campaign_id: story.campaign.campaign_id, bonus_limit: 8000, bonus_limit_per_user: null },
      response: {
        ...story.storedCampaign,
        config: { ...story.config, bonus_limit: 8000, bonus_limit_per_user: null },
        limits_changed_at: '2027-01-02T18:30:00.000Z',
      },
    },
  },
} as const satisfies Partial<OperationRows>;

export const campaignStaffOperations = {
  CampaignSearch: {
    tag: 'Campaigns',
    summary:
      'Find campaigns by name or id; newest, ending soonest or by name. A page may be short, and still have a next one',
    request: CampaignSearchRequest,
    response: CampaignListResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
