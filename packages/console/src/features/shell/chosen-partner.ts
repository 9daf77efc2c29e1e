import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { asking } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { numberIn } from '../../ui/address-id.ts';
import { partnersToChoose } from '../../ui/partner-select.tsx';

/** Screens of all partners, or of the one that stands behind the question mark. */
const isFiltered = (pathname: string): boolean => ['/', '/reports', '/games'].includes(pathname);

/** The partner in the address; where none is in it, the one of the screen before, or else the first that the person sees. */
export function useChosenPartner() {
  const { pathname, search } = useLocation();
  const { staff_id } = usePerson();
  const [, inPath] = /^\/(?:p|partners)\/([^/]+)/.exec(pathname) ?? [];
  const withAll = isFiltered(pathname);
  const text = inPath ?? (withAll ? (search as { partner?: string }).partner : undefined);
  const inAddress = numberIn(text);
  // For this tab, however long one stays on screens without a partner; and for this person alone.
  const latestKey = `partner of ${staff_id}`;
  const latest = numberIn(sessionStorage.getItem(latestKey) ?? undefined);
  const { data: first } = useQuery(partnersToChoose());
  const clientId = inAddress ?? latest ?? first?.partners[0]?.client_id;
  const inList = first?.partners.find((each) => each.client_id === clientId);
  const { data: alone, isError } = useQuery({
    ...asking('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined && first !== undefined && inList === undefined,
  });
  // One that was chosen before may be out of reach by now.
  const partner = inList ?? alone ?? (isError && inAddress === undefined ? first?.partners[0] : undefined);
  const isThere = inAddress !== undefined && partner !== undefined;
  useEffect(() => {
    if (isThere) sessionStorage.setItem(latestKey, String(inAddress));
  }, [isThere, inAddress, latestKey]);
  return { partner, isInAddress: inAddress !== undefined, withAll };
}
