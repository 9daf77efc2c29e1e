import assert from 'node:assert/strict';
import type { GameListResponse } from '@freebets/contract';
import type { Connection } from '../../engine/connection.ts';
import { type ReadyBytes, readyBytes } from '../../primitives/ready-bytes.ts';
import type { PartnerTerms } from '../callers/sql/partners.ts';
import { listProviders, type Provider } from '../callers/sql/providers.ts';
import type { Offer, PartnerProfile } from '../profile.ts';
import { drawPicture, isPictureShape } from './pictures.ts';
import { type ImageAssets, listGames, readGameOwners, readImageAssets, type StoredGame } from './sql.ts';

// The games offered to each partner, as a map for the rules and as response bytes of the game list. Partners with the
// same offered providers share both, and both are built on first use.

export interface Catalogue {
  /** An unknown partner gets an empty offer. */
  profileOf(clientId: number): PartnerProfile;
  isSandbox(clientId: number): boolean;
  /** Every partner, disabled or not. */
  partners: Pick<ReadonlyMap<number, unknown>, 'has'>;
  providers: ReadonlySet<string>;
  gameList(clientId: number): Promise<ReadyBytes>;
  /** All games of the catalogue that are not withdrawn, in catalogue order. */
  games: readonly StoredGame[];
  providerOf(providerId: string): Provider | undefined;
  /** The providers offered to a partner. */
  offersOf(clientId: number): readonly string[];
  /** Has this server's address if this server draws the pictures. */
  imageAssets(): ImageAssets;
  /** An SVG; undefined if the game or the shape is unknown. */
  picture(gameId: string, shape: string): string | undefined;
}

interface CatalogueRows {
  providers: Provider[];
  games: StoredGame[];
  imageAssets: ImageAssets;
}

const defaultAssets: ImageAssets = {
  base_url: '/assets',
  presets: {
    game: {
      landscape: { width: '800', height: '450' },
      portrait: { width: '450', height: '600' },
      square: { width: '600', height: '600' },
    },
  },
};

const noProviders: readonly string[] = [];

/** Reads `partners` at each call, so later changes of the map take effect. */
export async function loadCatalogue(
  connection: Connection,
  publicUrl: () => string,
  partners: ReadonlyMap<number, PartnerTerms>,
): Promise<Catalogue> {
  const owners = await readGameOwners(connection);
  const rows: CatalogueRows = {
    providers: await listProviders(connection),
    games: await listGames(connection),
    imageAssets: (await readImageAssets(connection)) ?? defaultAssets,
  };
  const providersById = new Map(rows.providers.map((provider) => [provider.provider_id, provider]));
  const byId = new Map(rows.games.map((game) => [game.id, game]));
  const providersOf = (clientId: number) => partners.get(clientId)?.offers ?? noProviders;
  const imageAssets = () => withHost(rows.imageAssets, publicUrl());
  const offer = memoized((ids) => offerOf(rows, ids));
  const list = memoized((ids) =>
    readyBytes(JSON.stringify(gameListBody({ ...rows, imageAssets: imageAssets() }, ids))),
  );
  const isSandbox = (clientId: number) => partners.get(clientId)?.isSandbox ?? false;
  return {
    isSandbox,
    profileOf: (clientId) => ({
      offer: offer(providersOf(clientId)),
      stakeReturned: partners.get(clientId)?.stakeReturned ?? false,
      isSandbox: isSandbox(clientId),
      providerOf: (gameId) => owners.get(gameId),
    }),
    partners,
    providers: new Set(providersById.keys()),
    gameList: (clientId) => list(providersOf(clientId)),
    games: rows.games,
    providerOf: (providerId) => providersById.get(providerId),
    offersOf: providersOf,
    imageAssets,
    picture: (gameId, shape) => pictureOf(byId.get(gameId), shape, rows.imageAssets),
  };
}

function pictureOf(game: StoredGame | undefined, shape: string, { presets }: ImageAssets): string | undefined {
  if (game === undefined || !isPictureShape(shape)) return undefined;
  const { width, height } = presets.game[shape];
  return drawPicture(game, shape, { width: Number(width), height: Number(height) });
}

/** A base URL without a host means that this server draws the pictures. */
const withHost = (assets: ImageAssets, publicUrl: string): ImageAssets =>
  assets.base_url.startsWith('/') ? { ...assets, base_url: publicUrl + assets.base_url } : assets;

/**
 * Builds one value per set of providers. A WeakMap by list skips building the key on every request, and values that no
 * list uses any more are collected.
 */
function memoized<T extends object>(make: (providerIds: Set<string>) => T): (providerIds: readonly string[]) => T {
  const made = new Map<string, WeakRef<T>>();
  const ofPartners = new WeakMap<readonly string[], T>();
  const makeFor = (key: string, providerIds: readonly string[]): T => {
    for (const [other, value] of made) if (value.deref() === undefined) made.delete(other);
    const value = make(new Set(providerIds));
    made.set(key, new WeakRef(value));
    return value;
  };
  const find = (providerIds: readonly string[]): T => {
    const key = providerIds.join(' ');
    const value = made.get(key)?.deref() ?? makeFor(key, providerIds);
    ofPartners.set(providerIds, value);
    return value;
  };
  return (providerIds) => ofPartners.get(providerIds) ?? find(providerIds);
}

function offerOf({ providers, games }: CatalogueRows, providerIds: Set<string>): Offer {
  const currencies = new Map(providers.map((provider) => [provider.provider_id, new Set(provider.currencies)]));
  return new Map(
    games
      .filter((game) => providerIds.has(game.providerId))
      .map(({ id, providerId, promoTypes }) => {
        const accepted = currencies.get(providerId);
        assert(accepted, 'every game has a provider');
        return [id, { providerId, freeBets: promoTypes.includes('FreeBet'), currencies: accepted }];
      }),
  );
}

/** The export of the catalogue has the same shape, with every provider. */
function gameListBody({ providers, games, imageAssets }: CatalogueRows, providerIds: Set<string>): GameListResponse {
  const byProvider = Map.groupBy(games, (game) => game.providerId);
  return {
    providers: providers
      .filter((provider) => providerIds.has(provider.provider_id))
      .map((provider) => ({
        name: provider.name,
        currencies: provider.currencies,
        games: (byProvider.get(provider.provider_id) ?? []).map(({ providerId: _, ...game }) => game),
      })),
    image_assets: imageAssets,
  };
}

export async function exportCatalogue(connection: Connection): Promise<GameListResponse> {
  const providers = await listProviders(connection);
  const imageAssets = (await readImageAssets(connection)) ?? defaultAssets;
  const all = new Set(providers.map((provider) => provider.provider_id));
  return gameListBody({ providers, games: await listGames(connection), imageAssets }, all);
}
