import { named, type Statement } from '../db/statement.ts';
import { type CoefficientE4, formatInstant, type Instant } from '../domain/amounts.ts';
import type { Bet, PlacedBet } from '../domain/bet.ts';
import type { RowKeys } from '../domain/row-keys.ts';
import { bytesText, type Columns, inColumns, insertInto, selectionOf, updateOf } from './columns.ts';

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

function betOfRow(row: BetRow): Bet {
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

/** What a bet that was refused before it came has not. */
const ofPlaced =
  <T>(of: (bet: PlacedBet) => T) =>
  (bet: Bet): T | null =>
    bet.issueId === null ? null : of(bet);

const changing: Columns<Bet> = {
  state: { type: 'text', of: (bet) => bet.state },
  settled_coefficient: { type: 'bigint', of: ofPlaced((bet) => bet.settledCoefficient) },
  win_amount: { type: 'numeric', of: ofPlaced((bet) => bet.winAmount?.toString()) },
  settled_at: { type: 'timestamptz', of: ofPlaced((bet) => bet.settledAt && formatInstant(bet.settledAt)) },
};

const betId = { type: 'uuid', of: (bet: Bet) => bet.betId };

const all: Columns<Bet> = {
  provider_id: { type: 'text', of: (bet) => bet.providerId },
  bet_id: betId,
  issue_id: { type: 'uuid', of: (bet) => bet.issueId },
  game_id: { type: 'text', of: ofPlaced((bet) => bet.gameId) },
  coefficient: { type: 'bigint', of: ofPlaced((bet) => bet.coefficient) },
  remaining: { type: 'int', of: ofPlaced((bet) => bet.remaining) },
  placed_at: { type: 'timestamptz', of: ofPlaced((bet) => formatInstant(bet.placedAt)) },
  content_hash: { type: 'bytea', of: ofPlaced((bet) => bytesText(bet.contentHash)) },
  ...changing,
};

const selected = selectionOf('b', all);

// Not locked: a bet is changed only by who holds the lock on its free bet.
const select = inColumns(
  'select_bets',
  ({ isAmong }) => `SELECT ${selected} FROM bets b
   WHERE b.client_id = $1 AND b.provider_id = $2 AND ${isAmong('b.bet_id', 3, 'uuid')}`,
  (rows: BetRow[]) => rows.map(betOfRow),
);

export const findBets = (clientId: number, { bets }: RowKeys): Statement<Bet[]>[] =>
  ofEachProvider(bets).map(([providerId, some]) => select([clientId, providerId], [some.map((bet) => bet.betId)]));

/** A bet is known by provider and id; the bets of a batch are of one provider or few, and each gets its statement. */
const ofEachProvider = <T extends { providerId: string }>(bets: readonly T[]): [string, T[]][] => [
  ...Map.groupBy(bets, (bet) => bet.providerId),
];

const insert = insertInto('bets', { client_id: 'int' }, all);

/** In the order of their keys, so that two servers inserting the same ones wait for each other instead of deadlocking. */
export function insertBets(clientId: number, bets: readonly Bet[]): Statement {
  const key = ({ providerId, betId }: Bet) => `${providerId} ${betId}`;
  return insert(
    [clientId],
    bets.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)),
  );
}

const update = updateOf('bets', { client_id: 'int', provider_id: 'text' }, ['bet_id', betId], changing);

export const updateBets = (clientId: number, bets: readonly Bet[]): Statement[] =>
  ofEachProvider(bets).map(([providerId, some]) => update([clientId, providerId], some));

const selectStanding = named(
  'standing_bets',
  `SELECT ${selected} FROM bets b WHERE b.client_id = $1 AND b.standing_issue_id = $2 ORDER BY b.placed_at, b.bet_id`,
  (rows: BetRow[]) => rows.map(betOfRow).filter((bet) => bet.issueId !== null),
);

/** The bets that stand against a free bet, in the order they were placed; those rolled back are not in the index. */
export const listStandingBets = (clientId: number, issueId: string): Statement<PlacedBet[]> =>
  selectStanding([clientId, issueId]);
