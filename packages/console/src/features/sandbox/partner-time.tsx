import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { callQuery } from '../../api/queries.ts';
import { exactText } from '../../ui/time.tsx';

const usePartner = (clientId: number | undefined) =>
  useQuery({ ...callQuery('PartnerGet', { client_id: clientId ?? 0 }), enabled: clientId !== undefined });

/** A partner's current time in milliseconds: a sandbox's clock can be ahead. Real time for several partners. */
export function usePartnerNow(clientId: number | undefined): number {
  const { data } = usePartner(clientId);
  return Date.now() + (data?.clock?.offset_s ?? 0) * 1000;
}

/** Whether the partner's clock is still loading. */
export function useIsTimePending(clientId: number | undefined): boolean {
  const { isPending } = usePartner(clientId);
  return clientId !== undefined && isPending;
}

/** A note next to time fields: a sandbox compares them with its own clock. */
export function SandboxTime({ clientId }: { clientId: number }) {
  const clock = usePartner(clientId).data?.clock;
  if (!clock) return null;
  return (
    <Text size="sm" c="dimmed">
      This partner is a sandbox. Its current time is {exactText(clock.now)}.
    </Text>
  );
}
