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
  description: 'The number of bets in one free bet, shared by the games listed.',
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
    bonus_limit: Type.Optional(bonusLimit('The campaign cap: the number of free bets in all; no cap if absent.')),
    bonus_limit_per_user: Type.Optional(
      bonusLimit('The per-player cap: the number of free bets for one player; no cap if absent.'),
    ),
    ...CoefficientConfig.properties,
  },
  coefficientsInOrder,
);

const terms = {
  name: text(255, 'A display name'),
  quantity: Quantity,
  valid_from: Timestamp,
  valid_until: Timestamp,
  games: Games,
  bet_amounts: Type.Array(BetAmount, {
    minItems: 1,
    maxItems: 100,
    'x-distinct-by': 'currency',
    description: 'The amount of one bet in each currency.',
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
      'Only in the response to a dry run: the maximum liability of the campaign; `amount` is null without a ' +
        '`bonus_limit` or a `max_coefficient`.',
    ),
  ),
});

const campaignFields = {
  campaign_id: CampaignId,
  ...terms,
  duration_min: nullable(DurationMin),
  stake_returned: Type.Boolean({
    description: 'Whether a win returns the stake too: the setting of the partner when the campaign was created.',
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
  issued: count('The number of free bets issued, including cancelled ones.'),
  cancelled: count('The number of cancelled free bets.'),
  expired: count('The number of free bets that expired with bets left.'),
  finished: count('The number of free bets whose bets are all used and settled.'),
  bets_placed: count('The number of bets placed and not rolled back.'),
});

export const CampaignGetRequest = closed({ client_id: ClientId, campaign_id: CampaignId });
export type CampaignGetRequest = Type.Static<typeof CampaignGetRequest>;

export const CampaignGetResponse = closed({
  ...campaignFields,
  counts: CampaignCounts,
  winnings: PerCurrency,
  exposure: MostPerCurrency(
    'The maximum liability of bets that are left and of bets that are not settled, including those of ' +
      'expired free bets; `amount` is null without a `max_coefficient`.',
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
  search: Type.Optional(text(128, 'Part of the name or the id, in upper or lower case')),
  status: Type.Optional(
    Type.Enum([...campaignStatuses, 'live'], {
      description: 'Only campaigns with this status; `live` means begun, and neither ended nor stopped.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum(['newest', 'ends_soonest', 'name'], {
      default: 'newest',
      description:
        '`newest` if absent. `ends_soonest` leaves out campaigns that have ended, unless `status` asks for them.',
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
  bonus_limit: bonusLimitOrNull('The campaign cap: the number of free bets in all; null for no cap.'),
  bonus_limit_per_user: bonusLimitOrNull(
    'The per-player cap: the number of free bets for one player; null for no cap.',
  ),
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
      'Creates a reusable template for free bets. If you send your own `campaign_id`, you can repeat the call ' +
      'safely; otherwise the service creates one. With `dry_run` nothing is created, and the response also has ' +
      'the maximum liability of the campaign.',
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
    description: 'Returns the campaign as created, its status, and the counts of its free bets.',
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
      'Returns the newest first. A page may have fewer items than `limit`, or none, and still have a ' +
      '`next_cursor`: continue until it is null.',
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
    description: 'Stops issuing from this campaign for good. Free bets already issued stay valid.',
    request: CampaignStopRequest,
    response: Nothing,
    errors: ['campaign_not_found'],
    example: { request: { client_id: 1, campaign_id: story.campaign.campaign_id }, response: {} },
  },
  CampaignPause: {
    tag: 'Promo',
    summary: 'Pause a campaign',
    description:
      'Stops issuing from this campaign until it is resumed. Free bets already issued stay valid. A campaign ' +
      "that was stopped or has ended doesn't change.",
    request: CampaignPauseRequest,
    response: Nothing,
    errors: ['campaign_not_found'],
    example: { request: { client_id: 1, campaign_id: story.campaign.campaign_id }, response: {} },
  },
  CampaignResume: {
    tag: 'Promo',
    summary: 'Resume a campaign',
    description:
      "Allows issuing from a paused campaign again. A campaign that was stopped or has ended doesn't change.",
    request: CampaignPauseRequest,
    response: Nothing,
    errors: ['campaign_not_found'],
    example: { request: { client_id: 1, campaign_id: story.campaign.campaign_id }, response: {} },
  },
  CampaignLimits: {
    tag: 'Promo',
    summary: 'Change the limits of a campaign',
    description:
      'Sets both limits. A limit may be below the number already issued: free bets already issued stay valid, and no more ' +
      'are issued.',
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
      'Find campaigns by name or id; newest, ending soonest or by name. A page may be short and still have a ' +
      'next page',
    request: CampaignSearchRequest,
    response: CampaignListResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
