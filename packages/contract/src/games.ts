import * as story from './example-story.ts';
import { ClientId, Currency, closed, GameId, text } from './formats.ts';
import type { OperationRows } from './operation-types.ts';
import { Type } from './type.ts';

const path = text(512, 'Path of a picture, relative to `image_assets.base_url`');
const Pixels = Type.String({
  pattern: '^[1-9]\\d{0,4}$',
  'x-form': 'a number of pixels, such as "800"',
  description: 'Pixels, as a string.',
});
const Size = closed({ width: Pixels, height: Pixels });

export const Game = closed({
  id: GameId,
  title: text(255, 'Display title'),
  category: text(64, 'Game category, such as `BetOnGames`'),
  promoTypes: Type.Array(text(64, 'A promotion type, such as `FreeBet`'), { maxItems: 20, uniqueItems: true }),
  images: closed({ landscape: path, portrait: path, square: path }),
});

const Provider = closed({
  name: text(128, 'Name of the provider'),
  currencies: Type.Array(Currency, { minItems: 1, maxItems: 300, uniqueItems: true }),
  games: Type.Array(Game, { maxItems: 10_000 }),
});

export const GameListRequest = closed({ client_id: ClientId });
export type GameListRequest = Type.Static<typeof GameListRequest>;

export const ImageAssets = closed({
  base_url: text(512, 'Address prefix for image paths'),
  presets: closed({ game: closed({ landscape: Size, portrait: Size, square: Size }) }),
});

export const GameListResponse = closed({
  providers: Type.Array(Provider, { maxItems: 1000 }),
  image_assets: ImageAssets,
});
export type GameListResponse = Type.Static<typeof GameListResponse>;

export const gameOperations = {
  GameList: {
    tag: 'Game catalogue',
    summary: 'List the games',
    description:
      'The games offered to this partner. Compressed when you accept it; send the `ETag` back as `If-None-Match` and ' +
      'an unchanged list is answered with 304 and no body.',
    request: GameListRequest,
    response: GameListResponse,
    errors: [],
    example: {
      request: { client_id: 1 },
      response: {
        providers: [
          {
            name: 'Lantern Quay',
            currencies: ['EUR', 'USD'],
            games: [
              {
                id: 'lantern-skyline-ascent',
                title: 'Skyline Ascent',
                category: 'CrashGames',
                promoTypes: ['FreeBet'],
                images: {
                  landscape: 'games/lantern-skyline-ascent/landscape.svg',
                  portrait: 'games/lantern-skyline-ascent/portrait.svg',
                  square: 'games/lantern-skyline-ascent/square.svg',
                },
              },
            ],
          },
        ],
        image_assets: {
          base_url: 'https://cdn.example.com/assets',
          presets: {
            game: {
              landscape: story.picture,
              portrait: { width: '450', height: '800' },
              square: { width: '600', height: '600' },
            },
          },
        },
      },
    },
  },
} as const satisfies Partial<OperationRows>;
