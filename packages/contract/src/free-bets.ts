import { Type } from 'typebox';
import { CoefficientConfig, DurationMin, Games, Quantity, termErrors } from './campaigns.ts';
import type { ErrorName } from './errors.ts';
import * as story from './example-story.ts';
import {
  BetId,
  CampaignId,
  ClientId,
  Coefficient,
  Currency,
  Cursor,
  closed,
  DryRun,
  From,
  GameId,
  IssueId,
  ItemError,
  Limit,
  Money,
  MoneySum,
  nullable,
  PlayerId,
  Timestamp,
  text,
  Until,
  WasDryRun,
} from './formats.ts';
import type { OperationRows } from './operation-types.ts';

const byCampaign = {
  issue_id: Type.Optional(IssueId),
  campaign_id: CampaignId,
  player_id: PlayerId,
  currency: Currency,
};

const direct = {
  issue_id: Type.Optional(IssueId),
  player_id: PlayerId,
  currency: Currency,
  bet_amount: Money,
  quantity: Quantity,
  games: Games,
  valid_until: Timestamp,
  name: Type.Optional(text(255, 'A display name')),
  valid_from: Type.Optional(Timestamp),
  duration_min: Type.Optional(DurationMin),
  config: Type.Optional(CoefficientConfig),
};

const ByCampaign = closed(byCampaign, { title: 'By campaign' });
const Direct = closed(direct, { title: 'Direct' });
export type IssueByCampaign = Type.Static<typeof ByCampaign>;
export type IssueDirect = Type.Static<typeof Direct>;
export type IssueItem = IssueByCampaign | IssueDirect;

/** One of two forms, selected by the presence of `campaign_id`, so that error details refer to the intended form. */
export const eitherForm = <T>(withCampaign: Type.TSchema, without: Type.TSchema) =>
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
  Type.Unsafe<T>({ type: 'object', if: { required: ['campaign_id'] }, then: withCampaign, else: without });

export const IssueItem = eitherForm<IssueItem>(ByCampaign, Direct);
export const IssueRequest = eitherForm<IssueItem & { client_id: number; dry_run?: boolean }>(
  closed({ client_id: ClientId, ...byCampaign, dry_run: Type.Optional(DryRun) }, { title: 'By campaign' }),
  closed({ client_id: ClientId, ...direct, dry_run: Type.Optional(DryRun) }, { title: 'Direct' }),
);
export type IssueRequest = Type.Static<typeof IssueRequest>;

const freeBetStatuses = ['issued', 'active', 'in_use', 'finished', 'cancelled', 'expired'] as const;
export const FreeBetStatus = Type.Enum(freeBetStatuses, {
  description: '`issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not rolled back.',
});
export type FreeBetStatus = (typeof freeBetStatuses)[number];

const freeBetFields = {
  issue_id: IssueId,
  campaign_id: nullable(CampaignId),
  status: FreeBetStatus,
  player_id: PlayerId,
  currency: Currency,
  bet_amount: Money,
  quantity: Quantity,
  remaining: Type.Integer({ minimum: 0, maximum: 1000, description: 'The number of bets left.' }),
  games: Games,
  config: closed({ min_coefficient: nullable(Coefficient), max_coefficient: nullable(Coefficient) }),
  valid_from: Timestamp,
  valid_until: Timestamp,
  expires_at: Timestamp,
  issued_at: Timestamp,
};

export const FreeBet = closed(freeBetFields);
export type FreeBet = Type.Static<typeof FreeBet>;

const IssueResponse = closed({ ...freeBetFields, dry_run: Type.Optional(WasDryRun) });

export const Bet = closed({
  bet_id: BetId,
  game_id: GameId,
  status: Type.Enum(['placed', 'won', 'lost', 'rolled_back'], {
    description: '`rolled_back` occurs only in events: responses leave out bets that were rolled back.',
  }),
  coefficient: nullable(Coefficient),
  win_amount: nullable(MoneySum),
  placed_at: Timestamp,
  settled_at: nullable(Timestamp),
});
export type BetBody = Type.Static<typeof Bet>;

const { games: _, ...withoutGames } = freeBetFields;

/** The longest list in `/FreeBets/Issue/Batch` and `/FreeBets/Cancel/Batch`. */
export const maxItemsOfBatch = 1000;

export const IssueBatchRequest = closed({
  client_id: ClientId,
  items: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: maxItemsOfBatch,
    'x-items': IssueItem,
    description:
      'Issue requests without `client_id`. Each is checked on its own: an invalid item fails no other item, ' +
      'unless it exceeds a limit of the whole body.',
  }),
  dry_run: Type.Optional(DryRun),
});
export type IssueBatchRequest = Type.Static<typeof IssueBatchRequest>;

export const IssueBatchResponse = closed({
  results: Type.Array(
    Type.Union(
      [
        closed(freeBetFields, { title: 'Issued directly' }),
        closed(withoutGames, { title: 'Issued from a campaign' }),
        closed({ issue_id: nullable(Type.String()), error: ItemError }, { title: 'Refused' }),
      ],
      {
        description:
          'The results in the order of the items: the free bet (without `games` if it is from a campaign), or the ' +
          'error of the item.',
      },
    ),
  ),
  dry_run: Type.Optional(WasDryRun),
});
export type IssueBatchResponse = Type.Static<typeof IssueBatchResponse>;

export const FreeBetCancelRequest = closed({
  issue_id: IssueId,
  client_id: ClientId,
  dry_run: Type.Optional(DryRun),
});
export type FreeBetCancelRequest = Type.Static<typeof FreeBetCancelRequest>;

const FreeBetCancelResponse = closed({ dry_run: Type.Optional(WasDryRun) });

const CancelBatchRequest = closed({
  client_id: ClientId,
  issue_ids: Type.Array(IssueId, {
    minItems: 1,
    maxItems: maxItemsOfBatch,
    description: 'The ids of the free bets. An id may be repeated.',
  }),
});

const CancelBatchResponse = closed({
  results: Type.Array(
    Type.Union([
      closed({ issue_id: IssueId }, { title: 'Cancelled' }),
      closed({ issue_id: IssueId, error: ItemError }, { title: 'Refused' }),
    ]),
    { description: 'The results in the order of the ids.' },
  ),
});

export const FreeBetGetRequest = closed({ client_id: ClientId, issue_id: IssueId });
export type FreeBetGetRequest = Type.Static<typeof FreeBetGetRequest>;

export const FreeBetGetResponse = closed({ ...freeBetFields, bets: Type.Array(Bet) });
export type FreeBetGetResponse = Type.Static<typeof FreeBetGetResponse>;

export const FreeBetListRequest = closed(
  {
    client_id: ClientId,
    player_id: Type.Optional(PlayerId),
    campaign_id: Type.Optional(CampaignId),
    status: Type.Optional(FreeBetStatus),
    issued_from: Type.Optional(From('issued')),
    issued_until: Type.Optional(Until('issued')),
    limit: Type.Optional(Limit(200, 50)),
    cursor: Type.Optional(Cursor),
  },
  { 'x-not-after': ['issued_from', 'issued_until'] },
);
export type FreeBetListRequest = Type.Static<typeof FreeBetListRequest>;

export const FreeBetListResponse = closed({ free_bets: Type.Array(FreeBet), next_cursor: nullable(Cursor) });
export type FreeBetListResponse = Type.Static<typeof FreeBetListResponse>;

const campaignIssueErrors: ErrorName[] = [
  'campaign_not_found',
  'campaign_stopped',
  'campaign_ended',
  'campaign_paused',
  'bonus_limit_reached',
  'bonus_limit_per_user_reached',
];

export const freeBetOperations = {
  Issue: {
    tag: 'Promo',
    summary: 'Issue a free bet',
    description:
      'Issues from a campaign (`campaign_id`), or directly with all parameters in the request. If you send ' +
      'your own `issue_id`, a repeated request returns the first response again instead of issuing a second ' +
      'free bet. With `dry_run` nothing is issued.',
    request: IssueRequest,
    response: IssueResponse,
    errors: [...termErrors, ...campaignIssueErrors, 'id_reused'],
    example: {
      summary: 'By campaign',
      request: { client_id: 1, ...story.issue },
      response: story.freeBet,
    },
    secondExample: {
      summary: 'Direct',
      request: { client_id: 1, ...story.directIssue },
      response: story.directFreeBet,
    },
  },
  IssueBatch: {
    tag: 'Promo',
    summary: 'Issue many free bets',
    description:
      'Takes up to 1,000 issue requests. Each succeeds or fails on its own, with the errors of Issue. With ' +
      '`dry_run` they are decided one after the other, and nothing is issued.',
    request: IssueBatchRequest,
    response: IssueBatchResponse,
    errors: [],
    example: {
      request: {
        client_id: 1,
        items: [story.batchItem, { campaign_id: 'gone', player_id: 'player-9', currency: 'EUR' }],
      },
      response: {
        results: [
          { ...story.withoutGames, ...story.batchItem },
          { issue_id: null, error: { code: 630, error: 'campaign_not_found', message: 'There is no such campaign.' } },
        ],
      },
    },
  },
  Cancel: {
    tag: 'Promo',
    summary: 'Cancel an unused free bet',
    description:
      'Cancels a free bet that has no bets, apart from bets that were rolled back. It no longer counts towards ' +
      'the campaign cap and the per-player cap. With `dry_run` nothing is cancelled.',
    request: FreeBetCancelRequest,
    response: FreeBetCancelResponse,
    errors: ['free_bet_not_found', 'free_bet_expired', 'free_bet_already_used'],
    example: { request: { issue_id: story.batchIssueId, client_id: 1 }, response: {} },
  },
  CancelBatch: {
    tag: 'Promo',
    summary: 'Cancel many free bets',
    description: 'Takes up to 1,000 ids. Each free bet is cancelled or refused on its own, with the errors of Cancel.',
    request: CancelBatchRequest,
    response: CancelBatchResponse,
    errors: [],
    example: {
      request: { client_id: 1, issue_ids: [story.batchIssueId, story.unknownIssueId] },
      response: {
        results: [
          { issue_id: story.batchIssueId },
          {
            issue_id: story.unknownIssueId,
            error: { code: 610, error: 'free_bet_not_found', message: 'There is no such free bet.' },
          },
        ],
      },
    },
  },
  FreeBetGet: {
    tag: 'Promo',
    summary: 'Read a free bet',
    description: 'Returns the current state of the free bet, with its bets.',
    request: FreeBetGetRequest,
    response: FreeBetGetResponse,
    errors: ['free_bet_not_found'],
    example: {
      request: { client_id: 1, issue_id: story.issueId },
      response: { ...story.usedFreeBet, bets: [story.bet] },
    },
  },
  FreeBetList: {
    tag: 'Promo',
    summary: 'List free bets',
    description:
      'Returns the newest first. A page may have fewer items than `limit`, or none, and still have a ' +
      '`next_cursor`: continue until it is null.',
    request: FreeBetListRequest,
    response: FreeBetListResponse,
    errors: [],
    example: {
      request: { client_id: 1, player_id: 'player-7' },
      response: { free_bets: [story.freeBet], next_cursor: null },
    },
  },
} as const satisfies Partial<OperationRows>;
