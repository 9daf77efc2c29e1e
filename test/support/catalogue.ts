import type { GameListResponse } from '@freebets/contract';
import demo from '../../packages/server/src/demo/catalogue.json' with { type: 'json' };

export type { GameListResponse };
export type Game = GameListResponse['providers'][number]['games'][number];

/** A copy of the demo catalogue that a test may change. */
export const demoCatalogue = (): GameListResponse => structuredClone(demo);

export const game = (id: string, changes: Partial<Game> = {}): Game => ({
  id,
  title: `Title of ${id}`,
  category: 'BetOnGames',
  promoTypes: ['FreeBet'],
  images: {
    landscape: `games/${encodeURIComponent(id)}/landscape.svg`,
    portrait: `games/${encodeURIComponent(id)}/portrait.svg`,
    square: `games/${encodeURIComponent(id)}/square.svg`,
  },
  ...changes,
});
