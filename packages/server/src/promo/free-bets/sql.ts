import { atOnce, findDue, type WorkKind } from '../../background/sql/work.ts';
import { businessTimeWhenMoved, partnerNow, worldTimeOfMany } from '../../engine/clock.ts';
import { type Page, type PageWanted, pageStatement } from '../../engine/page.ts';
import {
  bytesText,
  type Columns,
  insertInto,
  joinRows,
  leftJoinRows,
  lookUp,
  rowOperation,
  updateOf,
} from '../../engine/rows.ts';
import { isAmong, named, type Statement, withCustomPlan } from '../../engine/statement.ts';
import { type Cents, type CoefficientE4, formatInstant, type Instant, timeText } from '../../primitives/amounts.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import type { RequestedTerms, Terms } from '../terms.ts';
import type { FreeBet, FreeBetSnapshot } from './free-bet.ts';

/** Terms stored before migration 0019 lack the payout type, except for terms that the migration set to true. */
export type StoredTerms = RequestedTerms & { stakeReturned?: boolean };

export const termsOfStored = (stored: StoredTerms): Terms => ({
  ...stored,
  stakeReturned: stored.stakeReturned ?? false,
});

export interface FreeBetRow {
  issue_id: string;
  campaign_id: string | null;
  player_id: string;
  currency: string;
  bet_amount: Cents;
  terms: StoredTerms | null;
  issued_at: Instant;
  expires_at: Instant;
  cancelled_at: Instant | null;
  bets_placed: number;
  bets_settled: number;
  swept: boolean;
}

const selectedOf = (alias: string): string =>
  ['issue_id', 'campaign_id', 'player_id', 'currency', 'bet_amount', 'terms', 'issued_at', 'expires_at', 'cancelled_at']
    .concat(['bets_placed', 'bets_settled', 'swept'])
    .map((column) => `${alias}.${column}`)
    .join(', ');
const selected = selectedOf('f');

/** A row lacks the terms of its campaign; the caller passes them from the campaign definitions. */
export function freeBetOfRow(row: FreeBetRow, campaigns: ReadonlyMap<string, Campaign>): FreeBetSnapshot {
  const ofCampaign = row.campaign_id === null ? undefined : campaigns.get(row.campaign_id)?.terms;
  const terms = row.terms === null ? ofCampaign : termsOfStored(row.terms);
  if (terms === undefined) throw new Error(`free bet ${row.issue_id} has no terms`);
  return {
    issueId: row.issue_id,
    campaignId: row.campaign_id,
    playerId: row.player_id,
    currency: row.currency,
    betAmount: row.bet_amount,
    terms,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    cancelledAt: row.cancelled_at,
    betsPlaced: row.bets_placed,
    betsSettled: row.bets_settled,
    swept: row.swept,
  };
}

/** The hash distinguishes a repeated request from a different one with the same id. */
export interface HashedFreeBetRow extends FreeBetRow {
  content_hash: string;
}

export const selectedWithHash = `${selectedOf('t')}, encode(t.content_hash, 'hex') AS content_hash`;

const issueIdKey: Columns<string> = { issue_id: { type: 'uuid', of: (issueId) => issueId } };

export type FoundFreeBet = HashedFreeBetRow & { client_id: number };

/** Finds free bets by id. */
export const findFreeBets = lookUp<string, FoundFreeBet>('free_bets_by_id', 'free_bets', issueIdKey, selectedWithHash);

/**
 * Finds free bets by id. `held` is how many free bets of the campaign the player holds; null if that count is not
 * stored or there is no campaign.
 */
export const findFreeBetsAndHeld = rowOperation<
  string,
  FoundFreeBet & { held: number | null },
  (FoundFreeBet & { held: number | null })[]
>(
  'free_bets_and_held',
  issueIdKey,
  (
    form,
  ) => `SELECT t.client_id, ${selectedWithHash}, p.held FROM ${form.rows} ${joinRows(form, 'free_bets', ['issue_id'], 't')}
    ${leftJoinRows(form, 'campaign_players', ['campaign_id', 'player_id'], 'p', 't')}`,
  (rows) => rows,
);

const issueId = { type: 'uuid', of: (freeBet: FreeBet) => freeBet.issueId };

const insertedColumns: Columns<FreeBet> = {
  issue_id: issueId,
  campaign_id: { type: 'text', of: (f) => f.campaignId },
  player_id: { type: 'text', of: (f) => f.playerId },
  currency: { type: 'text', of: (f) => f.currency },
  bet_amount: { type: 'bigint', of: (f) => f.betAmount },
  quantity: { type: 'int', of: (f) => f.terms.quantity },
  terms: { type: 'json', of: (f) => (f.campaignId === null ? JSON.stringify(f.terms) : null) },
  valid_from: { type: 'timestamptz', of: (f) => formatInstant(f.terms.validFrom) },
  issued_at: { type: 'timestamptz', of: (f) => formatInstant(f.issuedAt) },
  expires_at: { type: 'timestamptz', of: (f) => formatInstant(f.expiresAt) },
  content_hash: { type: 'bytea', of: (f) => bytesText(f.contentHash) },
};

const changingColumns: Columns<FreeBet> = {
  cancelled_at: { type: 'timestamptz', of: (f) => timeText(f.cancelledAt) },
  bets_placed: { type: 'int', of: (f) => f.betsPlaced },
  bets_settled: { type: 'int', of: (f) => f.betsSettled },
  swept: { type: 'bool', of: (f) => f.swept },
};

/** Inserts free bets as issued; later changes in the same batch are updates. */
export const insertFreeBets = insertInto('free_bets', insertedColumns);

export const updateFreeBets = updateOf('free_bets', { issue_id: issueId }, changingColumns);

const selectOne = named(
  'get_free_bet',
  `SELECT ${selected}, ${partnerNow('$1')} AS now FROM free_bets f WHERE f.client_id = $1 AND f.issue_id = $2`,
  ([row]: (FreeBetRow & { now: Instant })[]) => row,
);

export const getFreeBet = (clientId: number, issueId: string) => selectOne([clientId, issueId]);

export interface FreeBetFilter {
  playerId: string | null;
  campaignId: string | null;
}

// One statement per set of filters, so that each scans its own index. The condition that is true for every row
// (`quantity > 0` or `bet_amount > 0`) selects the index.
const list = (name: string, filter: string) =>
  pageStatement<FreeBetRow>(name, {
    at: 'f.issued_at',
    id: 'f.issue_id',
    lowestId: '00000000-0000-0000-0000-000000000000',
    status: `free_bet_status(f.quantity, f.bets_placed, f.bets_settled, f.swept, f.valid_from, f.expires_at, f.cancelled_at,
      clock.now)`,
    from: 'free_bets f',
    where: `f.client_id = $7 AND ${filter}`,
    row: `SELECT ${selected} FROM free_bets f WHERE f.client_id = $7 AND f.issue_id = w.id`,
    size: 'coalesce(octet_length(r.terms::text), 0)',
  });

const listAll = list('list_free_bets', 'f.quantity > 0');
const listOfPlayer = list('list_free_bets_of_player', 'f.bet_amount > 0 AND f.player_id = $8');
const listOfCampaign = list('list_free_bets_of_campaign', 'f.quantity > 0 AND f.campaign_id = $8');
const listOfBoth = list(
  'list_free_bets_of_both',
  'f.quantity > 0 AND f.bet_amount > 0 AND f.player_id = $8 AND f.campaign_id = $9',
);

export function listFreeBets(
  clientId: number,
  { playerId, campaignId }: FreeBetFilter,
  wanted: PageWanted,
): Statement<Page<FreeBetRow>> {
  if (playerId !== null && campaignId !== null) return listOfBoth(wanted, [clientId, playerId, campaignId]);
  if (playerId !== null) return listOfPlayer(wanted, [clientId, playerId]);
  return campaignId === null ? listAll(wanted, [clientId]) : listOfCampaign(wanted, [clientId, campaignId]);
}

/** The fields that a provider needs to place a bet with a free bet. */
export interface UsableFreeBetRow {
  issue_id: string;
  currency: string;
  bet_amount: Cents;
  remaining: number;
  min_coefficient: CoefficientE4 | null;
  max_coefficient: CoefficientE4 | null;
  expires_at: Instant;
}

// The terms of a direct free bet may be long, so the database searches them and doesn't return them. A text search for
// the game id in JSON finds candidates; only those are parsed.
const selectUsable = named<UsableFreeBetRow>(
  'usable_free_bets',
  `WITH clock AS MATERIALIZED (SELECT ${partnerNow('$1')} AS now),
   usable AS MATERIALIZED (
     SELECT f.issue_id, f.campaign_id, f.currency, f.bet_amount, f.quantity - f.bets_placed AS remaining, f.terms, f.issued_at,
       f.expires_at
     FROM free_bets f
     WHERE f.client_id = $1 AND f.player_id = $2 AND f.bet_amount > 0 AND f.currency = $3 AND f.cancelled_at IS NULL
       AND f.valid_from <= (SELECT now FROM clock) AND f.expires_at > (SELECT now FROM clock) AND NOT f.swept
       AND f.bets_placed < f.quantity
     ORDER BY f.expires_at, f.issued_at, f.issue_id LIMIT 1000),
   covering AS MATERIALIZED (
     SELECT c.campaign_id, c.min_coefficient, c.max_coefficient FROM campaigns c
     WHERE c.client_id = $1 AND c.campaign_id = ANY (ARRAY(SELECT DISTINCT campaign_id FROM usable))
       AND $4 = ANY (c.games)),
   direct AS MATERIALIZED (
     SELECT issue_id, (terms ->> 'minCoefficient')::bigint AS min_coefficient,
       (terms ->> 'maxCoefficient')::bigint AS max_coefficient
     FROM usable
     WHERE CASE WHEN terms IS NULL OR strpos(terms::text, $5) = 0 THEN false
                ELSE (terms -> 'games')::jsonb ? $4 END)
   SELECT u.issue_id, u.currency, u.bet_amount, u.remaining, u.expires_at,
     coalesce(c.min_coefficient, d.min_coefficient) AS min_coefficient,
     coalesce(c.max_coefficient, d.max_coefficient) AS max_coefficient
   FROM usable u LEFT JOIN covering c USING (campaign_id) LEFT JOIN direct d USING (issue_id)
   WHERE c.campaign_id IS NOT NULL OR d.issue_id IS NOT NULL
   ORDER BY u.expires_at, u.issued_at, u.issue_id`,
);

/** The player's free bets that can be used in a game now, soonest expiry first. */
export const findUsableFreeBets = (clientId: number, playerId: string, currency: string, gameId: string) =>
  selectUsable([clientId, playerId, currency, gameId, JSON.stringify(gameId)]);

// The subquery reads the clock once, so it can bound the index scan. A direct call would run for every row of the
// partner.
const selectOverdue = named(
  'overdue_free_bets',
  `SELECT issue_id FROM free_bets WHERE client_id = $1 AND NOT swept AND expires_at <= (SELECT ${partnerNow('$1')})
   ORDER BY expires_at LIMIT $2`,
  (rows: { issue_id: string }[]) => rows.map((row) => row.issue_id),
);

const firstExpiry = `(SELECT f.expires_at FROM free_bets f WHERE f.client_id = h.client_id AND ${isAmong('f', '$1')} AND NOT f.swept
    ORDER BY f.expires_at LIMIT 1)`;

export const expiry: WorkKind = { name: 'expiry', dueAt: worldTimeOfMany(firstExpiry) };

/** Finds the partners with expired free bets that are not swept. */
export const findPartnersWithOverdue = findDue(expiry);

/** Finds the sandboxes with unswept free bets that had expired when the clock was last moved. */
export const findOverdueSinceMoved = findDue({
  name: 'moved_clocks',
  dueAt: `CASE WHEN ${firstExpiry} <= ${businessTimeWhenMoved} THEN ${atOnce} END`,
});

/** Expired free bets that are not swept, earliest expiry first. */
export const findOverdueFreeBets = (clientId: number, limit: number): Statement<string[]> =>
  selectOverdue([clientId, limit]);

export interface CancellationRow {
  issue_id: string;
  cancelled_at: Instant | null;
  /** The staff member who cancelled it; null if the partner did. */
  email: string | null;
  reason: string | null;
}

const selectCancellations = named<CancellationRow>(
  'cancellations',
  `SELECT f.issue_id, f.cancelled_at, a.record #>> '{actor,email}' AS email, a.record ->> 'reason' AS reason
   FROM free_bets f LEFT JOIN LATERAL (
     SELECT a.record::jsonb AS record FROM audit a
     WHERE a.client_id = $1 AND a.target = 'free_bet ' || f.issue_id AND a.action IN ('Cancel', 'CancelBatch')
     ORDER BY a.at DESC, a.sequence DESC LIMIT 1) a ON f.cancelled_at IS NOT NULL
   WHERE f.client_id = $1 AND f.issue_id = ANY ($2::uuid[])`,
);

/** For each free bet that exists: whether it was cancelled, by which staff member, and why. */
export const readCancellations = (clientId: number, issueIds: string[]): Statement<CancellationRow[]> =>
  withCustomPlan(selectCancellations([clientId, issueIds]));
