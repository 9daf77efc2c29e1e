import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { exactText } from '../../ui/time.tsx';

const usePartner = (clientId: number | undefined) =>
  useQuery({ ...asking('PartnerGet', { client_id: clientId ?? 0 }), enabled: clientId !== undefined });

/** What time it is for a partner, in milliseconds: a sandbox may be ahead. For several it is that of the world. */
export function usePartnerNow(clientId: number | undefined): number {
  const { data } = usePartner(clientId);
  return Date.now() + (data?.clock?.offset_s ?? 0) * 1000;
}

/** Whether it may still turn out that the partner has another time than the world. */
export function useIsTimePending(clientId: number | undefined): boolean {
  const { isPending } = usePartner(clientId);
  return clientId !== undefined && isPending;
}

/** Beside fields for times that a sandbox will hold against its own. */
export function SandboxTime({ clientId }: { clientId: number }) {
  const clock = usePartner(clientId).data?.clock;
  if (!clock) return null;
  return (
    <Text size="sm" c="dimmed">
      This partner is a sandbox: for it, it is {exactText(clock.now)}.
    </Text>
  );
}
