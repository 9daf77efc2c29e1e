import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface DetailsProps {
  title: string;
  actions?: ReactNode;
  /** What it is called, and what it is. */
  rows?: [string, ReactNode][];
  /** Where something in the address leads to it. */
  id?: string;
  children?: ReactNode;
}

/** A part of a screen about one thing: what is known of it, and what can be done with it. */
export const Details = ({ title, actions, rows = [], id, children }: DetailsProps) => (
  <Stack component="section" aria-label={title} id={id} className="panel" p="md" gap="sm">
    <Group justify="space-between" gap="xs" mih={30}>
      <Title order={2}>{title}</Title>
      <Group gap="xs">{actions}</Group>
    </Group>
    {rows.length > 0 && (
      <dl className="details">
        {rows.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm">
              {value}
            </Text>
          </div>
        ))}
      </dl>
    )}
    {children}
  </Stack>
);
