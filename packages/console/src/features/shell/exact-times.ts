import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { useChosenPartner } from './chosen-partner.ts';

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
