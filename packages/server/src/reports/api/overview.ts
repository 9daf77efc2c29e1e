import type { Handlers } from '../../calls/call.ts';
import type { PartnerSelection } from '../../calls/partner-selection.ts';
import { inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import { signedIn } from '../../calls/signed-in.ts';
import { inOneSnapshot } from '../../engine/transaction.ts';
import { formatInstant, formatMoney } from '../../primitives/amounts.ts';
import { done } from '../../primitives/outcome.ts';
import { waitingBody } from '../../promo/drafts/api.ts';
import { countWaitingDrafts } from '../../promo/drafts/sql/drafts.ts';
import { processedCount } from '../../promo/jobs/job.ts';
import { reachBody, selectionFor } from '../choice.ts';
import type { Exposure } from '../exposure.ts';
import {
  type FiguresRow,
  findLiveCampaigns,
  findRunningJobs,
  findTroubledWebhooks,
  type LiveCampaignRow,
  type RunningJobRow,
  readFigures,
  readNowOf,
  type TroubledWebhookRow,
} from '../sql/overview.ts';
import { readReach } from '../sql/reports.ts';
import { badTimeZone, knowsZone, resolveZone } from '../time-zone.ts';

interface OverviewServices extends ReportServices {
  /** Uses `reportPool`, so only within a turn. */
  readExposure(wanted: PartnerSelection): Promise<Exposure[]>;
}

export const overviewHandlers: Handlers<'OverviewGet', OverviewServices> = {
  async OverviewGet(call, { client_id, sandboxes, time_zone = 'UTC' }) {
    const { services, person } = call;
    const zone = await resolveZone(time_zone, knowsZone(services.consolePool));
    if (zone === undefined) return badTimeZone;
    const caller = signedIn(person);
    const wanted = selectionFor(person, client_id, sandboxes);
    const reading = {
      reach: readReach(wanted),
      now: readNowOf(client_id ?? null),
      figures: readFigures(wanted, zone),
      campaigns: findLiveCampaigns(wanted),
      webhooks: findTroubledWebhooks(wanted),
      jobs: findRunningJobs(wanted),
      drafts: countWaitingDrafts(wanted, caller.staff_id),
    };
    const { found, exposure } = await inReportTurn(call, async (pool) => ({
      exposure: await services.readExposure(wanted),
      found: await inOneSnapshot(pool, Object.values(reading)),
    }));
    const campaigns = found.of(reading.campaigns);
    return done({
      now: formatInstant(found.of(reading.now)),
      figures: found.of(reading.figures).map(figuresBody),
      exposure,
      live_campaigns: campaigns[0]?.live ?? 0,
      campaigns: campaigns.map(campaignBody),
      webhooks: webhooksBody(found.of(reading.webhooks)),
      jobs: jobsBody(found.of(reading.jobs)),
      approvals: waitingBody(caller, found.of(reading.drafts)),
      ...reachBody(found.of(reading.reach)),
    });
  },
};

function figuresBody(row: FiguresRow) {
  const sums = (span: 'today' | 'whole_hours' | 'last_week') => ({
    issued: Number(row[`${span}_issued`]),
    bets: Number(row[`${span}_bets`]),
    staked: formatMoney(BigInt(row[`${span}_staked`])),
    won: formatMoney(BigInt(row[`${span}_won`])),
  });
  return {
    currency: row.currency,
    today: sums('today'),
    whole_hours: sums('whole_hours'),
    last_week: sums('last_week'),
  };
}

const campaignBody = ({ live: _, valid_until, winnings, ...row }: LiveCampaignRow) => ({
  ...row,
  winnings: Object.entries(winnings)
    .toSorted()
    .map(([currency, cents]) => ({ currency, amount: formatMoney(BigInt(cents)) })),
  valid_until: formatInstant(valid_until),
});

const webhooksBody = (rows: TroubledWebhookRow[]) => ({
  failing: rows[0]?.failing ?? 0,
  off: rows[0]?.off ?? 0,
  shown: rows.map(({ failing: _, off: __, since, ...row }) => ({ ...row, since: formatInstant(since) })),
});

const jobsBody = (rows: RunningJobRow[]) => ({
  running: rows[0]?.running ?? 0,
  shown: rows.map(({ running: _, started_at, refused, ...row }) => ({
    ...row,
    refused: processedCount({ issued: 0, refused }),
    started_at: formatInstant(started_at),
  })),
});
