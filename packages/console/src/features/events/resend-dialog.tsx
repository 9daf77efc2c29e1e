import { Loader, Text } from '@mantine/core';
import { type Asked, call } from '../../api/call.ts';
import { useDryRun, useReadAgain } from '../../api/dry-run.ts';
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
  const readAgain = useReadAgain();
  const matched = tried.data?.matched ?? 0;
  const events = `${count(matched)} ${matched === 1 ? 'event' : 'events'}`;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Send again"
      action={tried.data ? `Send ${events} again` : 'Send again'}
      isBlocked={tried.isFetching || matched === 0}
      carryOut={async (reason) => {
        await call('DeliveryResend', { ...request, reason });
        await readAgain('DeliveryList', 'WebhookGet');
      }}
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
