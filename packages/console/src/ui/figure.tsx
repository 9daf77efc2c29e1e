import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  name: string;
  about?: string;
  /** Where it stands by itself. */
  isPanel?: boolean;
  children: ReactNode;
}

/** One figure with its name, and what is to be known of it. */
export const Figure = ({ name, about, isPanel, children }: FigureProps) => (
  <Stack gap={2} role="group" aria-label={name} {...(isPanel && { className: 'panel', p: 'sm' })}>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text fw={600} component="div" className="figure">
      {children}
    </Text>
    {about && (
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    )}
  </Stack>
);
