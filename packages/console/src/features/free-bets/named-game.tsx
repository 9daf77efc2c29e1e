import { Avatar, Group, Text } from '@mantine/core';
import { useGames } from '../../ui/games.ts';

/** The picture of a game with its title beside it, which is read out one time. */
export function NamedGame({ id }: { id: string }) {
  const { pictureOf, titleOf } = useGames([id]);
  return (
    <Group gap="xs" wrap="nowrap">
      <Avatar src={pictureOf(id)} alt="" radius="sm" size={32} />
      <Text size="sm">{titleOf(id)}</Text>
    </Group>
  );
}
