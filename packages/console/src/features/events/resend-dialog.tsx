import { Loader, Text } from '@mantine/core';
import type { Asked } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { useDryRun } from '../../api/dry-run.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { count } from '../../ui/money.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';

interface ResendProps {
  clientId: number;
  selection: Omit<Asked<'DeliveryResend'>, 'client_id'>;
  onClose(): void;
}

/** How many it are is counted first. */
export function ResendDialog({ clientId, selection, onClose }: ResendProps) {
  const request = { client_id: clientId, ...selection };
  const tried = useDryRun('DeliveryResend', request);
  const change = useChange('webhook');
  const matched = tried.data?.matched ?? 0;
  const events = `${count(matched)} ${matched === 1 ? 'event' : 'events'}`;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Send again"
      action={tried.data ? `Send ${events} again` : 'Send again'}
      isBlocked={tried.isFetching || matched === 0}
      carryOut={(reason) => change('DeliveryResend', { ...request, reason })}
    >
      {tried.isFetching && <Loader size="sm" aria-label="Counting" />}
      {tried.error && <RefusalNote error={tried.error} />}
      {tried.data && (
        <Text size="sm">
          {matched === 0
            ? 'Nothing matches that was sent before and is still kept.'
            : `${events} will be sent again, all that match and not only those on this page. The partner gets them a second time, with the same ids.`}
          {!tried.data.is_on && ' The webhook is off: they wait until it is set again.'}
        </Text>
      )}
    </ChangeDialog>
  );
}
