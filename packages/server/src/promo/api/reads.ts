import {
  BetId,
  type CampaignGetResponse,
  CampaignId,
  IssueId,
  isValid,
  itemError,
  JobId,
  type JobRefusal,
  type OperationName,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import type { Pool } from 'pg';
import { badCursor, readCursor, readRefusalCursor, writeCursor, writeRefusalCursor } from '../../calls/cursor.ts';
import type { Services } from '../../calls/services.ts';
import { readSandboxClock } from '../../engine/clock.ts';
import { firstFitting, fittingPage, type PageWanted } from '../../engine/page.ts';
import { inOneTrip } from '../../engine/round-trip.ts';
import { ask } from '../../engine/statement.ts';
import { inOneSnapshot, inSnapshot } from '../../engine/transaction.ts';
import { type EventPage, readEventPage } from '../../events/feed/sql/page.ts';
import { formatCoefficient, formatInstant, formatMoney, type Instant, parseBound } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { clockBody } from '../../primitives/sandbox-clock.ts';
import { eventBody } from '../batch/event.ts';
import type { CampaignEntry } from '../batch/working-set.ts';
import { campaignBody, mostWonBy } from '../campaigns/campaign.ts';
import {
  type CampaignTotals,
  campaignEntryOfRow,
  getCampaign,
  listCampaigns,
  readCampaignTotals,
} from '../campaigns/sql/campaigns.ts';
import { type FreeBetSnapshot, freeBetBody } from '../free-bets/free-bet.ts';
import { type FreeBetRow, findUsableFreeBets, freeBetOfRow, getFreeBet, listFreeBets } from '../free-bets/sql.ts';
import { jobBody, type KeptRefusal } from '../jobs/job.ts';
import { getJob, jobOfRow, listJobs } from '../jobs/sql/jobs.ts';
import { findJobRefusals } from '../jobs/sql/refusals.ts';
import { betBody, roundBetBody } from '../rounds/bet.ts';
import { getBet, listOpenBets, listStandingBets } from '../rounds/sql.ts';
import { countedCampaignBytes, eventBytes, freeBetBytes, jobBytes } from './answer-size.ts';
import { betOf } from './commands.ts';

// Reads never touch a lane: each asks the database by itself, and time decides the status at that instant.

export type Read<N extends OperationName> = (services: Services, body: RequestOf<N>) => Promise<Outcome<ResponseOf<N>>>;

export const readCampaign: Read<'CampaignGet'> = async (services, { client_id, campaign_id }) => {
  const [found] = await readCountedCampaigns(services.readsOf(client_id), client_id, [campaign_id]);
  return found === undefined ? refuse('campaign_not_found') : done(found);
};

/** Those of the campaigns that there are, of one state of the world. */
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

/** With what has become of its free bets; those that are overdue have expired, written down or not. */
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
      amount: mostWonBy(campaign, currency, BigInt(open_bets)),
    })),
  };
}

export const readCampaigns: Read<'CampaignList'> = async ({ readsOf }, body) => {
  const { client_id, created_from, created_until } = body;
  const wanted = pageWanted(body, [created_from, created_until], (id) => isValid(CampaignId, id));
  if (wanted === undefined) return badCursor;
  return inSnapshot(readsOf(client_id), async (connection) => {
    const page = await ask(connection, listCampaigns(client_id, wanted));
    const entries = page.items.map(({ key, value }) => ({ key, value: campaignEntryOfRow(value) }));
    const { items, next } = fittingPage({ ...page, items: entries }, ({ campaign }) => countedCampaignBytes(campaign));
    const totalsRead = readCampaignTotals(
      client_id,
      items.map(({ key }) => key.id),
    );
    const totals = (await inOneTrip(connection, [totalsRead])).of(totalsRead);
    const campaigns = items.map(({ key, value }) => countedCampaign(value, totals.get(key.id), page.now));
    return done({ campaigns, next_cursor: writeCursor(next) });
  });
};

export const readFreeBet: Read<'FreeBetGet'> = async (services, body) => {
  const issueId = body.issue_id.toLowerCase();
  const rowRead = getFreeBet(body.client_id, issueId);
  const betsRead = listStandingBets(body.client_id, issueId);
  const answers = await inOneSnapshot(services.readsOf(body.client_id), [rowRead, betsRead]);
  const row = answers.of(rowRead);
  if (row === undefined) return refuse('free_bet_not_found');
  const [freeBet] = (await freeBetsOf(services, body.client_id, [row])) as [FreeBetSnapshot];
  const bets = answers.of(betsRead).map((bet) => betBody(bet, freeBet));
  return done({ ...freeBetBody(freeBet, row.now), bets });
};

export const readFreeBets: Read<'FreeBetList'> = async (services, body) => {
  const wanted = pageWanted(body, [body.issued_from, body.issued_until], (id) => isValid(IssueId, id));
  if (wanted === undefined) return badCursor;
  const filter = { playerId: body.player_id ?? null, campaignId: body.campaign_id ?? null };
  const page = await ask(services.readsOf(body.client_id), listFreeBets(body.client_id, filter, wanted));
  const rows = page.items.map(({ value }) => value);
  const freeBets = await freeBetsOf(services, body.client_id, rows);
  const found = page.items.map(({ key }, i) => ({ key, value: freeBets[i] as FreeBetSnapshot }));
  const { items, next } = fittingPage({ ...page, items: found }, freeBetBytes);
  const bodies = items.map(({ value }) => freeBetBody(value, page.now));
  return done({ free_bets: bodies, next_cursor: writeCursor(next) });
};

async function freeBetsOf({ readsOf, definitions }: Services, clientId: number, rows: FreeBetRow[]) {
  const campaignIds = rows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await definitions.load(readsOf(clientId), clientId, campaignIds);
  return rows.map((row) => freeBetOfRow(row, campaigns));
}

/** The same for a partner that does not exist as for one without free bets, also in how long it takes. */
export const readAvailable: Read<'RoundsAvailable'> = async ({ readsOf, partnerProfile }, body) => {
  const { client_id, provider_id, player_id, game_id, currency } = body;
  const isOwnGame = partnerProfile(client_id).providerOf(game_id) === provider_id;
  const rows = isOwnGame
    ? await ask(readsOf(client_id), findUsableFreeBets(client_id, player_id, currency, game_id))
    : [];
  const coefficient = (value: number | null) => (value === null ? null : formatCoefficient(value));
  return done({
    free_bets: rows.map((row) => ({
      issue_id: row.issue_id,
      currency: row.currency,
      amount: formatMoney(row.bet_amount),
      remaining: row.remaining,
      min_coefficient: coefficient(row.min_coefficient),
      max_coefficient: coefficient(row.max_coefficient),
      expires_at: formatInstant(row.expires_at),
    })),
  });
};

/** Another provider's, and one with a partner that does not exist, are not found in the same way and time. */
export const readBet: Read<'RoundsGet'> = async ({ readsOf }, body) => {
  const { providerId, betId } = betOf(body);
  const found = await ask(readsOf(body.client_id), getBet(body.client_id, providerId, betId));
  return found === undefined ? refuse('bet_not_found') : done(roundBetBody(found));
};

export const readOpenBets: Read<'RoundsOpen'> = async ({ readsOf }, body) => {
  const { client_id, provider_id, placed_until, limit = 50 } = body;
  const wanted = pageWanted(body, [undefined, placed_until], (id) => isValid(BetId, id));
  if (wanted === undefined) return badCursor;
  // One more than wanted tells whether there is a next page.
  const found = await ask(readsOf(client_id), listOpenBets(client_id, provider_id, { ...wanted, limit: limit + 1 }));
  const shown = found.slice(0, limit);
  const last = shown.at(-1)?.bet;
  const isEnd = found.length === shown.length || last === undefined || last.issueId === null;
  const next = isEnd ? null : { at: last.placedAt, id: last.betId };
  return done({ bets: shown.map(roundBetBody), next_cursor: writeCursor(next) });
};

export const readEvents: Read<'EventsList'> = async ({ readsOf, definitions }, body) => {
  const { client_id, after = 0, after_event_id, limit = 100 } = body;
  const hasId = after_event_id !== undefined;
  if (hasId && after === 0) return idOfNothing;
  const wanted = { after, limit, withCursorId: hasId };
  const page = await readEventPage(readsOf(client_id), definitions, client_id, wanted);
  const refusal = hasId ? cursorRefusal(page, after, after_event_id) : after > page.last && aheadOf(page.last);
  if (refusal) return refusal;
  const events = firstFitting(page.events.slice(0, limit), ({ emitted }) => eventBytes(emitted));
  return done({
    events: events.map((event) => eventBody(client_id, event)),
    last_sequence: events.at(-1)?.sequence ?? after,
    oldest_sequence: page.oldest,
  });
};

const idOfNothing = refuse('invalid_request', [{ field: 'after_event_id', reason: 'must be absent when after is 0' }]);

/** The id of an event that an older server removed is unknown: then only the number is checked. */
function cursorRefusal({ oldest, last, cursorId }: EventPage, after: number, eventId: string) {
  if (after < oldest - 1) {
    const reason = `is ${oldest}: the events before it have been removed`;
    return refuse('events_removed', [{ field: 'oldest_sequence', reason, value: String(oldest) }]);
  }
  const isKnown = cursorId !== null || after >= oldest;
  if (!isKnown || cursorId === eventId.toLowerCase()) return undefined;
  const reason = `is ${last}, and event ${after} is not the one you processed`;
  return refuse('feed_changed', [{ field: 'last_sequence', reason, value: String(last) }]);
}

const aheadOf = (last: number) =>
  refuse('invalid_request', [{ field: 'after', reason: `is ahead of your last event, ${last}` }]);

export const readClock: Read<'SandboxClockGet'> = async ({ readsOf }, { client_id }) => {
  const clock = await ask(readsOf(client_id), readSandboxClock(client_id));
  return clock === undefined ? refuse('not_a_sandbox') : done(clockBody(clock));
};

export const readJob: Read<'JobGet'> = async ({ readsOf }, { client_id, job_id }) => {
  const found = await ask(readsOf(client_id), getJob(client_id, job_id.toLowerCase()));
  return found === undefined ? refuse('job_not_found') : done(jobBody(found.job, found.now));
};

export const readJobs: Read<'JobList'> = async ({ readsOf }, body) => {
  const wanted = pageWanted(body, [undefined, undefined], (id) => isValid(JobId, id));
  if (wanted === undefined) return badCursor;
  const page = await ask(readsOf(body.client_id), listJobs(body.client_id, body.campaign_id ?? null, wanted));
  const found = page.items.map(({ key, value }) => ({ key, value: jobOfRow(value) }));
  const { items, next } = fittingPage({ ...page, items: found }, jobBytes);
  return done({ jobs: items.map(({ value }) => jobBody(value, page.now)), next_cursor: writeCursor(next) });
};

export const readJobRefusals: Read<'JobRefusals'> = async ({ readsOf }, { client_id, job_id, limit = 100, cursor }) => {
  const from = cursor === undefined ? { carriedOut: 0, position: 0 } : readRefusalCursor(cursor);
  if (from === undefined) return badCursor;
  const page = await ask(readsOf(client_id), findJobRefusals(client_id, job_id.toLowerCase(), limit, from));
  if (page === undefined) return refuse('job_not_found');
  return done({ refusals: page.refusals.map(refusalBody), next_cursor: writeRefusalCursor(page.next) });
};

const refusalBody = (kept: KeptRefusal): JobRefusal => {
  const [part, item, player_id, issue_id, error, details, currency, betAmount, quantity] = kept;
  return {
    part,
    item,
    player_id,
    ...(currency !== undefined && { currency }),
    issue_id,
    ...(betAmount != null && { bet_amount: formatMoney(betAmount) }),
    ...(quantity != null && { quantity }),
    error: itemError(details == null ? { error } : { error, details }),
  };
};

function pageWanted(
  { limit = 50, status, cursor }: { limit?: number; status?: string; cursor?: string },
  [from, until]: [string | undefined, string | undefined],
  isId: (id: string) => boolean,
): PageWanted | undefined {
  const after = cursor === undefined ? null : readCursor(cursor, isId);
  const instant = (text: string | undefined) => (text === undefined ? null : parseBound(text));
  if (after === undefined) return undefined;
  return { limit, status: status ?? null, from: instant(from), until: instant(until), after };
}
