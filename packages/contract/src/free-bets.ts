import { CoefficientConfig, DurationMin, Games, Quantity } from './campaigns.ts';
import { ItemError } from './errors.ts';
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
import { Type } from './type.ts';

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
  name: Type.Optional(text(255, 'A name for people')),
  valid_from: Type.Optional(Timestamp),
  duration_min: Type.Optional(DurationMin),
  config: Type.Optional(CoefficientConfig),
};

const ByCampaign = closed(byCampaign, { title: 'By campaign' });
const Direct = closed(direct, { title: 'Direct' });
export type IssueByCampaign = Type.Static<typeof ByCampaign>;
export type IssueDirect = Type.Static<typeof Direct>;
export type IssueItem = IssueByCampaign | IssueDirect;

/** One of two forms, told apart by `campaign_id`, so that the details of an error speak of the form that was meant. */
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
  description: '`issued` until `valid_from`, then `active`; `in_use` while a bet stands.',
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
  remaining: Type.Integer({ minimum: 0, maximum: 1000, description: 'How many bets are left.' }),
  games: Games,
  config: closed({ min_coefficient: nullable(Coefficient), max_coefficient: nullable(Coefficient) }),
  valid_from: Timestamp,
  valid_until: Timestamp,
  expires_at: Timestamp,
  issued_at: Timestamp,
};

export const FreeBet = closed(freeBetFields);
export type FreeBet = Type.Static<typeof FreeBet>;

export const IssueResponse = closed({ ...freeBetFields, dry_run: Type.Optional(WasDryRun) });

export const Bet = closed({
  bet_id: BetId,
  game_id: GameId,
  status: Type.Enum(['placed', 'won', 'lost', 'rolled_back'], {
    description: '`rolled_back` only in an event: a bet that was taken back is not shown any more.',
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
      'Issue requests without `client_id`. Each is checked by itself: one bad item never fails another, unless it breaks a bound of the body as a whole.',
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
          'In the order of the items: the free bet, one of a campaign without its `games`, or the error of that item.',
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

export const FreeBetCancelResponse = closed({ dry_run: Type.Optional(WasDryRun) });

export const CancelBatchRequest = closed({
  client_id: ClientId,
  issue_ids: Type.Array(IssueId, {
    minItems: 1,
    maxItems: maxItemsOfBatch,
    description: 'The free bets; one may be named twice.',
  }),
});

export const CancelBatchResponse = closed({
  results: Type.Array(
    Type.Union([
      closed({ issue_id: IssueId }, { title: 'Cancelled' }),
      closed({ issue_id: IssueId, error: ItemError }, { title: 'Refused' }),
    ]),
    { description: 'In the order of the ids.' },
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
