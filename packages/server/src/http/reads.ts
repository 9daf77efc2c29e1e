import type { OperationName, RequestOf } from '@freebets/contract';
import { formatMoney } from '../domain/amounts.ts';
import { type Campaign, campaignBody } from '../domain/campaign.ts';
import { freeBetBody, freeBetStatus } from '../domain/free-bet.ts';
import { done, type Outcome, refuse } from '../domain/outcome.ts';
import { type CurrencyTotals, getCampaign, listCampaigns, sumCampaign } from '../sql/campaigns.ts';
import { type FreeBetRowAtInstant, freeBetOfRow, getFreeBet, listFreeBets } from '../sql/free-bets.ts';
import type { PageWanted } from '../sql/page.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Services } from './services.ts';

// Reads never touch a lane: each asks the database by itself, and time decides the status at that instant.

type Read<N extends OperationName> = (services: Services, body: RequestOf<N>) => Promise<Outcome>;

export const readCampaign: Read<'CampaignGet'> = async ({ reads }, { client_id, campaign_id }) => {
  const found = await getCampaign(reads, client_id, campaign_id);
  if (found === undefined) return refuse('campaign_not_found');
  const { campaign, state, now } = found;
  const totals = await sumCampaign(reads, client_id, campaign_id);
  return done({
    ...campaignBody(campaign, state, now),
    counts: {
      issued: state.issued,
      cancelled: state.cancelled,
      expired: totals.reduce((sum, row) => sum + row.expired, 0),
      finished: 0,
      bets_placed: 0,
    },
    winnings: [...campaign.betAmounts.keys()].map((currency) => ({ currency, amount: formatMoney(0) })),
    exposure: exposureOf(campaign, totals),
  });
};

/** For every bet still open, amount × (the highest coefficient − 1), since the stake of a free bet is not returned. */
function exposureOf({ betAmounts, terms }: Campaign, totals: CurrencyTotals[]) {
  return [...betAmounts].map(([currency, cents]) => {
    const openBets = BigInt(totals.find((row) => row.currency === currency)?.open_bets ?? 0);
    if (terms.maxCoefficient === null) return { currency, amount: openBets === 0n ? formatMoney(0) : null };
    const winPerBet = (BigInt(cents) * BigInt(terms.maxCoefficient - 10_000)) / 10_000n;
    return { currency, amount: formatMoney(winPerBet * openBets) };
  });
}

export const readCampaigns: Read<'CampaignList'> = async ({ reads }, body) => {
  const wanted = pageWanted(body, (id) => id.length > 0 && id.length <= 128 && !id.includes('\0'));
  if (wanted === undefined) return badCursor;
  const { items, next } = await listCampaigns(reads, body.client_id, wanted);
  const campaigns = items.map(({ campaign, state, now }) => campaignBody(campaign, state, now));
  return done({ campaigns, next_cursor: writeCursor(next) });
};

export const readFreeBet: Read<'FreeBetGet'> = async (services, body) => {
  const row = await getFreeBet(services.reads, body.client_id, body.issue_id.toLowerCase());
  if (row === undefined) return refuse('free_bet_not_found');
  const [freeBet] = await bodiesOf(services, body.client_id, [row]);
  return done({ ...freeBet, bets: [] });
};

export const readFreeBets: Read<'FreeBetList'> = async (services, body) => {
  const wanted = pageWanted(body, (id) => /^[0-9a-f-]{36}$/.test(id));
  if (wanted === undefined) return badCursor;
  const filter = { playerId: body.player_id ?? null, campaignId: body.campaign_id ?? null };
  const { items, next } = await listFreeBets(services.reads, body.client_id, filter, wanted);
  return done({ free_bets: await bodiesOf(services, body.client_id, items), next_cursor: writeCursor(next) });
};

async function bodiesOf({ reads, definitions }: Services, clientId: number, rows: FreeBetRowAtInstant[]) {
  const campaignIds = rows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await definitions.load(reads, clientId, campaignIds);
  return rows.map((row) => {
    const freeBet = freeBetOfRow(row, campaigns);
    return freeBetBody(freeBet, freeBetStatus(freeBet, row.now));
  });
}

const badCursor = refuse('invalid_request', [{ field: 'cursor', reason: 'is not a cursor of this list' }]);

function pageWanted(
  { limit = 50, status, cursor }: { limit?: number; status?: string; cursor?: string },
  isId: (id: string) => boolean,
): PageWanted | undefined {
  const after = cursor === undefined ? null : readCursor(cursor, isId);
  return after === undefined ? undefined : { limit, status: status ?? null, after };
}
