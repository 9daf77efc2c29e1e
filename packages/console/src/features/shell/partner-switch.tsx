import { useLocation, useNavigate } from '@tanstack/react-router';
import { PartnerSelect } from '../../ui/partner-select.tsx';
import { useChosenPartner } from './chosen-partner.ts';

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
