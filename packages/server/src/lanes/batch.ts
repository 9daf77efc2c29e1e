import assert from 'node:assert';
import type { PoolClient } from 'pg';
import type { Instant } from '../domain/amounts.ts';
import { type Book, betKey, emptyBook, isUnchanged, keysOf, type PartnerFacts, placeKey } from '../domain/book.ts';
import type { Command } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import type { Outcome } from '../domain/outcome.ts';
import { findBets, insertBets, updateBets } from '../sql/bets.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import { findPlaces, insertCampaigns, lockCampaignStates, savePlaces, updateCampaigns } from '../sql/campaigns.ts';
import { insertEvents } from '../sql/events.ts';
import { LostRace } from '../sql/faults.ts';
import { findFreeBetsAndTime, freeBetOfRow, insertFreeBets, lockFreeBets, updateFreeBets } from '../sql/free-bets.ts';

// One transaction for many commands of one partner. The statements of each half are sent without waiting for each
// other's answers, so a batch costs two round trips: begin and load, then write and commit.
//
// Rows that decide are locked in one order everywhere: free bets by id, then campaigns by id, then the number of the
// partner's latest event. The places of players need no locks of their own, because only the holder of their campaign's
// lock touches them; the same holds for bets and the lock of their free bet. Whether a free bet to be issued exists already
// is read under the lock of its campaign: read before it, an equal request on another server could fill the last place
// meanwhile, and this one be refused.

export interface BatchContext {
  connection: PoolClient;
  definitions: CampaignDefinitions;
  clientId: number;
  partner: PartnerFacts;
}

export interface BatchTimes {
  loadMs: number;
  commitMs: number;
}

export async function carryOut(
  context: BatchContext,
  commands: readonly Command[],
): Promise<{ outcomes: Outcome[]; told: number; times: BatchTimes }> {
  const began = performance.now();
  const { book, now } = await load(context, commands);
  const outcomes = commands.map((command) => decide(book, command, now));
  const loaded = performance.now();
  // Nothing to keep, such as when a limit is reached: a rollback spares the wait for the disk.
  await (isUnchanged(book) ? context.connection.query('ROLLBACK') : writeAndCommit(context, book, now));
  return {
    outcomes,
    told: book.changes.told.size,
    times: { loadMs: loaded - began, commitMs: performance.now() - loaded },
  };
}

const noStates: Awaited<ReturnType<typeof lockCampaignStates>> = new Map();

async function load({ connection, definitions, clientId, partner }: BatchContext, commands: readonly Command[]) {
  const keys = keysOf(commands);
  const changesFreeBets = keys.changingIssueIds.length + keys.bets.length > 0;
  // A statement that could find nothing is not sent: each costs 50 µs, however little it does.
  const [, changing, states, { existing, now }, places, bets] = await allOf([
    connection.query('BEGIN'),
    changesFreeBets ? lockFreeBets(connection, clientId, keys) : [],
    changesFreeBets || keys.campaignIds.length > 0 ? lockCampaignStates(connection, clientId, keys) : noStates,
    findFreeBetsAndTime(connection, clientId, keys),
    keys.places.length + keys.changingIssueIds.length > 0 ? findPlaces(connection, clientId, keys) : [],
    keys.bets.length > 0 ? findBets(connection, clientId, keys) : [],
  ]);
  const locked = new Set(changing.map((row) => row.issue_id));
  const asked = new Set(keys.changingIssueIds);
  // Issued by another server after we looked for it to change it: begin again, and lock it.
  if (existing.some((row) => asked.has(row.issue_id) && !locked.has(row.issue_id))) throw new LostRace();
  const freeBetRows = [...changing, ...existing.filter((row) => !locked.has(row.issue_id))];
  const campaignIds = freeBetRows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await definitions.load(connection, clientId, [...states.keys(), ...campaignIds]);
  const book = emptyBook(partner);
  for (const [campaignId, state] of states) {
    const campaign = campaigns.get(campaignId);
    if (campaign === undefined) throw new Error(`campaign ${campaignId} has a state and no definition`);
    book.campaigns.set(campaignId, { campaign, state });
  }
  for (const row of freeBetRows) book.freeBets.set(row.issue_id, freeBetOfRow(row, campaigns));
  for (const bet of bets) {
    // Placed by another server after we looked for its free bet: begin again, with both.
    if (bet.issueId !== null && !locked.has(bet.issueId)) throw new LostRace();
    book.bets.set(betKey(bet.providerId, bet.betId), bet);
  }
  for (const place of places) book.places.set(placeKey(place.campaignId, place.playerId), place);
  return { book, now };
}

/** The writing functions are not async, so that one which fails before it sends anything keeps COMMIT from being sent. */
async function writeAndCommit({ connection, clientId }: BatchContext, { changes }: Book, now: Instant) {
  const changedCampaigns = changes.campaigns.difference(changes.newCampaigns);
  const results = await allOf([
    changes.newCampaigns.size > 0 && insertCampaigns(connection, clientId, [...changes.newCampaigns]),
    changedCampaigns.size + changes.totals.size > 0 &&
      updateCampaigns(connection, clientId, [...changedCampaigns], [...changes.totals.values()]),
    changes.places.size > 0 && savePlaces(connection, clientId, [...changes.places]),
    changes.newFreeBets.size > 0 && insertFreeBets(connection, clientId, now, [...changes.newFreeBets]),
    changes.freeBets.size > 0 && updateFreeBets(connection, clientId, [...changes.freeBets]),
    changes.newBets.size > 0 && insertBets(connection, clientId, [...changes.newBets]),
    changes.bets.size > 0 && updateBets(connection, clientId, [...changes.bets]),
    // The last lock, so that whoever holds the partner's numbers waits for nothing but the disk.
    changes.told.size > 0 && insertEvents(connection, clientId, now, [...changes.told]),
    connection.query('COMMIT'),
  ]);
  // PostgreSQL answers COMMIT with ROLLBACK when the transaction had failed; but then a statement has thrown already.
  const { command } = results[results.length - 1] as { command: string };
  assert.equal(command, 'COMMIT', 'the transaction was not committed');
}

/** Fails as the first of them did: those behind it only say that the transaction had failed already. */
async function allOf<T extends unknown[]>(statements: [...T]): Promise<{ [I in keyof T]: Awaited<T[I]> }> {
  const results = await Promise.allSettled(statements);
  const failed = results.find((result): result is PromiseRejectedResult => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as never;
}
