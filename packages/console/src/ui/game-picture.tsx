import { Avatar } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../api/queries.ts';

/** The games of a partner by their ids, with their pictures. */
export function useGames(clientId: number) {
  const { data } = useQuery({ ...asking('GameList', { client_id: clientId }), staleTime: 300_000 });
  const games = new Map(
    (data?.providers ?? []).flatMap(({ name, games }) => games.map((game) => [game.id, { ...game, provider: name }])),
  );
  const pictureOf = (gameId: string, shape: 'square' | 'landscape' = 'square') => {
    const path = games.get(gameId)?.images[shape];
    return data && path ? `${data.image_assets.base_url}/${path}` : undefined;
  };
  return { games, pictureOf, titleOf: (gameId: string) => games.get(gameId)?.title ?? gameId };
}

export function GamePictures({ clientId, ids, most = 3 }: { clientId: number; ids: string[]; most?: number }) {
  const { pictureOf, titleOf } = useGames(clientId);
  return (
    <Avatar.Group spacing="sm">
      {ids.slice(0, most).map((id) => (
        <Avatar key={id} src={pictureOf(id) ?? null} alt={titleOf(id)} title={titleOf(id)} radius="sm" size={32} />
      ))}
      {ids.length > most && (
        <Avatar radius="sm" size={32} aria-label={`${ids.length - most} more games`}>
          +{ids.length - most}
        </Avatar>
      )}
    </Avatar.Group>
  );
}
