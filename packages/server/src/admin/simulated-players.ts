import { randomUUID } from 'node:crypto';
import {
  FreebetsError,
  type GameListResponse,
  type IssueResponse,
  type Partner,
  type Provider,
} from '@freebets/client';
import { demoProviderOf, fromNowOn } from '../demo/demo.ts';

// Simulates an evening of the demo. Partners start campaigns and issue free bets, players use them, and bets are
// settled or rolled back soon after. Some free bets are cancelled. This module knows only its own calls; the service
// decides and may refuse them.

export interface Act {
  client_id: number;
  player_id?: string;
  did: 'campaign' | 'issued' | 'bet' | 'won' | 'lost' | 'rolled_back' | 'cancelled';
  /** The number of bets in a free bet. */
  quantity?: number;
  /** The amount of one bet; for a win, the winnings. */
  amount?: string;
  currency?: string;
  /** The name of the campaign. */
  campaign?: string;
  game_id?: string;
  coefficient?: string;
}

interface FreeBet {
  issue_id: string;
  player_id: string;
  quantity: number;
  remaining: number;
  games: string[];
  amount: string;
  currency: string;
}

interface Bet {
  bet_id: string;
  game: DemoGame;
  freeBet: FreeBet;
  placedAt: number;
}

export interface DemoGame {
  gameId: string;
  providerId: string;
  secret: string;
  currencies: string[];
}

interface Campaign {
  campaign_id: string;
  name: string;
  currencies: string[];
}

export interface SimulatedPartner {
  client: Partner;
  games: DemoGame[];
  campaigns: Campaign[];
  freeBets: FreeBet[];
  bets: Bet[];
}

export interface Simulation {
  partners: SimulatedPartner[];
  players: number;
  providerOf(game: DemoGame): Provider;
}

const dayMs = 24 * 3600 * 1000;
/** How long a round lasts. */
const roundMs = 2500;
const maxCampaigns = 6;
/** Older free bets are forgotten, and stay unused. */
const maxFreeBets = 500;

const names = [
  'ada',
  'bela',
  'carlo',
  'dora',
  'emil',
  'freya',
  'goran',
  'hana',
  'ivo',
  'jana',
  'kofi',
  'lena',
  'milo',
  'nora',
];
const occasions = ['Evening', 'Weekend', 'Harvest', 'Derby', 'Midnight', 'Welcome', 'Rainy day', 'Birthday'];
const gifts = ['flights', 'spins', 'tickets', 'kites', 'comets', 'rounds'];
const amounts = ['0.20', '0.50', '1.00', '1.00', '2.00', '5.00'];

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
const randomUpTo = (most: number): number => 1 + Math.floor(Math.random() * most);
const chance = (share: number): boolean => Math.random() < share;

export function simulatedPartner(client: Partner, { providers }: GameListResponse): SimulatedPartner {
  const games = providers.flatMap(({ games, currencies }) =>
    games.flatMap(({ id, promoTypes }) => {
      const provider = promoTypes.includes('FreeBet') ? demoProviderOf(id) : undefined;
      return provider === undefined ? [] : [{ gameId: id, currencies, ...provider }];
    }),
  );
  return { client, games, campaigns: [], freeBets: [], bets: [] };
}

/** Picks some players more often than others. */
function somePlayer({ players }: Simulation): string {
  const number = Math.floor(players * Math.random() ** 2);
  return `${names[number % names.length]}-${number + 1}`;
}

/** Does the next act, mostly for the first partner. */
export function nextAct(simulation: Simulation): Promise<Act> {
  const [first, second = first] = simulation.partners;
  const partner = (chance(0.2) ? second : first) as SimulatedPartner;
  const due = partner.bets.find(({ placedAt }) => performance.now() - placedAt > roundMs);
  if (partner.campaigns.length === 0 || chance(0.005)) return startCampaign(partner);
  if (due !== undefined && !chance(0.3)) return endRound(simulation, partner, due);
  const usable = partner.freeBets.filter(({ remaining }) => remaining > 0);
  const unused = usable.filter(({ quantity, remaining }) => remaining === quantity);
  if (unused.length > 0 && chance(0.02)) return cancel(partner, pick(unused));
  if (usable.length > randomUpTo(40)) return placeBet(simulation, partner, pick(usable));
  return chance(0.25) ? issueDirectly(simulation, partner) : issueFrom(simulation, partner, pick(partner.campaigns));
}

/** Functions that end the open rounds, one each. */
export const roundsToEnd = (simulation: Simulation): (() => Promise<Act>)[] =>
  simulation.partners.flatMap((partner) => partner.bets.map((bet) => () => endRound(simulation, partner, bet)));

async function startCampaign(partner: SimulatedPartner): Promise<Act> {
  const { client } = partner;
  const { providerId, currencies } = pick(partner.games);
  const games = partner.games.filter((game) => game.providerId === providerId).slice(0, randomUpTo(4));
  const name = `${pick(occasions)} ${pick(gifts)}`;
  const given = currencies.slice(0, 2);
  const now = await timeOf(partner);
  const { campaign_id } = await client.campaigns.create({
    campaign_id: randomUUID(),
    name,
    quantity: randomUpTo(5),
    valid_from: new Date(now).toISOString(),
    valid_until: new Date(now + randomUpTo(14) * dayMs).toISOString(),
    games: games.map(({ gameId }) => gameId),
    bet_amounts: given.map((currency) => ({ currency, amount: pick(amounts) })),
    config: { bonus_limit: 100 * randomUpTo(20), min_coefficient: '1.10', max_coefficient: '20.00' },
  });
  partner.campaigns = [{ campaign_id, name, currencies: given }, ...partner.campaigns].slice(0, maxCampaigns);
  return { client_id: client.clientId, did: 'campaign', campaign: name };
}

/** The time by the partner's clock, which anyone may set forward at any time. */
async function timeOf({ client }: SimulatedPartner): Promise<number> {
  try {
    return Date.parse((await client.sandbox.clockGet()).now);
  } catch (error) {
    if (error instanceof FreebetsError && error.name === 'not_a_sandbox') return Date.now();
    throw error;
  }
}

async function issueFrom(simulation: Simulation, partner: SimulatedPartner, campaign: Campaign): Promise<Act> {
  const { client } = partner;
  const { campaign_id, name, currencies } = campaign;
  const player = { player_id: somePlayer(simulation), currency: pick(currencies) };
  // A campaign that refuses to issue stays removed, and ends by itself.
  partner.campaigns = partner.campaigns.filter((other) => other !== campaign);
  const issued = await client.freeBets.issue({ issue_id: randomUUID(), campaign_id, ...player });
  partner.campaigns.push(campaign);
  return remember(partner, issued, { campaign: name });
}

async function issueDirectly(simulation: Simulation, partner: SimulatedPartner): Promise<Act> {
  const { client } = partner;
  const { gameId, currencies } = pick(partner.games);
  const issued = await client.freeBets.issue({
    issue_id: randomUUID(),
    player_id: somePlayer(simulation),
    currency: pick(currencies.slice(0, 2)),
    bet_amount: pick(amounts),
    quantity: randomUpTo(3),
    games: [gameId],
    ...fromNowOn(24 * 60),
  });
  return remember(partner, issued, { game_id: gameId });
}

function remember(partner: SimulatedPartner, issued: IssueResponse, where: Partial<Act>): Act {
  const { issue_id, player_id, quantity, games, bet_amount: amount, currency } = issued;
  const freeBet = { issue_id, player_id, quantity, remaining: quantity, games, amount, currency };
  partner.freeBets = [freeBet, ...partner.freeBets.filter(({ remaining }) => remaining > 0)].slice(0, maxFreeBets);
  return { client_id: partner.client.clientId, player_id, did: 'issued', quantity, amount, currency, ...where };
}

async function placeBet({ providerOf }: Simulation, partner: SimulatedPartner, freeBet: FreeBet): Promise<Act> {
  const client_id = partner.client.clientId;
  const { issue_id, player_id } = freeBet;
  const game = pick(partner.games.filter(({ gameId }) => freeBet.games.includes(gameId)));
  const bet_id = randomUUID();
  const where = { client_id, player_id, game_id: game.gameId };
  // Set to 0 before the call, so that a refused free bet is not tried again.
  const { remaining } = freeBet;
  freeBet.remaining = 0;
  await providerOf(game).rounds.bet({ ...where, bet_id, issue_id });
  freeBet.remaining = remaining - 1;
  partner.bets.push({ bet_id, game, freeBet, placedAt: performance.now() });
  const { amount, currency } = freeBet;
  return { client_id, player_id, did: 'bet', amount, currency, game_id: game.gameId };
}

async function endRound({ providerOf }: Simulation, partner: SimulatedPartner, bet: Bet): Promise<Act> {
  const { bet_id, game, freeBet } = bet;
  const { player_id, amount, currency } = freeBet;
  const client_id = partner.client.clientId;
  const { rounds } = providerOf(game);
  const round = { client_id, bet_id };
  const act = { client_id, player_id, game_id: game.gameId, currency };
  partner.bets = partner.bets.filter((other) => other !== bet);
  if (chance(0.04)) {
    await rounds.rollback(round);
    freeBet.remaining += 1;
    return { ...act, did: 'rolled_back', amount };
  }
  if (chance(0.55)) {
    await rounds.settle({ ...round, result: 'lost' });
    return { ...act, did: 'lost', amount };
  }
  const coefficient = (1.1 - Math.log(1 - Math.random() * 0.999)).toFixed(2);
  const { win_amount } = await rounds.settle({ ...round, result: 'won', coefficient });
  return { ...act, did: 'won', amount: win_amount, coefficient };
}

async function cancel(partner: SimulatedPartner, freeBet: FreeBet): Promise<Act> {
  const { client } = partner;
  const { issue_id, player_id, quantity, amount, currency } = freeBet;
  freeBet.remaining = 0;
  await client.freeBets.cancel({ issue_id });
  return { client_id: client.clientId, player_id, did: 'cancelled', quantity, amount, currency };
}
