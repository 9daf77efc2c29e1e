import { Avatar } from '@mantine/core';
import { useGames } from './games.ts';

interface GamePicturesProps {
  ids: string[];
  most?: number;
  /** Their titles stand beside the pictures. */
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
