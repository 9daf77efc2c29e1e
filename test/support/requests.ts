import { readFileSync } from 'node:fs';
import type { GameListResponse } from '@freebets/contract';

// Requests that are valid as they are, on the demo catalogue; tests change one thing at a time.

const catalogue: GameListResponse = JSON.parse(
  readFileSync(new URL('../../packages/server/src/demo/catalogue.json', import.meta.url), 'utf8'),
);

const gamesWhere = (wanted: boolean, provider: number) =>
  catalogue.providers[provider]?.games
    .filter((game) => game.promoTypes.includes('FreeBet') === wanted)
    .map((game) => game.id) ?? [];

const first = (ids: string[]) => ids[0] ?? '';

export const games = {
  ofFirstProvider: gamesWhere(true, 0),
  one: first(gamesWhere(true, 0)),
  ofSecondProvider: first(gamesWhere(true, 1)),
  withoutFreeBets: first([0, 1, 2].flatMap((provider) => gamesWhere(false, provider))),
};

/** Only the first provider supports this currency. */
export const currencyOfFirstOnly = 'BRL';

export const inDays = (days: number): string => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();

export const campaign = (changes: object = {}) => ({
  name: 'A campaign',
  quantity: 3,
  valid_from: inDays(-1),
  valid_until: inDays(30),
  games: [games.one],
  bet_amounts: [
    { currency: 'EUR', amount: '1.00' },
    { currency: 'USD', amount: '1.20' },
  ],
  ...changes,
});

export const directIssue = (changes: object = {}) => ({
  player_id: 'player-1',
  currency: 'EUR',
  bet_amount: '1.00',
  quantity: 3,
  games: [games.one],
  valid_until: inDays(30),
  ...changes,
});

/** A job of a campaign; its id is in lower case, as in responses. */
export const job = (campaign_id: string, changes: object = {}) => ({
  job_id: crypto.randomUUID(),
  name: 'A job',
  campaign_id,
  ...changes,
});

export const directJob = (changes: object = {}) => ({
  job_id: crypto.randomUUID(),
  name: 'A direct job',
  bet_amount: '1.00',
  quantity: 3,
  games: [games.one],
  valid_until: inDays(30),
  ...changes,
});

/** This many different players. */
export const jobItems = (count: number, prefix = 'player') =>
  Array.from({ length: count }, (_, i) => ({ player_id: `${prefix}-${i}`, currency: 'EUR' }));
