import { Type } from 'typebox';
import { CampaignStatus, MostPerCurrency } from './campaigns.ts';
import { DraftsWaitingResponse } from './drafts.ts';
import { CampaignId, ClientId, Currency, closed, GameId, JobId, MoneySum, nullable, Timestamp } from './formats.ts';
import type { StaffOperationRows } from './operation-types.ts';
import { answered, Sandboxes, TimeZone } from './reports.ts';

// What somebody sees first: how things stand, for one partner or all in scope. Lists show a few of what is counted beside them.

const Count = Type.Integer({ minimum: 0 });

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
    summary: 'How things stand: live campaigns, today against last week, exposure, webhooks, jobs, approvals',
    request: OverviewGetRequest,
    response: OverviewGetResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
