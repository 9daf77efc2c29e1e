import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';

/** Undefined while it is not known. */
export function useHasWebhook(clientId: number): boolean | undefined {
  const { data } = useQuery(asking('PartnerGet', { client_id: clientId }));
  return data?.client_id === clientId ? data.webhook !== null : undefined;
}
