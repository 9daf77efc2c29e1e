import { randomUUIDv7 } from 'node:crypto';
import {
  type DetailBudget,
  type FreeBetBody,
  type IssueBatchResponse,
  type IssueDirect,
  IssueId,
  IssueItem,
  isValid,
  itemError,
  maxDetails,
  maxItemsOfBatch,
  type Refusal,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import type { Pool } from 'pg';
import type { Batch, Call, Handlers } from '../../calls/call.ts';
import { pageCursorsOf, pageWanted } from '../../calls/cursor.ts';
import { readInTurn } from '../../calls/fair-queue.ts';
import { validateIssueItem } from '../../calls/validation.ts';
import { fittingPage } from '../../engine/page.ts';
import { ask } from '../../engine/statement.ts';
import { inOneSnapshot } from '../../engine/transaction.ts';
import { parseInstant, parseMoney } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { type CommandOf, issueByCampaignCommand, issueDirectCommand, type Lanes } from '../batch/command.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import { betBody } from '../rounds/bet.ts';
import { listStandingBets } from '../rounds/sql.ts';
import { areUnavailable, dryRunField, type SubmitServices, submitCommand, submitCommands } from '../submit.ts';
import { coefficientsOf, type DirectTerms } from '../terms.ts';
import { type FreeBetSnapshot, freeBetBody, freeBetBytes } from './free-bet.ts';
import { type FreeBetRow, freeBetOfRow, getFreeBet, listFreeBets } from './sql.ts';

type Name = 'Issue' | 'IssueBatch' | 'Cancel' | 'CancelBatch' | 'FreeBetGet' | 'FreeBetList';

const cursors = pageCursorsOf(IssueId);

export const freeBetHandlers: Handlers<Name, SubmitServices> = {
  Issue: (call, body) => submitCommand(call, body, issueCommand(body)),
  IssueBatch: issueBatch,
  Cancel: (call, body) => submitCommand(call, body, cancelCommand(body.issue_id)),
  CancelBatch: cancelBatch,

  FreeBetGet: (call, body) =>
    readInTurn(call, body.client_id, (pool) => readFreeBet(pool, call.services.definitions, body)),

  FreeBetList: (call, body) =>
    readInTurn(call, body.client_id, (pool) => readFreeBets(pool, call.services.definitions, body)),
};

const batch = {
  items: maxItemsOfBatch,
  hasRoom: ({ lanes }: { lanes: Pick<Lanes, 'hasRoom'> }, { clientId }: { clientId: number }, items: number) =>
    lanes.hasRoom(clientId, items),
} satisfies Batch<{ lanes: Pick<Lanes, 'hasRoom'> }>;

export const freeBetBatches = { IssueBatch: { ...batch, endsSlice: true }, CancelBatch: batch };

export function issueCommand(request: IssueItem): CommandOf<'issue_by_campaign' | 'issue_direct'> {
  const issueId = request.issue_id ?? randomUUIDv7();
  const { player_id: playerId, currency } = request;
  if ('campaign_id' in request) {
    return issueByCampaignCommand({ issueId, campaignId: request.campaign_id, playerId, currency });
  }
  return issueDirectCommand({
    issueId,
    playerId,
    currency,
    betAmount: parseMoney(request.bet_amount),
    terms: directTerms(request),
  });
}

export const directTerms = (request: Omit<IssueDirect, 'player_id' | 'currency'>): DirectTerms => ({
  name: request.name ?? null,
  quantity: request.quantity,
  games: request.games,
  validFrom: request.valid_from === undefined ? null : parseInstant(request.valid_from),
  validUntil: parseInstant(request.valid_until),
  durationMin: request.duration_min ?? null,
  ...coefficientsOf(request.config),
});

export const cancelCommand = (issueId: string): CommandOf<'cancel_free_bet'> => ({
  kind: 'cancel_free_bet',
  issueId,
});

async function issueBatch(
  call: Call<SubmitServices>,
  body: RequestOf<'IssueBatch'>,
): Promise<Outcome<ResponseOf<'IssueBatch'>>> {
  const { items } = body;
  const { slice } = call;
  const budget = { left: maxDetails };
  const invalid = new Map<number, Refusal>();
  const commands: CommandOf<'issue_by_campaign' | 'issue_direct'>[] = [];
  for (const [i, item] of items.entries()) {
    if (slice.isOver()) await slice.pause();
    const refusal = validationRefusal(item, budget);
    if (refusal === undefined) commands.push(issueCommand(item as IssueItem));
    else invalid.set(i, refusal);
  }
  slice.end();
  const outcomes = await submitCommands(call, body, commands);
  if (areUnavailable(outcomes)) return refuse('unavailable');
  const room = { details: maxDetails, bytes: maxBatchDetailBytes };
  const inOrder = outcomes.values();
  const results = items.map((item, i) => {
    const refusal = invalid.get(i);
    const outcome = refusal === undefined ? inOrder.next().value : { ok: false as const, ...refusal };
    if (outcome === undefined) throw new Error('an item had no outcome');
    if (outcome.ok) return batchItem(outcome.value);
    return { issue_id: issueIdOf(item), error: itemError(limitDetails(outcome, room)) };
  });
  return done({ results, ...dryRunField(body) });
}

/** Stops collecting details when the batch has enough, because collecting takes most of the time of an invalid item. */
function validationRefusal(item: unknown, budget: DetailBudget): Refusal | undefined {
  if (budget.left <= 0) return isValid(IssueItem, item) ? undefined : { error: 'invalid_request' };
  const details = validateIssueItem(item, budget);
  return details.length === 0 ? undefined : { error: 'invalid_request', details };
}

/** The byte limit for the details of all items together, in addition to `maxDetails`. */
const maxBatchDetailBytes = 16 * 1024;

/**
 * Leaves out details beyond the limits, so that the response to a batch of errors is not much longer than the batch.
 */
function limitDetails({ error, details = [] }: Refusal, room: { details: number; bytes: number }): Refusal {
  const kept = details.slice(0, room.details);
  room.details -= kept.length;
  room.bytes -= Buffer.byteLength(JSON.stringify(kept));
  return kept.length === 0 || room.bytes < 0 ? { error } : { error, details: kept };
}

/**
 * Leaves out the games of a campaign: they would make a thousand items long, and the caller can read them from the
 * campaign.
 */
function batchItem(freeBet: FreeBetBody): IssueBatchResponse['results'][number] {
  // JSON omits undefined fields. Copying all other fields would take 15 times as long.
  return freeBet.campaign_id === null ? freeBet : { ...freeBet, games: undefined };
}

/**
 * The id of an item, valid or not, so that the caller can match it. `toWellFormed` replaces a surrogate cut in half.
 */
function issueIdOf(item: unknown): string | null {
  const id = (item as { issue_id?: unknown } | null)?.issue_id;
  return typeof id === 'string' ? id.slice(0, 64).toWellFormed() : null;
}

async function cancelBatch(
  call: Call<SubmitServices>,
  body: RequestOf<'CancelBatch'>,
): Promise<Outcome<ResponseOf<'CancelBatch'>>> {
  const commands = body.issue_ids.map(cancelCommand);
  const outcomes = await submitCommands(call, body, commands);
  if (areUnavailable(outcomes)) return refuse('unavailable');
  const results = outcomes.map((outcome, i) => {
    const { issueId: issue_id } = commands[i] as (typeof commands)[number];
    return outcome.ok ? { issue_id } : { issue_id, error: itemError(outcome) };
  });
  return done({ results });
}

async function readFreeBet(
  pool: Pool,
  definitions: CampaignDefinitions,
  { client_id, issue_id }: RequestOf<'FreeBetGet'>,
): Promise<Outcome<ResponseOf<'FreeBetGet'>>> {
  const rowRead = getFreeBet(client_id, issue_id);
  const betsRead = listStandingBets(client_id, issue_id);
  const answers = await inOneSnapshot(pool, [rowRead, betsRead]);
  const row = answers.of(rowRead);
  if (row === undefined) return refuse('free_bet_not_found');
  const [freeBet] = (await freeBetsOf(pool, definitions, client_id, [row])) as [FreeBetSnapshot];
  const bets = answers.of(betsRead).map((bet) => betBody(bet, freeBet));
  return done({ ...freeBetBody(freeBet, row.now), bets });
}

async function readFreeBets(
  pool: Pool,
  definitions: CampaignDefinitions,
  body: RequestOf<'FreeBetList'>,
): Promise<Outcome<ResponseOf<'FreeBetList'>>> {
  const wanted = pageWanted(body, [body.issued_from, body.issued_until], cursors);
  const filter = { playerId: body.player_id ?? null, campaignId: body.campaign_id ?? null };
  const page = await ask(pool, listFreeBets(body.client_id, filter, wanted));
  const rows = page.items.map(({ value }) => value);
  const freeBets = await freeBetsOf(pool, definitions, body.client_id, rows);
  const found = page.items.map(({ key }, i) => ({ key, value: freeBets[i] as FreeBetSnapshot }));
  const { items, next } = fittingPage({ ...page, items: found }, freeBetBytes);
  const bodies = items.map(({ value }) => freeBetBody(value, page.now));
  return done({ free_bets: bodies, next_cursor: cursors.write(next) });
}

async function freeBetsOf(pool: Pool, definitions: CampaignDefinitions, clientId: number, rows: FreeBetRow[]) {
  const campaignIds = rows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await definitions.load(pool, clientId, campaignIds);
  return rows.map((row) => freeBetOfRow(row, campaigns));
}
