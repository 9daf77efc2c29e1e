import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import {
  type CampaignCreateRequest,
  type CampaignGetResponse,
  CampaignId,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import type { Pool } from 'pg';
import type { Call, Handlers } from '../../calls/call.ts';
import { cursorsOf, isA, pageCursorsOf, pageWanted } from '../../calls/cursor.ts';
import { readInTurn } from '../../calls/fair-queue.ts';
import { inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import { firstFitting, fittingPage } from '../../engine/page.ts';
import { ask } from '../../engine/statement.ts';
import { inOneSnapshot, inOneTrip, inSnapshot } from '../../engine/transaction.ts';
import { formatMoney, type Instant, parseInstant, parseMoney } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { type CommandOf, type CommandResults, contentHash } from '../batch/command.ts';
import type { CampaignEntry } from '../batch/working-set.ts';
import { dryRunField, type SubmitServices, submitCommand, tryCommands } from '../submit.ts';
import { coefficientsOf } from '../terms.ts';
import { campaignBody, countedCampaignBytes, maxExposureOf, maxWinnings } from './campaign.ts';
import {
  type CampaignTotals,
  campaignEntryOfRow,
  getCampaign,
  listCampaigns,
  readCampaignTotals,
  searchCampaigns,
} from './sql/reads.ts';

type Name =
  | 'CampaignCreate'
  | 'CampaignGet'
  | 'CampaignList'
  | 'CampaignStop'
  | 'CampaignPause'
  | 'CampaignResume'
  | 'CampaignLimits'
  | 'CampaignSearch';

const pageCursors = pageCursorsOf(CampaignId);
const searchCursors = cursorsOf({ campaign_id: isA<string>(CampaignId) });

export const campaignHandlers: Handlers<Name, SubmitServices & ReportServices> = {
  CampaignCreate: createCampaign,

  CampaignGet: (call, { client_id, campaign_id }) =>
    readInTurn(call, client_id, async (pool) => {
      const [found] = await readCountedCampaigns(pool, client_id, [campaign_id]);
      return found === undefined ? refuse('campaign_not_found') : done(found);
    }),

  CampaignList: (call, body) => readInTurn(call, body.client_id, (pool) => readCampaigns(pool, body)),
  CampaignStop: (call, body) => submitCommand(call, body, { kind: 'stop_campaign', campaignId: body.campaign_id }),
  CampaignPause: (call, body) => submitCommand(call, body, { kind: 'pause_campaign', campaignId: body.campaign_id }),
  CampaignResume: (call, body) => submitCommand(call, body, { kind: 'resume_campaign', campaignId: body.campaign_id }),
  CampaignLimits: (call, body) => submitCommand(call, body, changeLimitsCommand(body)),

  async CampaignSearch(call, { client_id, search = null, status = null, sort = 'newest', limit = 50, cursor }) {
    const after = searchCursors.read(cursor)?.campaign_id ?? null;
    const wanted = searchCampaigns(client_id, sort, { search, status, after, limit });
    const found = await inReportTurn(call, (pool) => ask(pool, wanted));
    const campaigns = await readCountedCampaigns(call.services.consolePool, client_id, found.ids);
    const shown = firstFitting(campaigns, (campaign) => Buffer.byteLength(JSON.stringify(campaign)));
    const next = shown.length < campaigns.length ? (shown.at(-1)?.campaign_id ?? null) : found.next;
    return done({ campaigns: shown, next_cursor: searchCursors.write(next === null ? null : { campaign_id: next }) });
  },
};

/** A dry run also returns the maximum liability of the campaign. */
async function createCampaign(
  call: Call<SubmitServices>,
  body: CampaignCreateRequest,
): Promise<Outcome<ResponseOf<'CampaignCreate'>>> {
  const command = createCampaignCommand(body);
  if (!body.dry_run) return submitCommand(call, body, command);
  const tried = await tryCommands(call, body.client_id, [command]);
  if (!tried.ok) return tried;
  const [outcome] = tried.value.outcomes as [Outcome<CommandResults['create_campaign']>];
  if (!outcome.ok) return outcome;
  const entry = tried.value.working.campaigns.get(command.campaignId);
  assert(entry, 'a campaign that was accepted is in the working set');
  return done({ ...outcome.value, ...dryRunField(body), max_exposure: maxExposureOf(entry.campaign) });
}

export function createCampaignCommand(request: CampaignCreateRequest): CommandOf<'create_campaign'> {
  const { config } = request;
  const terms = {
    name: request.name,
    quantity: request.quantity,
    games: request.games,
    validFrom: parseInstant(request.valid_from),
    validUntil: parseInstant(request.valid_until),
    durationMin: request.duration_min ?? null,
    ...coefficientsOf(config),
  };
  const betAmounts = new Map(request.bet_amounts.map(({ currency, amount }) => [currency, parseMoney(amount)]));
  const bonusLimit = config?.bonus_limit ?? null;
  const bonusLimitPerUser = config?.bonus_limit_per_user ?? null;
  return {
    kind: 'create_campaign',
    campaignId: request.campaign_id ?? randomUUIDv7(),
    terms,
    betAmounts,
    bonusLimit,
    bonusLimitPerUser,
    contentHash: contentHash([terms, [...betAmounts], bonusLimit, bonusLimitPerUser]),
  };
}

export const changeLimitsCommand = (request: RequestOf<'CampaignLimits'>): CommandOf<'change_limits'> => ({
  kind: 'change_limits',
  campaignId: request.campaign_id,
  bonusLimit: request.bonus_limit,
  bonusLimitPerUser: request.bonus_limit_per_user,
});

async function readCampaigns(
  pool: Pool,
  body: RequestOf<'CampaignList'>,
): Promise<Outcome<ResponseOf<'CampaignList'>>> {
  const { client_id, created_from, created_until } = body;
  const wanted = pageWanted(body, [created_from, created_until], pageCursors);
  return inSnapshot(pool, async (connection) => {
    const page = await ask(connection, listCampaigns(client_id, wanted));
    const entries = page.items.map(({ key, value }) => ({ key, value: campaignEntryOfRow(value) }));
    const { items, next } = fittingPage({ ...page, items: entries }, ({ campaign }) => countedCampaignBytes(campaign));
    const totalsRead = readCampaignTotals(
      client_id,
      items.map(({ key }) => key.id),
    );
    const totals = (await inOneTrip(connection, [totalsRead])).of(totalsRead);
    const campaigns = items.map(({ key, value }) => countedCampaign(value, totals.get(key.id), page.now));
    return done({ campaigns, next_cursor: pageCursors.write(next) });
  });
}

/** The campaigns of these ids that exist, read in one snapshot. */
export async function readCountedCampaigns(
  pool: Pool,
  clientId: number,
  campaignIds: readonly string[],
): Promise<CampaignGetResponse[]> {
  const campaignReads = campaignIds.map((campaignId) => getCampaign(clientId, campaignId));
  const totalsRead = readCampaignTotals(clientId, campaignIds);
  const answers = await inOneSnapshot(pool, [...campaignReads, totalsRead]);
  const totals = answers.of(totalsRead);
  return campaignReads.flatMap((read) => {
    const found = answers.of(read);
    if (found === undefined) return [];
    return [countedCampaign(found, totals.get(found.campaign.campaignId), found.now)];
  });
}

/** Counts overdue free bets as expired, whether or not their expiry is stored. */
function countedCampaign(
  { campaign, state }: CampaignEntry,
  totals: CampaignTotals[] = [],
  now: Instant,
): CampaignGetResponse {
  const byCurrency = new Map(totals.map((row) => [row.currency, row]));
  const perCurrency = [...campaign.betAmounts.keys()].map((currency) => {
    const row = byCurrency.get(currency);
    if (row === undefined) throw new Error(`campaign ${campaign.campaignId} has no totals in ${currency}`);
    return row;
  });
  return {
    ...campaignBody(campaign, state, now),
    counts: {
      issued: state.issued,
      cancelled: state.cancelled,
      expired: state.expired + totals.reduce((sum, row) => sum + row.expired, 0),
      finished: state.finished,
      bets_placed: state.betsPlaced,
    },
    winnings: perCurrency.map(({ currency, winnings }) => ({ currency, amount: formatMoney(BigInt(winnings)) })),
    exposure: perCurrency.map(({ currency, open_bets }) => ({
      currency,
      amount: maxWinnings(campaign, currency, BigInt(open_bets)),
    })),
  };
}
