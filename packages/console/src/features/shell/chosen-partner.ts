import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { asking } from '../../api/queries.ts';

/** All that may be chosen from at a time; beyond it one searches. */
export const partnersToChoose = (search?: string) => asking('PartnerList', { limit: 20, ...(search && { search }) });

/** The partner in the address; where none is in it, the first that the person sees. */
export function useChosenPartner() {
  const { pathname } = useLocation();
  const [, text] = /^\/p\/(\d+)(\/|$)/.exec(pathname) ?? [];
  const { data: first } = useQuery(partnersToChoose());
  const clientId = text === undefined ? first?.partners[0]?.client_id : Number(text);
  const inList = first?.partners.find((each) => each.client_id === clientId);
  const { data: alone } = useQuery({
    ...asking('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined && first !== undefined && inList === undefined,
  });
  return { partner: inList ?? alone, isInAddress: text !== undefined };
}
