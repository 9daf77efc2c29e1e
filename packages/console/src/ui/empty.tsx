import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Where there is nothing yet: what it would show, and what to do first. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <Stack align="center" gap="xs" py="xl" px="md" className="panel">
    <Text fw={600} ta="center" className="name">
      {title}
    </Text>
    {children && (
      <Text c="dimmed" size="sm" ta="center" component="div">
        {children}
      </Text>
    )}
  </Stack>
);
