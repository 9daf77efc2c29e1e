import type { OperationName, RequestOf } from '@freebets/contract';
import { inSnapshot } from '../db/connection.ts';
import { formatInstant, formatMoney, winOf } from '../domain/amounts.ts';
import { betBody } from '../domain/bet.ts';
import { type Campaign, campaignBody, coefficientLimits } from '../domain/campaign.ts';
import { eventBody } from '../domain/event.ts';
import { type FreeBet, freeBetBody, remainingOf } from '../domain/free-bet.ts';
import { done, type Outcome, refuse } from '../domain/outcome.ts';
import { listBetsOfFreeBet } from '../sql/bets.ts';
import { getCampaign, listCampaigns, readCampaignTotals } from '../sql/campaigns.ts';
import { findEventsAfter } from '../sql/events.ts';
import { type FreeBetRow, findUsableFreeBets, freeBetOfRow, getFreeBet, listFreeBets } from '../sql/free-bets.ts';
import type { PageWanted } from '../sql/page.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Services } from './services.ts';

// Reads never touch a lane: each asks the database by itself, and time decides the status at that instant.

type Read<N extends OperationName> = (services: Services, body: RequestOf<N>) => Promise<Outcome>;

export const readCampaign: Read<'CampaignGet'> = async ({ reads, partnerProfile }, { client_id, campaign_id }) => {
  const found = await inSnapshot(reads, async (connection) => {
    const entry = await getCampaign(connection, client_id, campaign_id);
    return entry && { ...entry, totals: await readCampaignTotals(connection, client_id, campaign_id) };
  });
  if (found === undefined) return refuse('campaign_not_found');
  const { campaign, state, totals, now } = found;
  const overdue = totals.reduce((sum, row) => sum + row.expired, 0);
  const winnings = new Map(totals.map((row) => [row.currency, BigInt(row.winnings)]));
  const openBets = new Map(totals.map((row) => [row.currency, BigInt(row.open_bets)]));
  const { stakeReturned } = partnerProfile(client_id);
  return done({
    ...campaignBody(campaign, state, now),
    counts: {
      issued: state.issued,
      cancelled: state.cancelled,
      expired: state.expired + overdue,
      finished: state.finished,
      bets_placed: state.betsPlaced,
    },
    winnings: [...campaign.betAmounts.keys()].map((currency) => ({
      currency,
      amount: formatMoney(winnings.get(currency) ?? 0n),
    })),
    exposure: [...campaign.betAmounts.keys()].map((currency) => ({
      currency,
      amount: exposureOf(campaign, currency, openBets.get(currency) ?? 0n, stakeReturned),
    })),
  });
};

/** What the open bets win if all of them win at the highest coefficient; nothing bounds it where there is none. */
function exposureOf({ betAmounts, terms }: Campaign, currency: string, openBets: bigint, stakeReturned: boolean) {
  if (openBets === 0n) return formatMoney(0n);
  if (terms.maxCoefficient === null) return null;
  return formatMoney(winOf(betAmounts.get(currency) ?? 0, terms.maxCoefficient, stakeReturned) * openBets);
}

export const readCampaigns: Read<'CampaignList'> = async ({ reads }, body) => {
  const wanted = pageWanted(body, (id) => id.length > 0 && id.length <= 128 && !id.includes('\0'));
  if (wanted === undefined) return badCursor;
  const { items, next } = await listCampaigns(reads, body.client_id, wanted);
  const campaigns = items.map(({ campaign, state, now }) => campaignBody(campaign, state, now));
  return done({ campaigns, next_cursor: writeCursor(next) });
};

export const readFreeBet: Read<'FreeBetGet'> = async (services, body) => {
  const issueId = body.issue_id.toLowerCase();
  const [row, bets] = await inSnapshot(services.reads, async (connection) => [
    await getFreeBet(connection, body.client_id, issueId),
    await listBetsOfFreeBet(connection, body.client_id, issueId),
  ]);
  const [freeBet] = row === undefined ? [] : await freeBetsOf(services, body.client_id, [row]);
  if (row === undefined || freeBet === undefined) return refuse('free_bet_not_found');
  return done({ ...freeBetBody(freeBet, row.now), bets: bets.map((bet) => betBody(bet, freeBet)) });
};

export const readFreeBets: Read<'FreeBetList'> = async (services, body) => {
  const wanted = pageWanted(body, (id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id));
  if (wanted === undefined) return badCursor;
  const filter = { playerId: body.player_id ?? null, campaignId: body.campaign_id ?? null };
  const { items, next } = await listFreeBets(services.reads, body.client_id, filter, wanted);
  const freeBets = await freeBetsOf(services, body.client_id, items);
  const bodies = freeBets.map((freeBet, i) => freeBetBody(freeBet, items[i]?.now ?? 0));
  return done({ free_bets: bodies, next_cursor: writeCursor(next) });
};

export const readAvailable: Read<'RoundsAvailable'> = async (services, body) => {
  const { client_id, provider_id, player_id, game_id, currency } = body;
  const isOwnGame =
    services.partnerExists(client_id) && services.partnerProfile(client_id).providerOf(game_id) === provider_id;
  const rows = isOwnGame ? await findUsableFreeBets(services.reads, client_id, player_id, currency) : [];
  const freeBets = await freeBetsOf(services, client_id, rows);
  return done({
    free_bets: freeBets
      .filter((freeBet) => freeBet.terms.games.includes(game_id))
      .map((freeBet) => ({
        issue_id: freeBet.issueId,
        currency: freeBet.currency,
        amount: formatMoney(freeBet.betAmount),
        remaining: remainingOf(freeBet),
        ...coefficientLimits(freeBet.terms),
        expires_at: formatInstant(freeBet.expiresAt),
      })),
  });
};

async function freeBetsOf({ reads, definitions }: Services, clientId: number, rows: FreeBetRow[]): Promise<FreeBet[]> {
  const campaignIds = rows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await definitions.load(reads, clientId, campaignIds);
  return rows.map((row) => freeBetOfRow(row, campaigns));
}

export const readEvents: Read<'EventsList'> = async ({ reads, definitions }, { client_id, after = 0, limit = 100 }) => {
  const { events } = await findEventsAfter(reads, definitions, client_id, after, limit);
  const page = events.slice(0, limit);
  return done({
    events: page.map((event) => eventBody(client_id, event)),
    last_sequence: page.at(-1)?.sequence ?? after,
  });
};

const badCursor = refuse('invalid_request', [{ field: 'cursor', reason: 'is not a cursor of this list' }]);

function pageWanted(
  { limit = 50, status, cursor }: { limit?: number; status?: string; cursor?: string },
  isId: (id: string) => boolean,
): PageWanted | undefined {
  const after = cursor === undefined ? null : readCursor(cursor, isId);
  return after === undefined ? undefined : { limit, status: status ?? null, after };
}
