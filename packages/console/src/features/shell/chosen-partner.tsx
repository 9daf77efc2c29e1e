import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { callQuery } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { numberIn } from '../../ui/address.ts';
import { PartnerSelect, partnersToChoose } from '../../ui/partner-select.tsx';

/** Screens of all partners, or of the one in the query of the address. */
const isFiltered = (pathname: string): boolean => ['/', '/reports', '/games'].includes(pathname);

/** The partner in the address, or else that of the previous screen, or else the first one the user can see. */
export function useChosenPartner() {
  const { pathname, search } = useLocation();
  const { staff_id } = usePerson();
  const [, inPath] = /^\/(?:p|partners)\/([^/]+)/.exec(pathname) ?? [];
  const withAll = isFiltered(pathname);
  const text = inPath ?? (withAll ? (search as { partner?: string }).partner : undefined);
  const inAddress = numberIn(text);
  // Remembered for this tab and user, while they visit screens without a partner.
  const latestKey = `partner of ${staff_id}`;
  const latest = numberIn(sessionStorage.getItem(latestKey) ?? undefined);
  const { data: first } = useQuery(partnersToChoose());
  const clientId = inAddress ?? latest ?? first?.partners[0]?.client_id;
  const inList = first?.partners.find((each) => each.client_id === clientId);
  const { data: alone, isError } = useQuery({
    ...callQuery('PartnerGet', { client_id: clientId ?? 0 }),
    enabled: clientId !== undefined && first !== undefined && inList === undefined,
  });
  // The user may have lost access to the remembered partner.
  const partner = inList ?? alone ?? (isError && inAddress === undefined ? first?.partners[0] : undefined);
  const isVisible = inAddress !== undefined && partner !== undefined;
  useEffect(() => {
    if (isVisible) sessionStorage.setItem(latestKey, String(inAddress));
  }, [isVisible, inAddress, latestKey]);
  return { partner, isInAddress: inAddress !== undefined, withAll };
}

/** The list screen of another partner for each kind of detail screen. */
const listOf: Record<string, string> = {
  campaigns: 'campaigns',
  players: 'players',
  'free-bets': 'players',
  lists: 'lists',
  events: 'events',
};

/** Switches the current screen to another partner, or to all partners if the screen supports it. */
export function PartnerSwitch() {
  const { partner, isInAddress, withAll } = useChosenPartner();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const choose = (clientId: number | undefined) => {
    if (withAll) {
      // The campaign belongs to the previous partner.
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

/** The user's choice, for this browser. */
export const useTimesChoice = () =>
  useLocalStorage<'relative' | 'exact'>({ key: 'times', defaultValue: 'relative', getInitialValueInEffect: false });

/**
 * Whether times are exact: by choice, or on the screens of a sandbox whose clock is ahead. There, free bets follow the
 * sandbox clock and staff actions follow real time.
 */
export function useExactTimes(): boolean {
  const [choice] = useTimesChoice();
  const { partner, isInAddress } = useChosenPartner();
  const { data } = useQuery({
    ...callQuery('PartnerGet', { client_id: partner?.client_id ?? 0 }),
    enabled: isInAddress && partner?.sandbox === true,
  });
  return choice === 'exact' || (isInAddress && (data?.clock?.offset_s ?? 0) > 0);
}
