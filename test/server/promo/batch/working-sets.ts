import assert from 'node:assert/strict';
import type { ErrorName } from '@freebets/contract';
import type { PartnerProfile } from '../../../../packages/server/src/partners/profile.ts';
import { type Command, contentHash } from '../../../../packages/server/src/promo/batch/command.ts';
import { decide } from '../../../../packages/server/src/promo/batch/decide.ts';
import {
  campaignPlayerKey,
  emptyWorkingSet,
  type WorkingSet,
} from '../../../../packages/server/src/promo/batch/working-set.ts';

// Working sets for the tests of the rules. They are built by commands alone, so that no test has to know how a working set
// is made; all code that reaches into one is in this file.

/** The instant at which every test begins, and how much of it there is in a minute. */
export const start = Date.UTC(2030, 0, 1);
export const minute = 60_000;

const game = (providerId: string, freeBets: boolean, ...currencies: string[]) => ({
  providerId,
  freeBets,
  currencies: new Set(currencies),
});

/** Two games of one provider, one of another, and one without free bets; `retired` is no longer offered. */
const offer = new Map([
  ['crash', game('lantern', true, 'EUR', 'USD')],
  ['dice', game('lantern', true, 'EUR', 'USD')],
  ['mines', game('heron', true, 'EUR')],
  ['poker', game('lantern', false, 'EUR', 'USD')],
]);

const profile = (stakeReturned: boolean): PartnerProfile => ({
  offer,
  stakeReturned,
  isSandbox: false,
  providerOf: (gameId) => (gameId === 'retired' ? 'lantern' : offer.get(gameId)?.providerId),
});

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;
type Terms = Of<'create_campaign'>['terms'];
type DirectTerms = Of<'issue_direct'>['terms'];

/** Like the edge: the hash identifies the content. */
const hashed = <T extends object>(content: T): T & { contentHash: string } => ({
  ...content,
  contentHash: contentHash([JSON.stringify(content, (_, value) => (value instanceof Map ? [...value] : value))]),
});

const terms = (changes: Partial<DirectTerms>): DirectTerms => ({
  name: null,
  quantity: 2,
  games: ['crash'],
  validFrom: start,
  validUntil: start + 60 * minute,
  durationMin: null,
  minCoefficient: null,
  maxCoefficient: null,
  ...changes,
});

// Commands that are accepted as they are, on a new working set and in this order; tests change one thing at a time.

export const create = (
  changes: Partial<Of<'create_campaign'>> = {},
  ofTerms: Partial<Terms> = {},
): Of<'create_campaign'> =>
  hashed({
    kind: 'create_campaign',
    campaignId: 'spring',
    terms: terms({ name: 'Spring', ...ofTerms }) as Terms,
    betAmounts: new Map([
      ['EUR', 100],
      ['USD', 120],
    ]),
    bonusLimit: null,
    bonusLimitPerUser: null,
    ...changes,
  });

export const stop = (campaignId = 'spring'): Command => ({ kind: 'stop_campaign', campaignId });

export const pause = (campaignId = 'spring'): Command => ({ kind: 'pause_campaign', campaignId });

export const resume = (campaignId = 'spring'): Command => ({ kind: 'resume_campaign', campaignId });

export const limits = (
  bonusLimit: number | null,
  bonusLimitPerUser: number | null,
  campaignId = 'spring',
): Of<'change_limits'> => ({ kind: 'change_limits', campaignId, bonusLimit, bonusLimitPerUser });

export const issue = (changes: Partial<Of<'issue_by_campaign'>> = {}): Of<'issue_by_campaign'> =>
  hashed({
    kind: 'issue_by_campaign',
    issueId: 'issue-1',
    campaignId: 'spring',
    playerId: 'ann',
    currency: 'EUR',
    ...changes,
  });

export const direct = (
  changes: Partial<Of<'issue_direct'>> = {},
  ofTerms: Partial<DirectTerms> = {},
): Of<'issue_direct'> =>
  hashed({
    kind: 'issue_direct',
    issueId: 'issue-1',
    playerId: 'ann',
    currency: 'EUR',
    betAmount: 100,
    terms: terms({ validFrom: null, ...ofTerms }),
    ...changes,
  });

export const cancel = (issueId = 'issue-1'): Command => ({ kind: 'cancel_free_bet', issueId });

export const expire = (issueId = 'issue-1'): Command => ({ kind: 'expire_free_bet', issueId });

export const bet = (changes: Partial<Of<'place_bet'>> = {}): Of<'place_bet'> =>
  hashed({
    kind: 'place_bet',
    providerId: 'lantern',
    betId: 'bet-1',
    issueId: 'issue-1',
    playerId: 'ann',
    gameId: 'crash',
    coefficient: null,
    ...changes,
  });

export const lost = (betId = 'bet-1', providerId = 'lantern'): Command => ({
  kind: 'settle_bet',
  providerId,
  betId,
  result: 'lost',
  coefficient: null,
});

export const won = (coefficient: number, betId = 'bet-1', providerId = 'lantern'): Command => ({
  kind: 'settle_bet',
  providerId,
  betId,
  result: 'won',
  coefficient,
});

export const rollBack = (betId = 'bet-1', providerId = 'lantern'): Command => ({
  kind: 'roll_back_bet',
  providerId,
  betId,
});

export const newWorkingSet = ({ stakeReturned = false } = {}): WorkingSet => emptyWorkingSet(profile(stakeReturned));

/** The partner's setting is changed between two batches. */
export function changePayout(working: WorkingSet, stakeReturned: boolean): void {
  working.partner = profile(stakeReturned);
}

/** The players in random sequences. */
export const players = ['ann', 'ben'] as const;

/**
 * The rows as the next batch would load them, if it is about to change limits: the same, with nothing changed and nothing
 * emitted. Only written players are loaded again; for others the count is computed, also for players without free bets.
 */
export function reloaded(
  { partner, campaignPlayers: known, changes, ...loaded }: WorkingSet,
  asked: readonly string[] = [],
): WorkingSet {
  const rows = structuredClone(loaded);
  const written = [...known].filter(([, player]) => player.isStored || changes.campaignPlayers.has(player));
  const campaignPlayers = new Map(written.map(([key, player]) => [key, { ...player, isStored: true }]));
  const held = [...rows.freeBets.values()].filter(({ cancelledAt }) => cancelledAt === null);
  for (const { campaign } of rows.campaigns.values()) {
    if (campaign.bonusLimitPerUser !== null) continue;
    const own = held.filter(({ campaignId }) => campaignId === campaign.campaignId).map(({ playerId }) => playerId);
    for (const playerId of new Set([...asked, ...own])) {
      const player = { campaignId: campaign.campaignId, playerId, held: own.filter((one) => one === playerId).length };
      const key = campaignPlayerKey(player.campaignId, playerId);
      if (!campaignPlayers.has(key)) campaignPlayers.set(key, { ...player, isStored: false });
    }
  }
  return { ...emptyWorkingSet(partner), ...rows, campaignPlayers };
}

/** A working set after these commands, each at the start or at its given instant, and after the writes. */
export function given(...commands: (Command | [Command, number])[]): WorkingSet {
  const working = newWorkingSet();
  for (const each of commands) {
    const [command, now] = Array.isArray(each) ? each : [each, start];
    accepted(working, command, now);
  }
  return reloaded(working);
}

/** Everything in it except the partner, which no rule changes. */
export const contentOf = ({ partner: _, ...content }: WorkingSet) => structuredClone(content);

export const freeBetIn = (working: WorkingSet, issueId = 'issue-1') => {
  const freeBet = working.freeBets.get(issueId);
  assert(freeBet, `${issueId} is there`);
  return freeBet;
};

export const campaignIn = (working: WorkingSet, campaignId = 'spring') => {
  const entry = working.campaigns.get(campaignId);
  assert(entry, `${campaignId} is there`);
  return entry;
};

/** How many free bets of the campaign the player holds, as far as that is counted. */
export const heldIn = (working: WorkingSet, playerId = 'ann'): number | undefined =>
  [...working.campaignPlayers.values()].find((player) => player.playerId === playerId)?.held;

export const emittedIn = ({ changes }: WorkingSet): string[] => [...changes.emitted].map(({ type }) => type);

export const totalsIn = ({ changes }: WorkingSet) =>
  [...changes.totals.values()].map(({ currency, openBets, winnings }) => [currency, openBets, winnings]);

/** The body of its answer. */
export function accepted(working: WorkingSet, command: Command, now = start) {
  const outcome = decide(working, command, now);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  return outcome.value as any;
}

/** Accepted, and nothing has come of it: the first time had done it all. Its answer. */
export function acceptedAgain(working: WorkingSet, command: Command, now = start) {
  const before = contentOf(working);
  const answer = accepted(working, command, now);
  assert.deepEqual(contentOf(working), before);
  return answer;
}

/** Asserts a refusal with this error and these fields, which changes nothing. Returns the reasons. */
export function refused(
  error: ErrorName,
  working: WorkingSet,
  command: Command,
  now = start,
  fields: string[] | undefined = undefined,
): string[] {
  const before = contentOf(working);
  const outcome = decide(working, command, now);
  assert.ok(!outcome.ok, `accepted: ${JSON.stringify(outcome)}`);
  assert.equal(outcome.error, error);
  assert.deepEqual(
    outcome.details?.map(({ field }) => field),
    fields,
  );
  assert.deepEqual(contentOf(working), before);
  return (outcome.details ?? []).map(({ reason }) => reason);
}
