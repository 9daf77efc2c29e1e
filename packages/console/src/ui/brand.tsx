import { Group, Image, Text } from '@mantine/core';
import { basePath } from '../api/base.ts';

/** The icon and the name of the product. */
export const Brand = ({ size = 26 }: { size?: number }) => (
  <Group gap="xs" wrap="nowrap">
    <Image src={`${basePath}/icon.svg`} alt="" w={size} h={size} />
    <Text span fw={700} fz={size > 30 ? 24 : 16}>
      Freebets
    </Text>
  </Group>
);
