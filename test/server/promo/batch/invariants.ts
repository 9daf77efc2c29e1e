import assert from 'node:assert/strict';
import type {
  CampaignEntry,
  CampaignPlayer,
  WorkingSet,
} from '../../../../packages/server/src/promo/batch/working-set.ts';
import type { contentOf } from './working-sets.ts';

// What must hold in a working set after any command: counts, limits and totals are those of the rows, what changed is
// under its changes, and the events match the changes.

export type Content = ReturnType<typeof contentOf>;
type FreeBet = Content['freeBets'] extends Map<string, infer T> ? T : never;
type Bet = Content['bets'] extends Map<string, infer T> ? T : never;

const remaining = ({ terms, betsPlaced }: FreeBet) => terms.quantity - betsPlaced;
const isExpired = (freeBet: FreeBet) => freeBet.swept && freeBet.cancelledAt === null && remaining(freeBet) > 0;
const isFinished = ({ betsSettled, terms }: FreeBet) => betsSettled === terms.quantity;
const isSettled = ({ state }: Bet) => state === 'won' || state === 'lost';

/** Bets that may still win: bets left in open free bets, and unsettled bets. */
const openBets = (freeBet: FreeBet) =>
  (freeBet.cancelledAt === null && !freeBet.swept ? remaining(freeBet) : 0) + freeBet.betsPlaced - freeBet.betsSettled;

const count = <T>(all: Iterable<T>, is: (each: T) => boolean) => [...all].filter(is).length;
const sum = <T>(all: Iterable<T>, of: (each: T) => number) => [...all].reduce((total, each) => total + of(each), 0);

function assertBetsHold({ freeBets, bets }: Content): void {
  for (const freeBet of freeBets.values()) {
    const own = [...bets.values()].filter(
      ({ issueId, state }) => issueId === freeBet.issueId && state !== 'rolled_back',
    );
    assert.deepEqual([freeBet.betsPlaced, freeBet.betsSettled], [own.length, count(own, isSettled)]);
    assert.ok(freeBet.betsPlaced <= freeBet.terms.quantity, 'more bets than were given');
    assert.ok(freeBet.cancelledAt === null || own.length === 0, 'cancelled, and used');
    for (const bet of own) {
      if (bet.issueId === null) continue;
      const { settledCoefficient: asked, winAmount } = bet;
      const odds = BigInt(Math.min(asked ?? 0, freeBet.terms.maxCoefficient ?? Number.POSITIVE_INFINITY));
      const unpaid = freeBet.terms.stakeReturned ? 0n : 10_000n;
      const won = (BigInt(freeBet.betAmount) * (odds - unpaid)) / 10_000n;
      assert.equal(winAmount, bet.state === 'won' ? won : bet.state === 'lost' ? 0n : null);
    }
  }
}

function assertCampaignsHold({ campaigns, campaignPlayers, freeBets }: Content): void {
  for (const { campaign, state } of campaigns.values()) {
    const own = [...freeBets.values()].filter(({ campaignId }) => campaignId === campaign.campaignId);
    const held = own.filter(({ cancelledAt }) => cancelledAt === null);
    assert.deepEqual(state, {
      issued: own.length,
      cancelled: own.length - held.length,
      expired: count(own, isExpired),
      finished: count(own, isFinished),
      betsPlaced: sum(own, ({ betsPlaced }) => betsPlaced),
      stoppedAt: state.stoppedAt,
      pausedAt: state.pausedAt,
      changedLimits: state.changedLimits,
    });
    for (const player of campaignPlayers.values()) {
      if (player.campaignId !== campaign.campaignId) continue;
      assert.equal(
        player.held,
        count(held, ({ playerId }) => playerId === player.playerId),
      );
    }
  }
}

/** New terms take the partner's setting, and keep it however often it changes afterwards. */
export function assertPayoutsHold({ partner }: WorkingSet, before: Content, after: Content): void {
  for (const [id, { campaign }] of after.campaigns) {
    const { stakeReturned } = before.campaigns.get(id)?.campaign.terms ?? partner;
    assert.equal(campaign.terms.stakeReturned, stakeReturned, `the payout type of campaign ${id}`);
  }
  for (const [id, { terms, campaignId }] of after.freeBets) {
    const ofCampaign = campaignId === null ? undefined : after.campaigns.get(campaignId)?.campaign.terms;
    const { stakeReturned } = before.freeBets.get(id)?.terms ?? ofCampaign ?? partner;
    assert.equal(terms.stakeReturned, stakeReturned, `the payout type of free bet ${id}`);
  }
}

/** Every issued free bet was within the limits at that time. */
export function assertLimitsHold(before: Content, after: Content): void {
  for (const freeBet of after.freeBets.values()) {
    const { issueId, campaignId, playerId } = freeBet;
    if (campaignId === null || before.freeBets.has(issueId)) continue;
    const { campaign, state } = after.campaigns.get(campaignId) as CampaignEntry;
    const { bonusLimit, bonusLimitPerUser } = state.changedLimits ?? campaign;
    const held = [...after.freeBets.values()].filter(
      (each) => each.campaignId === campaignId && each.cancelledAt === null,
    );
    const own = count(held, (each) => each.playerId === playerId);
    assert.ok(held.length <= (bonusLimit ?? Number.POSITIVE_INFINITY), 'the limit is overshot');
    assert.ok(own <= (bonusLimitPerUser ?? Number.POSITIVE_INFINITY), `the limit of ${playerId} is overshot`);
    assert.equal(state.pausedAt, null, 'it is paused');
  }
}

/** What batches have added to the totals, by campaign and currency, as the database keeps them. */
export type Totals = Map<string, { openBets: number; winnings: bigint }>;

export function addTotals(totals: Totals, { changes }: WorkingSet): Totals {
  const added = new Map(totals);
  for (const { campaignId, currency, openBets, winnings } of changes.totals.values()) {
    const before = added.get(`${campaignId} ${currency}`) ?? { openBets: 0, winnings: 0n };
    added.set(`${campaignId} ${currency}`, {
      openBets: before.openBets + openBets,
      winnings: before.winnings + winnings,
    });
  }
  return added;
}

function assertTotalsHold({ freeBets, bets }: Content, totals: Totals): void {
  const really: Totals = new Map();
  for (const freeBet of freeBets.values()) {
    if (freeBet.campaignId === null) continue;
    const key = `${freeBet.campaignId} ${freeBet.currency}`;
    const { openBets: open, winnings } = really.get(key) ?? { openBets: 0, winnings: 0n };
    const wins = [...bets.values()].filter(({ issueId }) => issueId === freeBet.issueId);
    const won = wins.reduce((total, bet) => total + (bet.issueId === null ? 0n : (bet.winAmount ?? 0n)), 0n);
    really.set(key, { openBets: open + openBets(freeBet), winnings: winnings + won });
  }
  assert.deepEqual(totals, really);
}

/** Rows that were not loaded are new rows, and rows that differ are changed rows. */
function assertChangesHold(working: WorkingSet, loaded: Content): void {
  const { changes } = working;
  const rooms = [
    [working.campaigns, loaded.campaigns, changes.newCampaigns, changes.campaigns],
    [working.freeBets, loaded.freeBets, changes.newFreeBets, changes.freeBets],
    [working.bets, loaded.bets, changes.newBets, changes.bets],
    [working.campaignPlayers, loaded.campaignPlayers, changes.campaignPlayers, changes.campaignPlayers],
  ] as [Map<string, object>, Map<string, object>, Set<object>, Set<object>][];
  for (const [rows, before, fresh, changed] of rooms) {
    for (const [key, row] of rows) {
      if (rows === working.campaignPlayers && isCounted(working, row as CampaignPlayer)) continue;
      if (!before.has(key)) assert.ok(fresh.has(row), `${key} is new, and would not be written`);
      else if (!isSame(row, before.get(key)))
        assert.ok(changed.has(row), `${key} has changed, and would not be written`);
    }
    assert.ok(fresh === changed || [...rows].every(([key, row]) => !(before.has(key) && fresh.has(row))));
  }
}

/** What no row says is counted by the next batch that asks, unless the campaign has limited players from the first. */
const isCounted = ({ campaigns }: WorkingSet, { campaignId, isStored }: CampaignPlayer): boolean =>
  !isStored && campaigns.get(campaignId)?.campaign.bonusLimitPerUser === null;

/** A row that is not kept up to date must not be written in the first place. */
function assertOnlyKeptAreWritten({ campaigns, changes }: WorkingSet): void {
  for (const { campaignId } of changes.campaignPlayers) {
    const { campaign, state } = campaigns.get(campaignId) as CampaignEntry;
    assert.ok(
      campaign.bonusLimitPerUser !== null || state.changedLimits !== null,
      `${campaignId} does not keep players`,
    );
  }
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

export function assertHolds(working: WorkingSet, content: Content, loaded: Content, totals: Totals): void {
  assertBetsHold(content);
  assertCampaignsHold(content);
  assertTotalsHold(content, addTotals(totals, working));
  assertChangesHold(working, loaded);
  assertOnlyKeptAreWritten(working);
}

function isFull({ campaign, state }: CampaignEntry): boolean {
  const { bonusLimit } = state.changedLimits ?? campaign;
  return bonusLimit !== null && state.issued - state.cancelled >= bonusLimit;
}

/** What one command must have emitted, judged by the rows before and after it. */
function expectedEvents(before: Content, after: Content): string[] {
  const events: string[] = [];
  for (const [id, entry] of after.campaigns) {
    const old = before.campaigns.get(id);
    if (old === undefined) events.push(`campaign.created ${id}`);
    if (old === undefined) continue;
    const { stoppedAt, pausedAt, changedLimits } = entry.state;
    if (old.state.stoppedAt !== stoppedAt) events.push(`campaign.stopped ${id}`);
    if (old.state.pausedAt !== pausedAt) events.push(`campaign.${pausedAt === null ? 'resumed' : 'paused'} ${id}`);
    if (!isSame(old.state.changedLimits, changedLimits)) events.push(`campaign.limits_changed ${id}`);
    if (isFull(entry) && entry.state.issued > old.state.issued) events.push(`campaign.exhausted ${id}`);
  }
  for (const [id, freeBet] of after.freeBets) {
    const old = before.freeBets.get(id);
    if (old === undefined) events.push(`freebet.issued ${id}`);
    if (freeBet.cancelledAt !== (old?.cancelledAt ?? null)) events.push(`freebet.cancelled ${id}`);
    if (isExpired(freeBet) && !(old && isExpired(old))) events.push(`freebet.expired ${id}`);
    if (isFinished(freeBet) && !(old && isFinished(old))) events.push(`freebet.finished ${id}`);
  }
  const byState = { placed: 'used', won: 'settled', lost: 'settled', rolled_back: 'rolled_back' };
  for (const [id, bet] of after.bets) {
    if (bet.issueId !== null && before.bets.get(id)?.state !== bet.state) {
      events.push(`freebet.${byState[bet.state]} ${bet.providerId} ${bet.betId}`);
    }
  }
  return events.sort();
}

/** Every change was emitted, nothing else was, and each event holds the rows as they stood. */
export function assertEmitted(before: Content, after: Content): string[] {
  const emitted = [...after.changes.emitted].slice(before.changes.emitted.size);
  const named = emitted.map((event) => {
    if ('campaign' in event) {
      assert.deepEqual(
        { campaign: event.campaign, state: event.state },
        after.campaigns.get(event.campaign.campaignId),
      );
      return `${event.type} ${event.campaign.campaignId}`;
    }
    if ('job' in event) return `${event.type} ${event.job.jobId}`;
    const { contentHash: _, ...freeBet } = after.freeBets.get(event.freeBet.issueId) as FreeBet;
    assert.deepEqual(event.freeBet, freeBet);
    return `${event.type} ${'bet' in event ? `${event.bet.providerId} ${event.bet.betId}` : freeBet.issueId}`;
  });
  assert.deepEqual(named.toSorted(), expectedEvents(before, after));
  return emitted.map(({ type }) => type);
}
