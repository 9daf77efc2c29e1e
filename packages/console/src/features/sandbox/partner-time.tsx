import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { exactText } from '../../ui/time.tsx';

const useClock = (clientId: number | undefined) =>
  useQuery({
    ...asking('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined,
  }).data?.clock;

/** What time it is for a partner, in milliseconds: a sandbox may be ahead. For several it is that of the world. */
export function usePartnerNow(clientId: number | undefined): number {
  const clock = useClock(clientId);
  return Date.now() + (clock?.offset_s ?? 0) * 1000;
}

/** Beside fields for times that a sandbox will hold against its own. */
export function SandboxTime({ clientId }: { clientId: number }) {
  const clock = useClock(clientId);
  if (!clock) return null;
  return (
    <Text size="sm" c="dimmed">
      This partner is a sandbox: for it, it is {exactText(clock.now)}.
    </Text>
  );
}
