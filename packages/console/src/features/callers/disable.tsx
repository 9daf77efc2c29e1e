import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';
import { type CallerProps, operationsOf } from './caller.ts';

const whatDisablingDoes = {
  partner: [
    'Every request of theirs is refused within two seconds, as if they did not exist.',
    'Players keep what they were given: free bets already issued can be used and are settled.',
    'Events are not sent and lists stand still, until it is enabled again.',
  ],
  provider: [
    'Every request of theirs is refused within two seconds: they can neither place bets nor settle those that are open.',
    'Their games stay in the catalogue and in the offers.',
  ],
};

/** Shuts a caller out, or lets it in again. */
export function DisableButton({ owner, caller }: Omit<CallerProps, 'mayChange'>) {
  const change = useChange(owner.kind);
  const { disable, enable } = operationsOf[owner.kind];
  const isDisabled = caller.disabled_at !== null;
  const action = isDisabled ? `Enable ${caller.name}` : `Disable ${caller.name}`;
  return (
    <DialogButton
      key={action}
      label={isDisabled ? 'Enable' : 'Disable'}
      size="sm"
      dialog={(close) => (
        <ChangeDialog
          isOpen
          onClose={close}
          title={action}
          action={action}
          isDangerous={!isDisabled}
          carryOut={(reason) => change(isDisabled ? enable : disable, { ...owner.key, reason })}
        >
          <WhatHappens
            sentences={
              isDisabled
                ? ['Their requests are accepted again within two seconds, with the secrets they had.']
                : whatDisablingDoes[owner.kind]
            }
          />
        </ChangeDialog>
      )}
    />
  );
}
