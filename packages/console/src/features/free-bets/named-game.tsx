import { Avatar, Group, Text } from '@mantine/core';
import { useGames } from '../../ui/game-picture.tsx';

/** The picture of a game with its title beside it, which is read out one time. */
export function NamedGame({ clientId, id }: { clientId: number; id: string }) {
  const { pictureOf, titleOf } = useGames(clientId);
  return (
    <Group gap="xs" wrap="nowrap">
      <Avatar src={pictureOf(id) ?? null} alt="" radius="sm" size={32} />
      <Text size="sm">{titleOf(id)}</Text>
    </Group>
  );
}
