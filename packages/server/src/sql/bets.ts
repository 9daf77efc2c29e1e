import { type Connection, named } from '../db/connection.ts';
import { type CoefficientE4, formatInstant, type Instant } from '../domain/amounts.ts';
import type { Bet, PlacedBet } from '../domain/bet.ts';
import type { Keys } from '../domain/working-set.ts';
import { inColumns } from './columns.ts';

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

const columns = `b.provider_id, b.bet_id, b.state, b.issue_id, b.game_id, b.coefficient, b.remaining, b.placed_at,
  b.settled_coefficient, b.win_amount, b.settled_at, encode(b.content_hash, 'hex') AS content_hash`;

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

// Not locked: a bet is changed only by who holds the lock on its free bet.
const select = inColumns(
  'select_bets',
  ({ isAmong }) => `SELECT ${columns} FROM bets b
   WHERE b.client_id = $1 AND b.provider_id = $2 AND ${isAmong('b.bet_id', 3, 'uuid')}`,
);

export async function findBets(connection: Connection, clientId: number, { bets }: Keys): Promise<Bet[]> {
  const results = await Promise.all(
    ofEachProvider(bets).map(([providerId, some]) =>
      connection.query<BetRow>(select([clientId, providerId], [some.map((bet) => bet.betId)])),
    ),
  );
  return results.flatMap(({ rows }) => rows.map(betOfRow));
}

/** A bet is known by provider and id; the bets of a batch are of one provider or few, and each gets its statement. */
const ofEachProvider = <T extends { providerId: string }>(bets: T[]): [string, T[]][] => [
  ...Map.groupBy(bets, (bet) => bet.providerId),
];

const insert = inColumns(
  'insert_bets',
  ({ rows }) => `INSERT INTO bets (client_id, provider_id, bet_id, state, issue_id, game_id, coefficient, remaining,
     placed_at, content_hash, settled_coefficient, win_amount, settled_at)
   SELECT $1::int, r.provider_id, r.bet_id, r.state, r.issue_id, r.game_id, r.coefficient, r.remaining, r.placed_at,
     decode(r.content_hash, 'hex'), r.settled_coefficient, r.win_amount, r.settled_at
   FROM ${rows(2, ['text', 'uuid', 'text', 'uuid', 'text', 'bigint', 'int', 'timestamptz', 'text', 'bigint', 'numeric', 'timestamptz'])}
     AS r(provider_id, bet_id, state, issue_id, game_id, coefficient, remaining, placed_at, content_hash,
       settled_coefficient, win_amount, settled_at)`,
);

/** In the order of their keys, so that two servers inserting the same ones wait for each other instead of deadlocking. */
export function insertBets(connection: Connection, clientId: number, bets: Bet[]): Promise<unknown> {
  const key = ({ providerId, betId }: Bet) => `${providerId} ${betId}`;
  const sorted = bets.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const placed = sorted.map((bet) => (bet.issueId === null ? null : bet));
  return connection.query(
    insert(
      [clientId],
      [
        sorted.map((bet) => bet.providerId),
        sorted.map((bet) => bet.betId),
        sorted.map((bet) => bet.state),
        sorted.map((bet) => bet.issueId),
        placed.map((bet) => bet?.gameId),
        placed.map((bet) => bet?.coefficient),
        placed.map((bet) => bet?.remaining),
        placed.map((bet) => bet && formatInstant(bet.placedAt)),
        placed.map((bet) => bet?.contentHash),
        ...settlements(placed),
      ],
    ),
  );
}

const settlements = (bets: (PlacedBet | null)[]) => [
  bets.map((bet) => bet?.settledCoefficient),
  bets.map((bet) => bet?.winAmount?.toString()),
  bets.map((bet) => (bet && bet.settledAt !== null ? formatInstant(bet.settledAt) : null)),
];

const update = inColumns(
  'update_bets',
  ({ at, isAmong }) => `UPDATE bets b SET state = ${at(4, 'text', 'b.bet_id', 3)},
     settled_coefficient = ${at(5, 'bigint', 'b.bet_id', 3)}, win_amount = ${at(6, 'numeric', 'b.bet_id', 3)},
     settled_at = ${at(7, 'timestamptz', 'b.bet_id', 3)}
   WHERE b.client_id = $1 AND b.provider_id = $2 AND ${isAmong('b.bet_id', 3, 'uuid')}`,
);

export function updateBets(connection: Connection, clientId: number, bets: Bet[]): Promise<unknown> {
  return Promise.all(
    ofEachProvider(bets).map(([providerId, some]) =>
      connection.query(
        update(
          [clientId, providerId],
          [
            some.map((bet) => bet.betId),
            some.map((bet) => bet.state),
            ...settlements(some.map((bet) => (bet.issueId === null ? null : bet))),
          ],
        ),
      ),
    ),
  );
}

const selectOfFreeBet = named(
  'bets_of_free_bet',
  `SELECT ${columns} FROM bets b WHERE b.client_id = $1 AND b.issue_id = $2 AND b.state <> 'rolled_back'
   ORDER BY b.placed_at, b.bet_id`,
);

/** The bets that stand against a free bet, in the order they were placed. */
export async function listBetsOfFreeBet(connection: Connection, clientId: number, issueId: string) {
  const { rows } = await connection.query<BetRow>(selectOfFreeBet([clientId, issueId]));
  return rows.map(betOfRow).filter((bet) => bet.issueId !== null);
}
