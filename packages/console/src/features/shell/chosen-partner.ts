import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { asking } from '../../api/queries.ts';
import { numberIn } from '../../ui/address-id.ts';
import { partnersToChoose } from '../../ui/partner-select.tsx';

/** Screens of all partners, or of the one that stands behind the question mark. */
const isFiltered = (pathname: string): boolean => ['/', '/reports', '/games'].includes(pathname);

const latestKey = ['chosen partner'];

/** The partner in the address; where none is in it, the one of the screen before, or else the first that the person sees. */
export function useChosenPartner() {
  const { pathname, search } = useLocation();
  const queries = useQueryClient();
  const [, inPath] = /^\/p\/([^/]+)/.exec(pathname) ?? [];
  const withAll = isFiltered(pathname);
  const text = inPath ?? (withAll ? (search as { partner?: string }).partner : undefined);
  const inAddress = numberIn(text);
  useEffect(() => {
    if (inAddress !== undefined) queries.setQueryData(latestKey, inAddress);
  }, [inAddress, queries]);
  const { data: first } = useQuery(partnersToChoose());
  const clientId = inAddress ?? queries.getQueryData<number>(latestKey) ?? first?.partners[0]?.client_id;
  const inList = first?.partners.find((each) => each.client_id === clientId);
  const { data: alone } = useQuery({
    ...asking('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined && first !== undefined && inList === undefined,
  });
  return { partner: inList ?? alone, isInAddress: inAddress !== undefined, withAll };
}
