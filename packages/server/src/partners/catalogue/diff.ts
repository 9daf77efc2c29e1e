import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogueDiffBody, GameListResponse } from '@freebets/contract';

// A preview of what an import would change.

type Provider = GameListResponse['providers'][number];
type Game = Provider['games'][number];
type Owned = Game & { provider: string };

/** The most entries listed per kind of change; the rest is only counted. */
const maxShown = 200;

/** Identifies one state of the catalogue. */
export const versionOf = (catalogue: GameListResponse): string =>
  createHash('sha256').update(JSON.stringify(catalogue)).digest('hex');

const sample = <T, Shown>(all: readonly T[], show: (item: T) => Shown) => ({
  total: all.length,
  first: all.slice(0, maxShown).map(show),
});

const gamesById = ({ providers }: GameListResponse): Map<string, Owned> =>
  new Map(providers.flatMap(({ name, games }) => games.map((game) => [game.id, { ...game, provider: name }])));

const providersByName = ({ providers }: GameListResponse): Map<string, Provider> =>
  new Map(providers.map((provider) => [provider.name, provider]));

const named = ({ id, title, provider }: Owned) => ({ id, title, provider });

const fieldsOfGame = ['title', 'category', 'promoTypes', 'images'] as const;

const changedFields = (from: Game, to: Game): string[] =>
  fieldsOfGame.filter((field) => !isDeepStrictEqual(from[field], to[field]));

/** The keys that are in both maps, in the order of the first. */
const commonKeys = (one: ReadonlyMap<string, unknown>, two: ReadonlyMap<string, unknown>): string[] =>
  [...one.keys()].filter((key) => two.has(key));

/** Expects catalogues that have passed the checks of an import. */
export function diffCatalogues(present: GameListResponse, next: GameListResponse): CatalogueDiffBody {
  const [games, nextGames] = [gamesById(present), gamesById(next)];
  const [providers, nextProviders] = [providersByName(present), providersByName(next)];
  const changed = [...nextGames.values()].flatMap((game) => {
    const before = games.get(game.id);
    const fields = before ? changedFields(before, game) : [];
    return fields.length > 0 ? [{ ...named(game), fields }] : [];
  });
  const changedProviders = next.providers.filter(({ name, currencies }) => {
    const before = providers.get(name);
    return before !== undefined && !isDeepStrictEqual(before.currencies, currencies);
  });
  const isReordered = [
    [games, nextGames],
    [providers, nextProviders],
  ].some(([one, two]) => one && two && !isDeepStrictEqual(commonKeys(one, two), commonKeys(two, one)));
  return {
    added: sample(
      [...nextGames.values()].filter(({ id }) => !games.has(id)),
      named,
    ),
    changed: sample(changed, (game) => game),
    withdrawn: sample(
      [...games.values()].filter(({ id }) => !nextGames.has(id)),
      named,
    ),
    providers_added: sample(
      next.providers.filter(({ name }) => !providers.has(name)),
      ({ name }) => ({ name }),
    ),
    providers_changed: sample(changedProviders, ({ name }) => ({ name, fields: ['currencies'] })),
    is_reordered: isReordered,
    image_assets_changed: !isDeepStrictEqual(present.image_assets, next.image_assets),
  };
}
