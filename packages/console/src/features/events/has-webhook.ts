import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';

export const attemptsEveryMs = 3000;

/** Undefined while it is not known. */
export function useHasWebhook(clientId: number) {
  const { data, error, refetch } = useQuery(asking('PartnerGet', { client_id: clientId }));
  const hasWebhook = data?.client_id === clientId ? data.webhook !== null : undefined;
  return { hasWebhook, error: hasWebhook === undefined ? error : null, retry: () => void refetch() };
}
