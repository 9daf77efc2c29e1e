import type { PageKey } from '../../engine/page.ts';
import {
  bytesText,
  type Columns,
  forPartner,
  insertInto,
  joinRows,
  leftJoinRows,
  lookUp,
  rowOperation,
  selectionOf,
  updateOf,
} from '../../engine/rows.ts';
import { named, type Statement } from '../../engine/statement.ts';
import { type Cents, type CoefficientE4, formatInstant, type Instant, timeText } from '../../primitives/amounts.ts';
import { type FoundFreeBet, selectedWithHash } from '../free-bets/sql.ts';
import type { Bet, BetInRound, PlacedBet } from './bet.ts';

interface BetRow {
  provider_id: string;
  bet_id: string;
  state: Bet['state'];
  issue_id: string | null;
  game_id: string;
  coefficient: CoefficientE4 | null;
  remaining: number;
  placed_at: Instant;
  settled_coefficient: CoefficientE4 | null;
  win_amount: string | null;
  settled_at: Instant | null;
  content_hash: string;
}

export function betOfRow(row: BetRow): Bet {
  const { provider_id: providerId, bet_id: betId, issue_id: issueId } = row;
  if (issueId === null) return { state: 'rolled_back', providerId, betId, issueId };
  return {
    state: row.state,
    providerId,
    betId,
    issueId,
    gameId: row.game_id,
    coefficient: row.coefficient,
    remaining: row.remaining,
    placedAt: row.placed_at,
    settledCoefficient: row.settled_coefficient,
    winAmount: row.win_amount === null ? null : BigInt(row.win_amount),
    settledAt: row.settled_at,
    contentHash: row.content_hash,
  };
}

/** For columns that are null in a rollback that arrived before its bet. */
const ifPlaced =
  <T>(of: (bet: PlacedBet) => T) =>
  (bet: Bet): T | null =>
    bet.issueId === null ? null : of(bet);

const changing: Columns<Bet> = {
  state: { type: 'text', of: (bet) => bet.state },
  settled_coefficient: { type: 'bigint', of: ifPlaced((bet) => bet.settledCoefficient) },
  win_amount: { type: 'numeric', of: ifPlaced((bet) => bet.winAmount?.toString()) },
  settled_at: { type: 'timestamptz', of: ifPlaced((bet) => timeText(bet.settledAt)) },
};

const all: Columns<Bet> = {
  provider_id: { type: 'text', of: (bet) => bet.providerId },
  bet_id: { type: 'uuid', of: (bet) => bet.betId },
  issue_id: { type: 'uuid', of: (bet) => bet.issueId },
  game_id: { type: 'text', of: ifPlaced((bet) => bet.gameId) },
  coefficient: { type: 'bigint', of: ifPlaced((bet) => bet.coefficient) },
  remaining: { type: 'int', of: ifPlaced((bet) => bet.remaining) },
  placed_at: { type: 'timestamptz', of: ifPlaced((bet) => formatInstant(bet.placedAt)) },
  content_hash: { type: 'bytea', of: ifPlaced((bet) => bytesText(bet.contentHash)) },
  ...changing,
};

const selected = selectionOf('b', all);

export interface BetKey {
  providerId: string;
  betId: string;
}

export const betKeyColumns = {
  provider_id: { type: 'text', of: (key) => key.providerId },
  bet_id: { type: 'uuid', of: (key) => key.betId },
} satisfies Columns<BetKey>;

export type FoundBet = BetRow & { client_id: number };

/** A bet and its free bet, which an early rollback does not have. */
export type FoundBetAndFreeBet = Omit<FoundBet, 'issue_id' | 'content_hash'> & { bet_hash: string } & (
    | Omit<FoundFreeBet, 'client_id'>
    | { issue_id: null }
  );

/** Finds bets by provider and id, with their free bets. */
export const findBetsAndFreeBets = rowOperation<BetKey, FoundBetAndFreeBet, FoundBetAndFreeBet[]>(
  'bets_and_free_bets',
  betKeyColumns,
  (form) => {
    const { issue_id: _, content_hash: __, ...others } = all;
    return `SELECT b.client_id, ${selectionOf('b', others)}, encode(b.content_hash, 'hex') AS bet_hash, ${selectedWithHash}
      FROM ${form.rows} ${joinRows(form, 'bets', Object.keys(betKeyColumns), 'b')}
      ${leftJoinRows(form, 'free_bets', ['issue_id'], 't', 'b')}`;
  },
  (rows) => rows,
);

/** Finds bets by provider and id. */
export const findBets = lookUp<BetKey, FoundBet>('bets_by_id', 'bets', betKeyColumns, selectionOf('t', all));

export const insertBets = insertInto('bets', all);

export const updateBets = updateOf<Bet>('bets', betKeyColumns, changing);

/** Bets of one batch have the same time. Of two with the same free bet, the earlier one has more remaining. */
const placedOrder = 'b.placed_at, b.remaining DESC, b.bet_id';

/** The bets of these free bets that were not rolled back, in the order they were placed. */
export const findStandingBets = rowOperation<string, FoundBet, FoundBet[]>(
  'standing_bets',
  { issue_id: { type: 'uuid', of: (issueId) => issueId } },
  (form) => `SELECT b.client_id, ${selected} FROM ${form.rows} CROSS JOIN LATERAL (
      SELECT x.* FROM bets x WHERE x.client_id = ${form.clientId} AND x.standing_issue_id = k.issue_id OFFSET 0) b
    ORDER BY b.client_id, ${placedOrder}`,
  (rows) => rows,
);

/** The bets of one free bet that were not rolled back, in the order they were placed. */
export const listStandingBets = (clientId: number, issueId: string): Statement<PlacedBet[]> => {
  const statement = findStandingBets(forPartner(clientId, [issueId]));
  const read: Statement<PlacedBet[]>['read'] = (result) =>
    statement
      .read(result)
      .map(betOfRow)
      .filter((bet) => bet.issueId !== null);
  return { ...statement, read };
};

interface BetInRoundRow extends BetRow {
  player_id: string;
  currency: string;
  bet_amount: Cents;
  max_coefficient: CoefficientE4 | null;
}

function betInRoundOfRow(row: BetInRoundRow): BetInRound {
  const bet = betOfRow(row);
  if (bet.issueId === null) return { bet, freeBet: null };
  const { player_id: playerId, currency, bet_amount: betAmount, max_coefficient: maxCoefficient } = row;
  return { bet, freeBet: { playerId, currency, betAmount, terms: { maxCoefficient } } };
}

const freeBetColumns = 'f.player_id, f.currency, f.bet_amount';
const maxCoefficient = `CASE WHEN f.terms IS NULL THEN c.max_coefficient
  ELSE (f.terms ->> 'maxCoefficient')::bigint END AS max_coefficient`;

const selectInRound = named(
  'get_bet',
  `SELECT ${selected}, ${freeBetColumns}, ${maxCoefficient}
   FROM bets b LEFT JOIN free_bets f ON f.client_id = $1 AND f.issue_id = b.issue_id
   LEFT JOIN campaigns c ON c.client_id = $1 AND c.campaign_id = f.campaign_id
   WHERE b.client_id = $1 AND b.provider_id = $2 AND b.bet_id = $3`,
  (rows: BetInRoundRow[]) => rows.map(betInRoundOfRow).at(0),
);

export const getBet = (clientId: number, providerId: string, betId: string): Statement<BetInRound | undefined> =>
  selectInRound([clientId, providerId, betId]);

const selectOfFreeBets = named(
  'bets_of_free_bets',
  `SELECT ${selected}, ${freeBetColumns}, ${maxCoefficient}
   FROM free_bets f JOIN bets b ON b.client_id = $1 AND b.standing_issue_id = f.issue_id
   LEFT JOIN campaigns c ON c.client_id = $1 AND c.campaign_id = f.campaign_id
   WHERE f.client_id = $1 AND f.issue_id = ANY ($2::uuid[]) ORDER BY ${placedOrder}`,
  (rows: BetInRoundRow[]) => rows.map(betInRoundOfRow),
);

/** The bets of these free bets that were not rolled back, in the order they were placed. */
export const listBetsOfFreeBets = (clientId: number, issueIds: string[]): Statement<BetInRound[]> =>
  selectOfFreeBets([clientId, issueIds]);

// Unsettled bets have no coefficient to limit, so the terms, which may be long, are not read.
const selectOpen = named(
  'open_bets',
  `SELECT ${selected}, ${freeBetColumns}, NULL::bigint AS max_coefficient
   FROM (SELECT * FROM bets
         WHERE client_id = $1 AND provider_id = $2 AND state = 'placed' AND (placed_at, bet_id) > ($3, $4) AND placed_at < $5
         ORDER BY placed_at, bet_id LIMIT $6) b
   CROSS JOIN LATERAL (SELECT * FROM free_bets f WHERE f.client_id = $1 AND f.issue_id = b.issue_id OFFSET 0) f
   ORDER BY b.placed_at, b.bet_id`,
  (rows: BetInRoundRow[]) => rows.map(betInRoundOfRow),
);

const lowest: PageKey = { at: 0, id: '00000000-0000-0000-0000-000000000000' };

/** Unsettled bets, oldest first: placed before `until` if it is given, starting after the bet `after`. */
export const listOpenBets = (
  clientId: number,
  providerId: string,
  wanted: { until: Instant | null; after: PageKey | null; limit: number },
): Statement<BetInRound[]> => {
  const { at, id } = wanted.after ?? lowest;
  const until = wanted.until === null ? 'infinity' : formatInstant(wanted.until);
  return selectOpen([clientId, providerId, formatInstant(at), id, until, wanted.limit]);
};
