import type { FreeBetBody } from '@freebets/contract';
import { Loader, Text } from '@mantine/core';
import { useChange } from '../../api/change.ts';
import { useDryRun } from '../../api/dry-run.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Money } from '../../ui/money.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';

/** Whether there is anything to cancel: what was used or is over stays as it is. */
export const isCancellable = ({ status }: FreeBetBody): boolean => status === 'issued' || status === 'active';

export function CancelDialog(props: { clientId: number; freeBet: FreeBetBody; onClose(): void }) {
  const { clientId, freeBet, onClose } = props;
  const request = { client_id: clientId, issue_id: freeBet.issue_id };
  const tried = useDryRun('Cancel', request);
  const change = useChange('free_bet');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Cancel this free bet"
      action="Cancel the free bet"
      keep="Keep it"
      isDangerous
      isBlocked={tried.data === undefined || tried.error !== null}
      carryOut={(reason) => change('Cancel', { ...request, reason })}
    >
      {tried.isPending && <Loader size="sm" aria-label="Trying it" />}
      {tried.error && <RefusalNote error={tried.error} />}
      {tried.data && (
        <Text size="sm" component="div">
          {freeBet.player_id} loses {freeBet.remaining} {freeBet.remaining === 1 ? 'bet' : 'bets'} of{' '}
          <Money amount={freeBet.bet_amount} currency={freeBet.currency} />
          {freeBet.campaign_id === null ? ', given directly' : `, from the campaign ${freeBet.campaign_id}`}. This
          cannot be undone.
        </Text>
      )}
    </ChangeDialog>
  );
}
