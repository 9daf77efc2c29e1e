import type { FreeBetBody } from '@freebets/contract';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { FoundEvents } from '../events/found-events.tsx';

/** Its events. They are searched for in all events of the partner, and only when somebody asks. */
export function EventsOf({ clientId, freeBet: { issue_id, issued_at } }: { clientId: number; freeBet: FreeBetBody }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Stack gap="xs" component="section" aria-label="Events">
      <Group justify="space-between">
        <Title order={2}>Events</Title>
        {!isAsked && (
          <Button size="xs" variant="default" onClick={() => setIsAsked(true)}>
            Find its events
          </Button>
        )}
      </Group>
      {isAsked ? (
        <FoundEvents clientId={clientId} of={{ issue_id, from: issued_at }} />
      ) : (
        <Text size="xs" c="dimmed">
          What the partner was sent about this free bet.
        </Text>
      )}
    </Stack>
  );
}
