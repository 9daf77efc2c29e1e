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
  bets: Type.Integer({ minimum: 0, description: 'The bets placed in this hour or group and not rolled back.' }),
  settled: Type.Integer({ minimum: 0, description: 'The bets settled in this hour or group.' }),
  staked: MoneySum,
  won: MoneySum,
};

const TimeZone = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$',
  maxLength: 64,
  default: 'UTC',
  'x-form': 'a time zone of the IANA, such as Europe/Berlin',
  description:
    'The time zone for days and months, such as `Europe/Berlin`; `UTC` if absent. An hour belongs to the day ' +
    'in which it begins.',
});

const Sandboxes = Type.Boolean({
  default: false,
  description:
    'True for sandboxes, false for real partners; `false` if absent. Not used if `client_id` is present. The ' +
    'two are never added up.',
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
  sandboxes: Type.Boolean({ description: 'Whether the report contains a sandbox.' }),
  counted_until: Type.String({
    ...Timestamp,
    description: 'The report contains everything up to this time in the real world. Later changes may be missing.',
  }),
};
const inOrder = { 'x-not-after': ['from', 'until'] };

export const ActivityGetRequest = closed({ ...selection, by: Type.Enum(['hour', 'day']) }, inOrder);
export type ActivityGetRequest = Type.Static<typeof ActivityGetRequest>;

const ActivityGetResponse = closed({
  series: Type.Array(
    closed({
      at: Type.String({
        description: 'The start of the hour, such as `2027-01-31T12:00:00Z`, or the day, such as `2027-01-31`.',
      }),
      currency: Currency,
      ...measured,
    }),
    {
      description: 'The points in the order of time, for each currency. Hours and days without activity are left out.',
    },
  ),
  ...answered,
});

const reportGroups = ['partner', 'campaign', 'game', 'provider', 'currency', 'day', 'month'] as const;

const By = Type.Array(Type.Enum(reportGroups), {
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  description: 'The groups of the rows, in this order. Money is always grouped by currency too.',
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
  partner_name: NameOf('The name of the partner.'),
  campaign_id: Type.Optional(nullable(CampaignId)),
  campaign_name: NameOf('The name of the campaign; null if partners use different names for this id.'),
  game_id: Type.Optional(nullable(GameId)),
  game_title: NameOf('The title of the game; null if it was withdrawn.'),
  provider_id: Type.Optional(nullable(ProviderId)),
  provider_name: NameOf('The name of the provider.'),
  day: Type.Optional(Type.String({ description: 'The day, such as `2027-01-31`.' })),
  month: Type.Optional(Type.String({ description: 'The month, such as `2027-01`.' })),
  currency: Currency,
  ...measured,
});

const ReportGetResponse = closed({
  rows: Type.Array(ReportRow, {
    description:
      'The rows, with the fields listed in `by`. A free bet has no game: rows with issued, cancelled and ' +
      'expired free bets have null as game and provider.',
  }),
  totals: Type.Array(closed({ currency: Currency, ...measured }), {
    description: 'The totals of all rows on all pages.',
  }),
  next_cursor: nullable(LongCursor),
  ...answered,
});

export const reportOperations = {
  ActivityGet: {
    tag: 'Reports',
    summary: 'Read activity by hour or day',
    request: ActivityGetRequest,
    response: ActivityGetResponse,
    errors: ['partner_not_found'],
  },
  ReportGet: {
    tag: 'Reports',
    summary: 'Read activity by partner, campaign, game, provider, currency, day or month',
    request: ReportGetRequest,
    response: ReportGetResponse,
    errors: ['partner_not_found'],
  },
  ReportExport: {
    tag: 'Reports',
    summary: 'Export the whole report as a file',
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
  now: Type.String({
    ...Timestamp,
    description: "The current time: of the partner's clock if `client_id` is present, otherwise in the real world.",
  }),
  figures: Type.Array(
    closed({
      currency: Currency,
      today: closed(figures, { description: 'The figures since the start of the day.' }),
      whole_hours: closed(figures, {
        description: 'The figures since the start of the day, without the current hour.',
      }),
      last_week: closed(figures, { description: 'The figures of the same hours a week earlier.' }),
    }),
    { description: 'The figures by currency.' },
  ),
  exposure: MostPerCurrency(
    'The maximum liability of all campaigns, including ended and stopped ones; `amount` is null if one of ' +
      'them has no maximum. Free bets without a campaign are not included. Expired free bets are included for ' +
      'a few more seconds.',
  ),
  live_campaigns: Type.Integer({
    minimum: 0,
    description: 'The campaigns that have begun, and were neither ended nor stopped.',
  }),
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
        description: 'The winnings, in each currency with winnings.',
      }),
      held: Type.Integer({
        minimum: 0,
        description: 'The free bets that count towards the campaign cap: issued and not cancelled.',
      }),
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
        reason: nullable(Type.String({ description: 'The reason why the webhook is off.' })),
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
    summary: 'Read the overview: live campaigns, today against last week, exposure, webhooks, jobs, approvals',
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
  open: count('The number of connections.'),
  idle: count('The number of idle connections.'),
  waiting: count('The number of requests that wait for a connection.'),
  most: count('The maximum number of connections.'),
});

export const SystemGetResponse = closed({
  version: Type.String(),
  uptime_s: count('The time since this server started.'),
  memory: closed({ resident_bytes: count('The memory of this process.'), heap_bytes: count('The heap in use.') }),
  requests: closed({
    per_second: measure(
      'Requests per second of this server over the last ten seconds. The fields up to `lanes` are of this ' +
        'server too.',
    ),
    p50_ms: nullable(measure('The median response time; null without requests.')),
    p99_ms: nullable(measure('The 99th percentile of the response time.')),
  }),
  lanes: closed({
    depth: count('The number of waiting commands.'),
    batches_per_second: measure('Batches per second over the last ten seconds.'),
    mean_size: nullable(measure('The average number of commands in a batch.')),
    last_size: nullable(count('The number of commands in the latest batch.')),
    load_ms: nullable(measure('The average time to lock, load and decide a batch.')),
    commit_ms: nullable(measure('The average time to write and commit a batch.')),
  }),
  database: closed({
    is_up: Type.Boolean(),
    version: nullable(Type.String()),
    size_bytes: nullable(count('The size of the database.')),
    connections: Type.Record(Type.String(), Pool, { description: 'The connection pools of this server, by purpose.' }),
  }),
  webhooks: nullable(
    closed({
      waiting: count('The number of events that webhooks have not received yet.'),
      oldest_s: measure('The age of the oldest of these events; 0 if there is none.'),
    }),
  ),
  sweeper: nullable(
    closed({
      overdue: count(
        'The number of expired free bets that are not recorded as expired yet; at most 1,000 per partner.',
      ),
    }),
  ),
  jobs: closed({ running: count('The number of jobs that this server runs.') }),
  activity: closed({ lag_s: nullable(measure('The delay of the hourly figures.')) }),
});
export type SystemGetResponse = Type.Static<typeof SystemGetResponse>;

export const systemOperations = {
  SystemGet: {
    tag: 'System',
    summary: 'Read the state of the service; at most a second old',
    request: closed({}),
    response: SystemGetResponse,
    errors: [],
  },
} as const satisfies Partial<StaffOperationRows>;
