import { Type } from 'typebox';
import * as story from './example-story.ts';
import { ClientId, Currency, Cursor, closed, GameId, Limit, nullable, ProviderId, text } from './formats.ts';
import type { OperationRows, StaffOperationRows } from './operation-types.ts';
import { PartnerId } from './partners.ts';

const path = text(512, 'The path of a picture, relative to `image_assets.base_url`');
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

const ImageAssets = closed({
  base_url: text(512, 'The prefix of image paths'),
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
      'Returns the games offered to this partner. The response is compressed if you accept that, and has an `ETag`.',
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

// Game search for staff, and comparison and import of the catalogue as a file.

const ProviderKey = Type.String({ ...ProviderId, description: 'The provider.' });

const CatalogueGamesRequest = closed({
  search: Type.Optional(text(128, 'Part of the title or of the id')),
  ids: Type.Optional(
    Type.Array(GameId, { minItems: 1, maxItems: 500, uniqueItems: true, description: 'Only these games.' }),
  ),
  provider_id: Type.Optional(ProviderKey),
  currency: Type.Optional(Currency),
  free_bets: Type.Optional(
    Type.Boolean({ description: 'True for games that support free bets, false for all others.' }),
  ),
  client_id: Type.Optional(Type.Integer({ ...PartnerId, description: 'Only games that are offered to this partner.' })),
  limit: Type.Optional(Limit(1000, 100)),
  cursor: Type.Optional(Cursor),
});

const CatalogueGamesResponse = closed({
  games: Type.Array(closed({ ...Game.properties, provider_id: ProviderKey }), {
    description: 'In the order of the ',
  }),
  total: Type.Integer({ description: 'The number of matches.' }),
  image_assets: ImageAssets,
  next_cursor: nullable(Type.String()),
});

const CatalogueExportRequest = closed({});

const Version = Type.String({
  pattern: '^[0-9a-f]{64}$',
  'x-form': 'the version from a response',
  description: 'The version of the ',
});

const CatalogueDiffRequest = closed({ catalogue: GameListResponse });

/** The total number, and the first items. */
const some = <T extends Type.TSchema>(item: T) => closed({ total: Type.Integer(), first: Type.Array(item) });
const NamedGame = closed({ id: GameId, title: Type.String(), provider: Type.String() });

const diff = {
  added: some(NamedGame),
  changed: some(closed({ ...NamedGame.properties, fields: Type.Array(Type.String()) })),
  withdrawn: some(NamedGame),
  providers_added: some(closed({ name: Type.String() })),
  providers_changed: some(closed({ name: Type.String(), fields: Type.Array(Type.String()) })),
  is_reordered: Type.Boolean({ description: 'Whether the remaining games or providers change their order.' }),
  image_assets_changed: Type.Boolean(),
};
export const CatalogueDiff = closed(diff);
export type CatalogueDiff = Type.Static<typeof CatalogueDiff>;

const CatalogueDiffResponse = closed({
  version: Type.String({ ...Version, description: 'The version of the catalogue that the file was compared with.' }),
  ...diff,
});

const CatalogueImportRequest = closed({
  catalogue: GameListResponse,
  version: Type.Optional(
    Type.String({
      ...Version,
      description:
        'The version that the import was compared with. If the catalogue has changed since, the import is ' +
        'refused.',
    }),
  ),
});

const CatalogueImportResponse = closed({
  version: Type.String({ ...Version, description: 'The version of the catalogue after the import.' }),
  games: Type.Integer(),
  withdrawn: Type.Integer(),
  new_providers: Type.Array(ProviderKey, {
    description: "The new providers. They have no secret yet and can't call until they have one.",
  }),
});

const tag = 'Catalogue';
/** Ten thousand games take about 4 MiB. */
const maxBody = 16 * 1024 * 1024;

export const catalogueOperations = {
  CatalogueGames: {
    tag,
    summary: 'Find games',
    request: CatalogueGamesRequest,
    response: CatalogueGamesResponse,
    errors: ['partner_not_found'],
  },
  CatalogueExport: {
    tag,
    summary: 'Export the catalogue as a file',
    request: CatalogueExportRequest,
    response: { file: 'application/json' },
    errors: [],
  },
  CatalogueDiff: {
    tag,
    summary: 'Compare a file with the catalogue',
    request: CatalogueDiffRequest,
    response: CatalogueDiffResponse,
    errors: [],
    maxBody,
  },
  CatalogueImport: {
    tag,
    summary: "Import a catalogue file; games that it doesn't contain are withdrawn",
    request: CatalogueImportRequest,
    response: CatalogueImportResponse,
    errors: ['catalogue_changed'],
    maxBody,
  },
} as const satisfies Partial<StaffOperationRows>;
