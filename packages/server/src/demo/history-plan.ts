import type { Instant } from '../primitives/amounts.ts';
import { type Command, type CommandOf, contentHash } from '../promo/batch/command.ts';
import { type Dice, diceOf } from './dice.ts';

// Plans the history of the demo players: the campaigns, who received free bets, and when each free bet was played,
// cancelled or left to expire. The dice are seeded, so the plan is always the same. The real rules then decide the
// outcomes.

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const historyDays = 14;

export interface PlannedCommand {
  at: Instant;
  command: Command;
  /** The free bet that the command is about; null for a campaign. */
  issueId: string | null;
}

interface CampaignPlan {
  campaignId: string;
  name: string;
  quantity: number;
  betAmounts: Record<string, number>;
  games: string[];
  /** In hours from the start of the history. */
  created: number;
  validFrom: number;
  validUntil: number;
  durationMin: number;
  bonusLimit: number | null;
  bonusLimitPerUser: number;
  coefficients: [min: number, max: number];
  /** How many free bets are issued on each day. */
  issues: number[];
  /** Whether each new player gets a free bet, once. */
  isForNewcomers: boolean;
  /** The share of players who play their free bets, and the length of a round. */
  share: number;
  roundMs: number;
}

const campaigns: CampaignPlan[] = [
  {
    campaignId: 'demo-welcome',
    name: 'Welcome pack',
    quantity: 2,
    betAmounts: { EUR: 100, USD: 120 },
    games: ['lantern-skyline-ascent', 'lantern-ember-kite', 'lantern-paper-comet', 'lantern-nine-lanterns'],
    created: 6,
    validFrom: 7,
    validUntil: 120 * 24,
    durationMin: 3 * 24 * 60,
    bonusLimit: null,
    bonusLimitPerUser: 1,
    coefficients: [12_000, 100_000],
    issues: [46, 52, 50, 58, 68, 80, 76, 54, 51, 59, 62, 84, 80, 56],
    isForNewcomers: true,
    share: 0.44,
    roundMs: 40_000,
  },
  {
    campaignId: 'demo-virtual-cup',
    name: 'Virtual cup week',
    quantity: 1,
    betAmounts: { EUR: 200, USD: 220 },
    games: ['anvil-steelyard-football', 'anvil-foundry-hounds', 'anvil-mill-town-cup', 'anvil-velvet-mile'],
    created: 20,
    validFrom: 24 + 10,
    validUntil: 8 * 24,
    durationMin: 24 * 60,
    bonusLimit: 1500,
    bonusLimitPerUser: 12,
    coefficients: [15_000, 80_000],
    issues: [0, 72, 96, 104, 118, 146, 139, 102],
    isForNewcomers: false,
    share: 0.42,
    roundMs: 4 * minute,
  },
  {
    campaignId: 'demo-live-nights',
    name: 'Live casino nights',
    quantity: 1,
    betAmounts: { EUR: 500, USD: 550 },
    games: ['heron-willow-house-roulette', 'heron-otter-lane-blackjack', 'heron-moorhen-wheel'],
    created: 4 * 24 + 9,
    validFrom: 4 * 24 + 12,
    validUntil: 24 * 24,
    durationMin: 2 * 24 * 60,
    bonusLimit: 600,
    bonusLimitPerUser: 10,
    coefficients: [15_000, 50_000],
    issues: [0, 0, 0, 0, 62, 88, 93, 58, 52, 55, 61, 70, 48, 4],
    isForNewcomers: false,
    share: 0.5,
    roundMs: 90_000,
  },
];

interface Player {
  playerId: string;
  currency: string;
  /** The hour at which the player likes to play. */
  hour: number;
  /** How far the player lets a coefficient rise, in ten-thousandths. */
  nerve: number;
  /** How often the player plays free bets, relative to others. */
  eagerness: number;
}

function newPlayer(dice: Dice, number: number): Player {
  const isNightOwl = dice.chance(0.15);
  const isAtLunch = dice.chance(0.2);
  return {
    playerId: `p-${10_000 + number * 7}`,
    currency: dice.chance(0.7) ? 'EUR' : 'USD',
    hour: isNightOwl ? 23 : isAtLunch ? 13 : 20,
    nerve: Math.round(13_000 + dice.skewed() * 70_000),
    eagerness: 0.6 + dice.next() * 0.8,
  };
}

/** The events of the history up to now, in order of time. */
export function planHistory(now: Instant, providerOf: (gameId: string) => string): PlannedCommand[] {
  const dice = diceOf(20_260_214);
  const start = now - (now % day) - (historyDays - 1) * day;
  const planned: PlannedCommand[] = [];
  const players: Player[] = [];
  for (const plan of campaigns) {
    planned.push({ at: start + plan.created * hour, command: createOf(plan, start), issueId: null });
  }
  for (let days = 0; days < historyDays; days++) {
    for (const plan of campaigns) {
      for (let i = 0; i < (plan.issues[days] ?? 0); i++) {
        const player = plan.isForNewcomers ? newPlayer(dice, players.length) : dice.favourite(players);
        if (plan.isForNewcomers) players.push(player);
        planned.push(...storyOf(dice, plan, player, start + days * day, start, providerOf));
      }
    }
  }
  return planned.filter(({ at }) => at < now - minute).toSorted((a, b) => a.at - b.at);
}

function createOf(plan: CampaignPlan, start: Instant): CommandOf<'create_campaign'> {
  const [minCoefficient, maxCoefficient] = plan.coefficients;
  const { campaignId, bonusLimit, bonusLimitPerUser } = plan;
  const terms = {
    name: plan.name,
    quantity: plan.quantity,
    games: plan.games,
    validFrom: start + plan.validFrom * hour,
    validUntil: start + plan.validUntil * hour,
    durationMin: plan.durationMin,
    minCoefficient,
    maxCoefficient,
  };
  const betAmounts = new Map(Object.entries(plan.betAmounts));
  const hash = contentHash([terms, [...betAmounts], bonusLimit, bonusLimitPerUser]);
  return { kind: 'create_campaign', campaignId, terms, betAmounts, bonusLimit, bonusLimitPerUser, contentHash: hash };
}

/** The free bet that a player got on this day, and how it was used. */
function storyOf(
  dice: Dice,
  plan: CampaignPlan,
  player: Player,
  today: Instant,
  start: Instant,
  providerOf: (gameId: string) => string,
): PlannedCommand[] {
  const { campaignId } = plan;
  const { playerId, currency } = player;
  const issueId = dice.uuid();
  const from = Math.max(today, start + plan.created * hour);
  const issuedAt = Math.max(from + minute, today + dice.hourAround(player.hour) * hour);
  const hash = contentHash([campaignId, playerId, currency]);
  const issue: Command = { kind: 'issue_by_campaign', issueId, campaignId, playerId, currency, contentHash: hash };
  const planned: PlannedCommand[] = [{ at: issuedAt, command: issue, issueId }];
  if (dice.chance(0.025)) {
    const at = issuedAt + dice.next() * 2 * hour;
    return [...planned, { at, command: { kind: 'cancel_free_bet', issueId }, issueId }];
  }
  if (!dice.chance(plan.share * player.eagerness)) return planned;
  // Some players play at once, others the next evening. A few stop before the last bet.
  let at = Math.max(issuedAt, start + plan.validFrom * hour) + dice.skewed() * (dice.chance(0.6) ? 2 : 30) * hour;
  for (let bet = 0; bet < plan.quantity && !(bet > 0 && dice.chance(0.15)); bet++) {
    const gameId = dice.oneOf(plan.games);
    planned.push(...roundOf(dice, plan, player, { issueId, gameId, providerId: providerOf(gameId), at }));
    at += plan.roundMs * (1 + dice.skewed() * 4);
  }
  return planned;
}

interface Round {
  issueId: string;
  gameId: string;
  providerId: string;
  at: Instant;
}

function roundOf(
  dice: Dice,
  plan: CampaignPlan,
  player: Player,
  { issueId, gameId, providerId, at }: Round,
): PlannedCommand[] {
  const betId = dice.uuid();
  const given = { issueId, playerId: player.playerId, gameId, coefficient: null };
  const hash = contentHash(Object.values(given));
  const bet: Command = { kind: 'place_bet', providerId, betId, ...given, contentHash: hash };
  const [min] = plan.coefficients;
  const coefficient = Math.max(min, Math.round((player.nerve * (0.7 + dice.next() * 0.6)) / 100) * 100);
  // The house edge is four percent.
  const hasWon = dice.chance((0.96 * 10_000) / coefficient);
  const end: Command = dice.chance(0.015)
    ? { kind: 'roll_back_bet', providerId, betId }
    : hasWon
      ? { kind: 'settle_bet', providerId, betId, result: 'won', coefficient }
      : { kind: 'settle_bet', providerId, betId, result: 'lost', coefficient: null };
  return [
    { at, command: bet, issueId },
    { at: at + plan.roundMs * (0.5 + dice.next()), command: end, issueId },
  ];
}
