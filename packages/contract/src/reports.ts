import { Type } from 'typebox';
import { CampaignStatus, MostPerCurrency } from './campaigns.ts';
import { DraftsWaitingResponse } from './drafts.ts';
import {
  CampaignId,
  ClientId,
  Currency,
  closed,
  GameId,
  JobId,
  Limit,
  LongCursor,
  MoneySum,
  nullable,
  ProviderId,
  Timestamp,
} from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';

// Activity reports from hourly counts, as a series for charts and as a grouped table. Money is summed per currency.

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

const TimeZone = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  maxLength: 64,
  default: 'UTC',
  'x-form': 'a time zone of the IANA, such as Europe/Berlin',
  description:
    'Whose days and months are meant, such as `Europe/Berlin`; `UTC` when absent. An hour counts in the day in which it begins.',
});

const Sandboxes = Type.Boolean({
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

const answered = {
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

/** Rows per currency: a daily chart of a year has 367. */
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

// The overview page, for one partner or all in scope. Each list shows the first items of the count next to it.

const OverviewGetRequest = closed({
  client_id: Type.Optional(ClientId),
  sandboxes: Type.Optional(Sandboxes),
  time_zone: Type.Optional(TimeZone),
});

const figures = { issued: Count, bets: Count, staked: MoneySum, won: MoneySum };
const ofPartner = {
  client_id: ClientId,
  partner: Type.String({ description: 'The name of the partner.' }),
  sandbox: Type.Boolean(),
};
const shownOf = (what: string) => ({ description: `At most 20 ${what}.` });

const OverviewGetResponse = closed({
  now: Type.String({ ...Timestamp, description: 'By the clock of the partner that is named, or of the world.' }),
  figures: Type.Array(
    closed({
      currency: Currency,
      today: closed(figures, { description: 'Since the day began.' }),
      whole_hours: closed(figures, { description: 'The same, without the hour that is not over.' }),
      last_week: closed(figures, { description: 'In just those hours of the same day a week before.' }),
    }),
    { description: 'By currency.' },
  ),
  exposure: MostPerCurrency(
    'What the open bets of all campaigns could win at most, ended and stopped ones too; `amount` is null where nothing bounds one of ' +
      'them. Free bets without a campaign are not in it, and what has expired is until it is written down, within seconds.',
  ),
  live_campaigns: Type.Integer({ minimum: 0, description: 'Begun, and neither ended nor stopped.' }),
  campaigns: Type.Array(
    closed({
      ...ofPartner,
      campaign_id: CampaignId,
      name: Type.String(),
      status: CampaignStatus,
      valid_until: Timestamp,
      bonus_limit: nullable(Type.Integer()),
      games: Type.Array(GameId, { description: 'The first two.' }),
      bets: Count,
      winnings: Type.Array(closed({ currency: Currency, amount: MoneySum }), {
        description: 'Of the currencies in which anything was won.',
      }),
      held: Type.Integer({ minimum: 0, description: 'Free bets issued and not cancelled: what counts for the limit.' }),
    }),
    shownOf('of the live ones, the most used first, then those without a limit'),
  ),
  webhooks: closed({
    failing: Count,
    off: Count,
    shown: Type.Array(
      closed({
        ...ofPartner,
        state: Type.Enum(['failing', 'off']),
        since: Timestamp,
        reason: nullable(Type.String({ description: 'Why it is off.' })),
      }),
      shownOf('of them, the longest first'),
    ),
  }),
  jobs: closed({
    running: Count,
    shown: Type.Array(
      closed({
        ...ofPartner,
        job_id: JobId,
        name: Type.String(),
        campaign_id: nullable(CampaignId),
        items: Count,
        issued: Count,
        refused: Count,
        per_second: nullable(Count),
        started_at: Timestamp,
      }),
      shownOf('of them, the latest first'),
    ),
  }),
  approvals: DraftsWaitingResponse,
  ...answered,
});

export const overviewOperations = {
  OverviewGet: {
    tag: 'Reports',
    summary: 'Overview: live campaigns, today against last week, exposure, webhooks, jobs, approvals',
    request: OverviewGetRequest,
    response: OverviewGetResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;

// The state of the service: the server that responds, and the database that all servers share. It contains no partner's
// data, so that all staff may see it.

const count = (description: string) => Type.Integer({ minimum: 0, description });
const measure = (description: string) => Type.Number({ minimum: 0, description });

const Pool = closed({
  open: count('Connections there are.'),
  idle: count('Of these, without work.'),
  waiting: count('Pieces of work that wait for one.'),
  most: count('As many as there may be.'),
});

export const SystemGetResponse = closed({
  version: Type.String(),
  uptime_s: count('Of this server.'),
  memory: closed({ resident_bytes: count('Of the process.'), heap_bytes: count('In use.') }),
  requests: closed({
    per_second: measure('Over the last ten seconds, of this server, as all that follows up to the lanes.'),
    p50_ms: nullable(measure('Half were answered within it; null without requests.')),
    p99_ms: nullable(measure('All but one in a hundred were.')),
  }),
  lanes: closed({
    depth: count('Commands that wait.'),
    batches_per_second: measure('Over the last ten seconds.'),
    mean_size: nullable(measure('Commands in a batch.')),
    last_size: nullable(count('Of the latest batch, whenever it was.')),
    load_ms: nullable(measure('To lock, load and decide a batch, on the average.')),
    commit_ms: nullable(measure('To write and commit it.')),
  }),
  database: closed({
    is_up: Type.Boolean(),
    version: nullable(Type.String()),
    size_bytes: nullable(count('Of all that is stored.')),
    connections: Type.Record(Type.String(), Pool, { description: 'Of this server, by what they are for.' }),
  }),
  webhooks: nullable(
    closed({
      waiting: count('Events that webhooks have still to receive.'),
      oldest_s: measure('Age of the oldest of them; 0 where there is none.'),
    }),
  ),
  sweeper: nullable(
    closed({ overdue: count('Free bets that have expired and are not written down yet; of a partner 1000 at most.') }),
  ),
  jobs: closed({ running: count('That this server carries out.') }),
  activity: closed({ lag_s: nullable(measure('How far the figures by the hour are behind.')) }),
});
export type SystemGetResponse = Type.Static<typeof SystemGetResponse>;

export const systemOperations = {
  SystemGet: {
    tag: 'System',
    summary: 'How the service is doing; at most a second old',
    request: closed({}),
    response: SystemGetResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
