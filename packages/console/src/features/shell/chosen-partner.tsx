import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { asking } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { numberIn } from '../../ui/address.ts';
import { PartnerSelect, partnersToChoose } from '../../ui/partner-select.tsx';

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

/** Where one finds such things of another partner. */
const listOf: Record<string, string> = {
  campaigns: 'campaigns',
  players: 'players',
  'free-bets': 'players',
  lists: 'lists',
  events: 'events',
};

/** Shows the same screen for another partner, or for all where it can. */
export function PartnerSwitch() {
  const { partner, isInAddress, withAll } = useChosenPartner();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const choose = (clientId: number | undefined) => {
    if (withAll) {
      // A campaign is of the partner before.
      const search = ({ partner: _, campaign: __, ...rest }: Record<string, unknown>) =>
        clientId === undefined ? rest : { ...rest, partner: String(clientId) };
      return navigate({ to: pathname, search: search as never });
    }
    if (pathname.startsWith('/partners/') && isInAddress) return navigate({ to: `/partners/${clientId}` });
    const [, screen = ''] = /^\/p\/\d+\/([a-z-]+)/.exec(pathname) ?? [];
    return navigate({ to: `/p/${clientId}/${listOf[screen] ?? 'campaigns'}` });
  };
  return (
    <PartnerSelect
      chosen={withAll && !isInAddress ? undefined : partner}
      withAll={withAll}
      onChoose={(clientId) => void choose(clientId)}
    />
  );
}

/** What somebody has chosen for this browser. */
export const useTimesChoice = () =>
  useLocalStorage<'relative' | 'exact'>({ key: 'times', defaultValue: 'relative', getInitialValueInEffect: false });

/**
 * Whether times are exact: by choice, or on the screens of a sandbox whose clock is ahead. Free bets have their times by that clock, and what
 * people do has them by the clock of the world.
 */
export function useExactTimes(): boolean {
  const [choice] = useTimesChoice();
  const { partner, isInAddress } = useChosenPartner();
  const { data } = useQuery({
    ...asking('PartnerGet', { client_id: partner?.client_id ?? 0 }),
    enabled: isInAddress && partner?.sandbox === true,
  });
  return choice === 'exact' || (isInAddress && (data?.clock?.offset_s ?? 0) > 0);
}
