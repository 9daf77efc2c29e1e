import { type Connection, named } from '../db/connection.ts';
import { type Cents, formatInstant, type Instant } from '../domain/amounts.ts';
import type { Campaign } from '../domain/campaign.ts';
import type { FreeBet } from '../domain/free-bet.ts';
import type { Terms } from '../domain/terms.ts';
import type { Keys } from '../domain/working-set.ts';
import { inColumns } from './columns.ts';
import { type Page, type PageRow, type PageWanted, pageOfRows, pageStatement, pageValues } from './page.ts';

export interface FreeBetRow {
  issue_id: string;
  campaign_id: string | null;
  player_id: string;
  currency: string;
  bet_amount: Cents;
  terms: Terms | null;
  issued_at: Instant;
  expires_at: Instant;
  cancelled_at: Instant | null;
  bets_placed: number;
  bets_settled: number;
  swept: boolean;
  content_hash: string;
}

const columns = `f.issue_id, f.campaign_id, f.player_id, f.currency, f.bet_amount, f.terms, f.issued_at, f.expires_at,
  f.cancelled_at, f.bets_placed, f.bets_settled, f.swept, encode(f.content_hash, 'hex') AS content_hash`;

/** A row is whole only with the terms of its campaign, which the caller has from the definitions. */
export function freeBetOfRow(row: FreeBetRow, campaigns: ReadonlyMap<string, Campaign>): FreeBet {
  const terms = row.terms ?? (row.campaign_id === null ? undefined : campaigns.get(row.campaign_id)?.terms);
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
    contentHash: row.content_hash,
  };
}

export const changesFreeBets = ({ changingIssueIds, bets }: Keys): boolean => changingIssueIds.length + bets.length > 0;

/** The free bets $2, and those of the bets $4 of the providers $3, of the partner $1. */
export const changingFreeBets = `($2::uuid[] || ARRAY(
  SELECT b.issue_id FROM bets b WHERE b.client_id = $1 AND b.provider_id = ANY ($3::text[]) AND b.bet_id = ANY ($4::uuid[])))`;

export const changingFreeBetValues = ({ changingIssueIds, bets }: Keys): unknown[] => [
  changingIssueIds,
  [...new Set(bets.map((bet) => bet.providerId))],
  bets.map((bet) => bet.betId),
];

const lock = named(
  'lock_free_bets',
  `SELECT ${columns} FROM free_bets f WHERE f.client_id = $1 AND f.issue_id = ANY (${changingFreeBets})
   ORDER BY f.issue_id FOR UPDATE`,
);

export async function lockFreeBets(connection: Connection, clientId: number, keys: Keys) {
  const { rows } = await connection.query<FreeBetRow>(lock([clientId, ...changingFreeBetValues(keys)]));
  return rows;
}

// Not locked: of a free bet that exists already, an issue only repeats what was promised.
const select = inColumns(
  'select_free_bets',
  ({ isAmong }) => `SELECT clock.now, ${columns} FROM (SELECT service_now() AS now) clock
   LEFT JOIN free_bets f ON f.client_id = $1 AND ${isAmong('f.issue_id', 2, 'uuid')}`,
);

/**
 * Those that exist of the free bets to be issued; and the time by which everything is decided: the database's, so that
 * servers with different clocks agree, and read when the locks are held.
 */
export async function findFreeBetsAndTime(connection: Connection, clientId: number, { newIssueIds }: Keys) {
  const { rows } = await connection.query<FreeBetRowAtInstant>(select([clientId], [newIssueIds]));
  const [first] = rows;
  if (first === undefined) throw new Error('the database has no clock');
  return { now: first.now, existing: rows.filter((row) => row.issue_id !== null) };
}

const insert = inColumns(
  'insert_free_bets',
  ({ rows }) => `INSERT INTO free_bets (client_id, issued_at, issue_id, campaign_id, player_id, currency, bet_amount,
     quantity, terms, valid_from, expires_at, content_hash)
   SELECT $1::int, $2::timestamptz, r.issue_id, r.campaign_id, r.player_id, r.currency, r.bet_amount, r.quantity, r.terms,
     r.valid_from, r.expires_at, decode(r.content_hash, 'hex')
   FROM ${rows(3, ['uuid', 'text', 'text', 'text', 'bigint', 'int', 'json', 'timestamptz', 'timestamptz', 'text'])}
     AS r(issue_id, campaign_id, player_id, currency, bet_amount, quantity, terms, valid_from, expires_at, content_hash)`,
);

/**
 * As they were issued; what has become of them in the same batch is written like any other change. In the order of their
 * ids, so that two servers inserting the same ids wait for each other instead of deadlocking.
 */
export function insertFreeBets(
  connection: Connection,
  clientId: number,
  now: Instant,
  freeBets: FreeBet[],
): Promise<unknown> {
  const sorted = freeBets.toSorted((a, b) => (a.issueId < b.issueId ? -1 : 1));
  return connection.query(
    insert(
      [clientId, formatInstant(now)],
      [
        sorted.map((f) => f.issueId),
        sorted.map((f) => f.campaignId),
        sorted.map((f) => f.playerId),
        sorted.map((f) => f.currency),
        sorted.map((f) => f.betAmount),
        sorted.map((f) => f.terms.quantity),
        sorted.map((f) => (f.campaignId === null ? JSON.stringify(f.terms) : null)),
        sorted.map((f) => formatInstant(f.terms.validFrom)),
        sorted.map((f) => formatInstant(f.expiresAt)),
        sorted.map((f) => f.contentHash),
      ],
    ),
  );
}

const update = inColumns(
  'update_free_bets',
  ({ at, isAmong }) => `UPDATE free_bets f SET cancelled_at = ${at(3, 'timestamptz', 'f.issue_id', 2)},
     bets_placed = ${at(4, 'int', 'f.issue_id', 2)}, bets_settled = ${at(5, 'int', 'f.issue_id', 2)},
     swept = ${at(6, 'bool', 'f.issue_id', 2)}
   WHERE f.client_id = $1 AND ${isAmong('f.issue_id', 2, 'uuid')}`,
);

export function updateFreeBets(connection: Connection, clientId: number, freeBets: FreeBet[]): Promise<unknown> {
  return connection.query(
    update(
      [clientId],
      [
        freeBets.map((f) => f.issueId),
        freeBets.map((f) => (f.cancelledAt === null ? null : formatInstant(f.cancelledAt))),
        freeBets.map((f) => f.betsPlaced),
        freeBets.map((f) => f.betsSettled),
        freeBets.map((f) => f.swept),
      ],
    ),
  );
}

export type FreeBetRowAtInstant = FreeBetRow & { now: Instant };

const selectOne = named(
  'get_free_bet',
  `SELECT ${columns}, service_now() AS now FROM free_bets f WHERE f.client_id = $1 AND f.issue_id = $2`,
);

export async function getFreeBet(connection: Connection, clientId: number, issueId: string) {
  const { rows } = await connection.query<FreeBetRowAtInstant>(selectOne([clientId, issueId]));
  return rows[0];
}

export interface FreeBetFilter {
  playerId: string | null;
  campaignId: string | null;
}

// A statement for each set of filters, so that each can walk the index made for it.
const list = (name: string, filter: string) =>
  named(
    name,
    pageStatement(
      `SELECT ${columns}, service_now() AS now, f.issued_at AS at, f.issue_id AS id,
         free_bet_status(f.quantity, f.bets_placed, f.bets_settled, f.swept, f.valid_from, f.expires_at, f.cancelled_at,
           service_now()) AS status
       FROM free_bets f
       WHERE f.client_id = $6 AND f.quantity > 0 AND ($3::timestamptz IS NULL OR (f.issued_at, f.issue_id) < ($3, $4::uuid)) ${filter}`,
    ),
  );

const listAll = list('list_free_bets', '');
const listOfPlayer = list('list_free_bets_of_player', 'AND f.player_id = $7');
const listOfCampaign = list('list_free_bets_of_campaign', 'AND f.campaign_id = $7');
const listOfBoth = list('list_free_bets_of_both', 'AND f.player_id = $7 AND f.campaign_id = $8');

function listStatement(values: unknown[], { playerId, campaignId }: FreeBetFilter) {
  if (playerId !== null && campaignId !== null) return listOfBoth([...values, playerId, campaignId]);
  if (playerId !== null) return listOfPlayer([...values, playerId]);
  return campaignId === null ? listAll(values) : listOfCampaign([...values, campaignId]);
}

export async function listFreeBets(
  connection: Connection,
  clientId: number,
  filter: FreeBetFilter,
  wanted: PageWanted,
): Promise<Page<FreeBetRowAtInstant>> {
  const { rows } = await connection.query<PageRow<FreeBetRowAtInstant>>(
    listStatement([...pageValues(wanted), clientId], filter),
  );
  return pageOfRows(rows, wanted, (row) => row);
}

const selectUsable = named(
  'usable_free_bets',
  `SELECT ${columns}, service_now() AS now FROM free_bets f
   WHERE f.client_id = $1 AND f.player_id = $2 AND f.quantity > 0 AND f.currency = $3 AND f.cancelled_at IS NULL
     AND f.valid_from <= (SELECT service_now()) AND f.expires_at > (SELECT service_now()) AND NOT f.swept AND f.bets_placed < f.quantity
   ORDER BY f.expires_at, f.issued_at, f.issue_id LIMIT 1000`,
);

/** Those of a player that can be used now, the soonest to expire first. */
export async function findUsableFreeBets(connection: Connection, clientId: number, playerId: string, currency: string) {
  const { rows } = await connection.query<FreeBetRowAtInstant>(selectUsable([clientId, playerId, currency]));
  return rows;
}

// The clock in a subquery is read once, and so can bound the walk along the index; called for itself, it would be asked
// again for every row of the partner.
const selectOverdue = named(
  'overdue_free_bets',
  `SELECT issue_id FROM free_bets WHERE client_id = $1 AND NOT swept AND expires_at <= (SELECT service_now())
   ORDER BY expires_at LIMIT $2`,
);

/** Those whose time has come and that the sweeper has not seen yet. */
export async function findOverdueFreeBets(connection: Connection, clientId: number, limit: number): Promise<string[]> {
  const { rows } = await connection.query<{ issue_id: string }>(selectOverdue([clientId, limit]));
  return rows.map((row) => row.issue_id);
}
