import assert from 'node:assert';
import type { PoolClient } from 'pg';
import { begin, type Connection, commit, limitLockWait, rollback } from '../db/connection.ts';
import { LostRace } from '../db/faults.ts';
import { inOneTrip } from '../db/round-trip.ts';
import type { Instant } from '../domain/amounts.ts';
import type { Command } from '../domain/command.ts';
import { decide } from '../domain/decide.ts';
import type { Outcome } from '../domain/outcome.ts';
import {
  betKey,
  campaignPlayerKey,
  emptyWorkingSet,
  isUnchanged,
  type PartnerProfile,
  rowKeysOf,
  type WorkingSet,
} from '../domain/working-set.ts';
import { findBets, insertBets, updateBets } from '../sql/bets.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import {
  findCampaignPlayers,
  insertCampaigns,
  lockCampaignStates,
  saveCampaignPlayers,
  updateCampaigns,
} from '../sql/campaigns.ts';
import { insertEvents } from '../sql/events.ts';
import {
  changesFreeBets,
  findFreeBetsAndTime,
  freeBetOfRow,
  insertFreeBets,
  lockFreeBets,
  updateFreeBets,
} from '../sql/free-bets.ts';

// One transaction for many commands, of one partner or of several. It costs two round trips, begin and load, then write and
// commit; and others between them for campaigns whose definitions are not known yet. Every statement names one partner.
//
// Rows that decide are locked in one order everywhere: partners by id, and of each its free bets by id, then its campaigns by
// id; then, partners by id again, the number of the partner's latest event. What players hold of a campaign needs no locks of their
// own, because only the holder of their campaign's lock touches them; the same holds for bets and the lock of their free
// bet. Whether a free bet to be issued exists already is read under the lock of its campaign: read before it, an equal
// request on another server could take the last of the limit meanwhile, and this one be refused.

interface BatchContext {
  connection: PoolClient;
  definitions: CampaignDefinitions;
}

/** The commands of one partner. */
interface Share {
  clientId: number;
  partner: PartnerProfile;
  commands: readonly Command[];
}

export interface Carried {
  outcomes: Outcome[];
  /** How many events the partner has of it. */
  emitted: number;
}

export interface BatchTimes {
  loadMs: number;
  commitMs: number;
}

interface Loaded {
  share: Share;
  working: WorkingSet;
  now: Instant;
}

/** The shares are in the order of their partners' ids. */
export async function runBatch(
  context: BatchContext,
  shares: readonly Share[],
): Promise<{ carried: Carried[]; times: BatchTimes }> {
  const began = performance.now();
  if (shares.length === 0) return { carried: [], times: { loadMs: 0, commitMs: 0 } };
  const loaded = await load(context, shares);
  const outcomes = loaded.map(({ share, working, now }) =>
    share.commands.map((command) => decide(working, command, now)),
  );
  const decided = performance.now();
  await writeAndCommit(
    context,
    loaded.filter(({ working }) => !isUnchanged(working)),
  );
  return {
    carried: loaded.map(({ working }, i) => ({ outcomes: outcomes[i] ?? [], emitted: working.changes.emitted.size })),
    times: { loadMs: decided - began, commitMs: performance.now() - decided },
  };
}

/** How long one partner may wait for a lock of another that shares the transaction; then each gets its own. */
const sharedLockWaitMs = 100;

async function load({ connection, definitions }: BatchContext, shares: readonly Share[]): Promise<Loaded[]> {
  const [, , ...found] = await inOneTrip(connection, (trip) => [
    trip.query(begin()),
    shares.length > 1 && trip.query(limitLockWait([sharedLockWaitMs])),
    ...shares.map((share) => find(trip, share)),
  ]);
  const loaded: Loaded[] = [];
  for (const one of found as Found[]) loaded.push(await openWorkingSet(connection, definitions, one));
  return loaded;
}

type Found = Awaited<ReturnType<typeof find>>;

const noStates: Awaited<ReturnType<typeof lockCampaignStates>> = new Map();

async function find(trip: Connection, share: Share) {
  const { clientId } = share;
  const keys = rowKeysOf(share.commands);
  const changes = changesFreeBets(keys);
  // A statement that could find nothing is not sent: each takes 15 to 30 µs of the database, however little it does.
  const [changing, states, { existing, now }, campaignPlayers, bets] = await Promise.all([
    changes ? lockFreeBets(trip, clientId, keys) : [],
    changes || keys.campaignIds.length > 0 ? lockCampaignStates(trip, clientId, keys) : noStates,
    findFreeBetsAndTime(trip, clientId, keys),
    keys.campaignPlayers.length + keys.cancellingIssueIds.length > 0 ? findCampaignPlayers(trip, clientId, keys) : [],
    keys.bets.length > 0 ? findBets(trip, clientId, keys) : [],
  ]);
  return { share, keys, changing, states, existing, now, campaignPlayers, bets };
}

async function openWorkingSet(connection: Connection, definitions: CampaignDefinitions, found: Found): Promise<Loaded> {
  const { share, keys, changing, states, existing, now, campaignPlayers, bets } = found;
  const locked = new Set(changing.map((row) => row.issue_id));
  const asked = new Set(keys.changingIssueIds);
  // Issued by another server after we looked for it to change it: begin again, and lock it.
  if (existing.some((row) => asked.has(row.issue_id) && !locked.has(row.issue_id))) throw new LostRace();
  const freeBetRows = [...changing, ...existing.filter((row) => !locked.has(row.issue_id))];
  const campaignIds = freeBetRows.map((row) => row.campaign_id).filter((id) => id !== null);
  const campaigns = await definitions.load(connection, share.clientId, [...states.keys(), ...campaignIds]);
  const working = emptyWorkingSet(share.partner);
  for (const [campaignId, state] of states) {
    const campaign = campaigns.get(campaignId);
    if (campaign === undefined) throw new Error(`campaign ${campaignId} has a state and no definition`);
    working.campaigns.set(campaignId, { campaign, state });
  }
  for (const row of freeBetRows) working.freeBets.set(row.issue_id, freeBetOfRow(row, campaigns));
  for (const bet of bets) {
    // Placed by another server after we looked for its free bet: begin again, with both.
    if (bet.issueId !== null && !locked.has(bet.issueId)) throw new LostRace();
    working.bets.set(betKey(bet.providerId, bet.betId), bet);
  }
  for (const player of campaignPlayers)
    working.campaignPlayers.set(campaignPlayerKey(player.campaignId, player.playerId), player);
  return { share, working, now };
}

async function writeAndCommit({ connection }: BatchContext, changed: Loaded[]): Promise<void> {
  // Nothing to keep, such as when a limit is reached: a rollback spares the wait for the disk.
  if (changed.length === 0) return void (await inOneTrip(connection, (trip) => [trip.query(rollback())]));
  const results = await inOneTrip(connection, (trip) => [
    ...changed.map((one) => writeRows(trip, one)),
    // The last locks, so that whoever holds the numbers of a partner waits for nothing but the disk.
    ...changed.map(({ share, working, now }) => insertEvents(trip, share.clientId, now, [...working.changes.emitted])),
    trip.query(commit()),
  ]);
  // PostgreSQL answers COMMIT with ROLLBACK when the transaction had failed; but then a statement has thrown already.
  const { command } = results[results.length - 1] as { command: string };
  assert.equal(command, 'COMMIT', 'the transaction was not committed');
}

/** Not async, and neither is what it calls: one that fails before it asks for anything keeps COMMIT from being asked for. */
function writeRows(trip: Connection, { share: { clientId }, working: { changes }, now }: Loaded): Promise<unknown> {
  const changedCampaigns = changes.campaigns.difference(changes.newCampaigns);
  return Promise.all([
    changes.newCampaigns.size > 0 && insertCampaigns(trip, clientId, [...changes.newCampaigns]),
    changedCampaigns.size + changes.totals.size > 0 &&
      updateCampaigns(trip, clientId, [...changedCampaigns], [...changes.totals.values()]),
    changes.campaignPlayers.size > 0 && saveCampaignPlayers(trip, clientId, [...changes.campaignPlayers]),
    changes.newFreeBets.size > 0 && insertFreeBets(trip, clientId, now, [...changes.newFreeBets]),
    changes.freeBets.size > 0 && updateFreeBets(trip, clientId, [...changes.freeBets]),
    changes.newBets.size > 0 && insertBets(trip, clientId, [...changes.newBets]),
    changes.bets.size > 0 && updateBets(trip, clientId, [...changes.bets]),
  ]);
}
