import { Avatar } from '@mantine/core';
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { type CallResponse, call } from '../api/call.ts';
import { callQuery } from '../api/queries.ts';

// Games by ID. Each row of a list loads its own games: lookups of the same moment share one request, and known games
// are cached.

type Answer = CallResponse<'CatalogueGames'>;
export type KnownGame = Answer['games'][number] & { picturesAt: string };

/** The maximum per request. */
const maxPerRequest = 500;

let waiting = new Map<
  string,
  { promise: Promise<KnownGame | null>; answer(game: KnownGame | null): void; fail(error: unknown): void }
>();

async function askAll(): Promise<void> {
  const asked = waiting;
  waiting = new Map();
  const ids = [...asked.keys()];
  for (let first = 0; first < ids.length; first += maxPerRequest) {
    const some = ids.slice(first, first + maxPerRequest);
    try {
      const { games, image_assets } = await call('CatalogueGames', { ids: some, limit: maxPerRequest });
      const found = new Map(games.map((game) => [game.id, { ...game, picturesAt: image_assets.base_url }]));
      for (const id of some) asked.get(id)?.answer(found.get(id) ?? null);
    } catch (error) {
      for (const id of some) asked.get(id)?.fail(error);
    }
  }
}

/** Null if the game was withdrawn from the catalogue. */
function loadGame(id: string): Promise<KnownGame | null> {
  if (waiting.size === 0) setTimeout(() => askAll().catch(reportError));
  const known = waiting.get(id);
  if (known) return known.promise;
  const { promise, resolve, reject } = Promise.withResolvers<KnownGame | null>();
  waiting.set(id, { promise, answer: resolve, fail: reject });
  return promise;
}

export function useGames(ids: readonly string[]) {
  return useQueries({
    queries: [...new Set(ids)].map((id) => ({
      queryKey: ['CatalogueGames', 'one', id],
      queryFn: () => loadGame(id),
      staleTime: 300_000,
    })),
    combine: byId,
  });
}

function byId(results: UseQueryResult<KnownGame | null>[]) {
  const games = new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])));
  return {
    games,
    isPending: results.some((result) => result.isPending),
    error: results.find(({ data, error }) => error && data === undefined)?.error ?? null,
    /** Reloads the games that failed to load. */
    retry: () => void results.filter(({ isError }) => isError).map(({ refetch }) => refetch()),
    pictureOf(id: string): string | null {
      const game = games.get(id);
      return game ? `${game.picturesAt}/${game.images.square}` : null;
    },
    titleOf: (id: string): string => games.get(id)?.title ?? id,
  };
}

interface GamePicturesProps {
  ids: string[];
  most?: number;
  /** The titles are next to the pictures, so the pictures need no alternative text. */
  isTitled?: boolean;
}

export function GamePictures({ ids, most = 3, isTitled = false }: GamePicturesProps) {
  const shown = ids.slice(0, most);
  const { pictureOf, titleOf } = useGames(shown);
  return (
    <Avatar.Group spacing="sm">
      {shown.map((id) => (
        <Avatar
          key={id}
          src={pictureOf(id)}
          alt={isTitled ? '' : titleOf(id)}
          title={titleOf(id)}
          radius="sm"
          size={32}
        />
      ))}
      {ids.length > most && (
        <Avatar radius="sm" size={32} aria-label={`${ids.length - most} more games`}>
          +{ids.length - most}
        </Avatar>
      )}
    </Avatar.Group>
  );
}

/** The currencies that all chosen games support. */
export function useFittingCurrencies(ids: string[]) {
  const { games, ...read } = useGames(ids);
  const { data, error, refetch } = useQuery(callQuery('ProviderList', {}));
  const used = new Set([...games.values()].map(({ provider_id }) => provider_id));
  const taken = (data?.providers ?? []).flatMap(({ provider_id, currencies }) =>
    used.has(provider_id) ? [new Set(currencies)] : [],
  );
  const [first, ...others] = taken;
  return {
    currencies: [...(first ?? [])].filter((currency) => others.every((each) => each.has(currency))),
    isPending: read.isPending || (!data && !error),
    error: read.error ?? (data ? null : error),
    retry() {
      read.retry();
      if (error) void refetch();
    },
  };
}
