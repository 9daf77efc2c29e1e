import type { GameListResponse } from '@freebets/contract';
import { Avatar } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../api/queries.ts';

const gamesOf = ({ providers }: GameListResponse) =>
  new Map(
    providers.flatMap(({ name, currencies, games }) =>
      games.map((game) => [game.id, { ...game, provider: name, currencies }] as const),
    ),
  );

/** Made for each answer one time: every row of a list asks, and there may be ten thousand games. */
const known = new WeakMap<GameListResponse, ReturnType<typeof gamesOf>>();
const none: ReturnType<typeof gamesOf> = new Map();

function gamesIn(answer: GameListResponse | undefined): ReturnType<typeof gamesOf> {
  if (answer === undefined) return none;
  const games = known.get(answer) ?? gamesOf(answer);
  known.set(answer, games);
  return games;
}

/** The games of a partner by their ids, with their pictures. */
export function useGames(clientId: number) {
  const { data } = useQuery({ ...asking('GameList', { client_id: clientId }), staleTime: 300_000 });
  const games = gamesIn(data);
  const pictureOf = (gameId: string, shape: 'square' | 'landscape' = 'square') => {
    const path = games.get(gameId)?.images[shape];
    return data && path ? `${data.image_assets.base_url}/${path}` : undefined;
  };
  return { games, pictureOf, titleOf: (gameId: string) => games.get(gameId)?.title ?? gameId };
}

interface GamePicturesProps {
  clientId: number;
  ids: string[];
  most?: number;
  /** Their titles stand beside the pictures. */
  isTitled?: boolean;
}

export function GamePictures({ clientId, ids, most = 3, isTitled = false }: GamePicturesProps) {
  const { pictureOf, titleOf } = useGames(clientId);
  return (
    <Avatar.Group spacing="sm">
      {ids.slice(0, most).map((id) => (
        <Avatar
          key={id}
          src={pictureOf(id) ?? null}
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
