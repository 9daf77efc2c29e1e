import { Type } from 'typebox';
import {
  CampaignId,
  ClientId,
  Currency,
  closed,
  GameId,
  Limit,
  LongCursor,
  MoneySum,
  nullable,
  ProviderId,
  Timestamp,
} from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';

// What happened, counted hour by hour: as a series for charts, and as a table by what one likes. Money is added up by currency.

const Count = Type.Integer({ minimum: 0 });

const measured = {
  issued: Count,
  cancelled: Count,
  expired: Count,
  bets: Type.Integer({ minimum: 0, description: 'Bets that stand, in the hour in which they were placed.' }),
  settled: Type.Integer({ minimum: 0, description: 'Bets settled, in the hour in which they were.' }),
  staked: MoneySum,
  won: MoneySum,
};

export const TimeZone = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  maxLength: 64,
  default: 'UTC',
  'x-form': 'a time zone of the IANA, such as Europe/Berlin',
  description:
    'Whose days and months are meant, such as `Europe/Berlin`; `UTC` when absent. An hour counts in the day in which it begins.',
});

export const Sandboxes = Type.Boolean({
  default: false,
  description:
    'Whether the report is about sandboxes instead of real partners, if no partner is named; `false` when absent. The two are never added ' +
    'up. A named partner is shown in either case.',
});

const selection = {
  client_id: Type.Optional(ClientId),
  sandboxes: Type.Optional(Sandboxes),
  campaign_id: Type.Optional(
    Type.Union([CampaignId, Type.Null()], { description: 'Only this campaign; null for free bets without one.' }),
  ),
  currency: Type.Optional(Currency),
  from: Type.String({ ...Timestamp, description: 'Only hours that begin at this time or later.' }),
  until: Type.String({ ...Timestamp, description: 'Only hours that begin before this time.' }),
  time_zone: Type.Optional(TimeZone),
};

export const answered = {
  sandboxes: Type.Boolean({ description: 'Whether there is a sandbox among its partners.' }),
  counted_until: Type.String({
    ...Timestamp,
    description:
      'What its partners were answered before this time, by the clock of the world, is in it; later things may not be yet.',
  }),
};
const inOrder = { 'x-not-after': ['from', 'until'] };

export const ActivityGetRequest = closed({ ...selection, by: Type.Enum(['hour', 'day']) }, inOrder);
export type ActivityGetRequest = Type.Static<typeof ActivityGetRequest>;

const ActivityGetResponse = closed({
  series: Type.Array(
    closed({
      at: Type.String({
        description: 'When the hour begins, such as `2027-01-31T12:00:00Z`, or the day, such as `2027-01-31`.',
      }),
      currency: Currency,
      ...measured,
    }),
    {
      description:
        'In the order of time, and for each currency; an hour or a day in which nothing happened is left out.',
    },
  ),
  ...answered,
});

const reportGroups = ['partner', 'campaign', 'game', 'provider', 'currency', 'day', 'month'] as const;

const By = Type.Array(Type.Enum(reportGroups), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'What the rows are about, in this order. Money is always by currency as well.',
});

export const ReportExportRequest = closed({ ...selection, by: By }, inOrder);
export type ReportExportRequest = Type.Static<typeof ReportExportRequest>;

/** Rows of one currency: a chart of every day of a year has 367. */
export const mostOfEach = 400;

export const ReportGetRequest = closed(
  {
    ...selection,
    by: By,
    most: Type.Optional(
      Type.Enum(Object.keys(measured) as (keyof typeof measured)[], {
        description: `Of each currency only the rows with most of this, as many as \`limit\` says, which is ${mostOfEach} at most, and no further pages: a \`cursor\` does not go with it. All rows in pages when absent.`,
      }),
    ),
    limit: Type.Optional(Limit(1000, 100)),
    cursor: Type.Optional(LongCursor),
  },
  inOrder,
);
export type ReportGetRequest = Type.Static<typeof ReportGetRequest>;

const NameOf = (what: string) => Type.Optional(nullable(Type.String({ description: what })));

const ReportRow = closed({
  client_id: Type.Optional(ClientId),
  partner_name: NameOf('What the partner is called.'),
  campaign_id: Type.Optional(nullable(CampaignId)),
  campaign_name: NameOf('What the campaign is called; null where partners call those of this id differently.'),
  game_id: Type.Optional(nullable(GameId)),
  game_title: NameOf('What the game is called; null where it is withdrawn.'),
  provider_id: Type.Optional(nullable(ProviderId)),
  provider_name: NameOf('What the provider is called.'),
  day: Type.Optional(Type.String({ description: 'Such as `2027-01-31`.' })),
  month: Type.Optional(Type.String({ description: 'Such as `2027-01`.' })),
  currency: Currency,
  ...measured,
});

const ReportGetResponse = closed({
  rows: Type.Array(ReportRow, {
    description:
      'With the fields that `by` names. A free bet has no game: what was issued, cancelled and expired stands in rows whose game and provider are null.',
  }),
  totals: Type.Array(closed({ currency: Currency, ...measured }), { description: 'Of all rows, on all pages.' }),
  next_cursor: nullable(LongCursor),
  ...answered,
});

export const reportOperations = {
  ActivityGet: {
    tag: 'Reports',
    summary: 'What happened, hour by hour or day by day',
    request: ActivityGetRequest,
    response: ActivityGetResponse,
    errors: ['partner_not_found'],
  },
  ReportGet: {
    tag: 'Reports',
    summary: 'What happened, by partner, campaign, game, provider, currency, day or month',
    request: ReportGetRequest,
    response: ReportGetResponse,
    errors: ['partner_not_found'],
  },
  ReportExport: {
    tag: 'Reports',
    summary: 'The same as a file, whole',
    request: ReportExportRequest,
    response: { file: 'text/csv; charset=utf-8' },
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
