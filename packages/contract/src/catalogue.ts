import { Currency, Cursor, closed, GameId, Limit, nullable, ProviderId, text } from './formats.ts';
import { Game, GameListResponse, ImageAssets } from './games.ts';
import { PartnerId } from './partners.ts';
import { Type } from './type.ts';

// The games as staff find them, and the catalogue as a file: compared with what is there, and imported.

const ProviderKey = Type.String({ ...ProviderId, description: 'The provider.' });

export const CatalogueGamesRequest = closed({
  search: Type.Optional(text(128, 'Part of the title or of the id')),
  ids: Type.Optional(
    Type.Array(GameId, { minItems: 1, maxItems: 500, uniqueItems: true, description: 'Only these games.' }),
  ),
  provider_id: Type.Optional(ProviderKey),
  currency: Type.Optional(Currency),
  free_bets: Type.Optional(Type.Boolean({ description: 'Only games that support free bets, or only others.' })),
  client_id: Type.Optional(Type.Integer({ ...PartnerId, description: 'Only games that this partner is offered.' })),
  limit: Type.Optional(Limit(1000, 100)),
  cursor: Type.Optional(Cursor),
});

export const CatalogueGamesResponse = closed({
  games: Type.Array(closed({ ...Game.properties, provider_id: ProviderKey }), {
    description: 'In the order of the catalogue.',
  }),
  total: Type.Integer({ description: 'How many match.' }),
  image_assets: ImageAssets,
  next_cursor: nullable(Type.String()),
});

export const CatalogueExportRequest = closed({});

const Version = Type.String({
  pattern: '^[0-9a-f]{64}$',
  'x-form': 'the version from an answer',
  description: 'Stands for one state of the catalogue.',
});

export const CatalogueDiffRequest = closed({ catalogue: GameListResponse });

/** The first of them, and how many there are. */
const some = <T extends Type.TSchema>(item: T) => closed({ total: Type.Integer(), first: Type.Array(item) });
const NamedGame = closed({ id: GameId, title: Type.String(), provider: Type.String() });

const diff = {
  added: some(NamedGame),
  changed: some(closed({ ...NamedGame.properties, fields: Type.Array(Type.String()) })),
  withdrawn: some(NamedGame),
  providers_added: some(closed({ name: Type.String() })),
  providers_changed: some(closed({ name: Type.String(), fields: Type.Array(Type.String()) })),
  is_reordered: Type.Boolean({ description: 'Games or providers that stay come in another order.' }),
  image_assets_changed: Type.Boolean(),
};
export const CatalogueDiff = closed(diff);
export type CatalogueDiff = Type.Static<typeof CatalogueDiff>;

export const CatalogueDiffResponse = closed({
  version: Type.String({ ...Version, description: 'Of the catalogue that it was compared with.' }),
  ...diff,
});

export const CatalogueImportRequest = closed({
  catalogue: GameListResponse,
  version: Type.Optional(
    Type.String({ ...Version, description: 'Refused where the catalogue is not this one any more.' }),
  ),
});

export const CatalogueImportResponse = closed({
  version: Type.String({ ...Version, description: 'Of the catalogue as it then is.' }),
  games: Type.Integer(),
  withdrawn: Type.Integer(),
  new_providers: Type.Array(ProviderKey, { description: 'They have no secret yet, and cannot call before they have.' }),
});
