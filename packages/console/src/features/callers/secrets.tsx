import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, DialogButton, WhatHappens } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/page.tsx';
import { ShownOneTime } from '../../ui/shown-one-time.tsx';
import { type CallerProps, operationsOf } from './caller.tsx';

interface SecretsProps extends CallerProps {
  hasSecret: boolean;
}

/** Which secrets are valid; a new one beside the one in use, and later that one is retired. */
export function SecretsDetails(props: SecretsProps) {
  const { caller, hasSecret, mayChange } = props;
  const [secret, setSecret] = useState<{ secret: string; old_stays_valid: boolean }>();
  const valid = caller.has_previous_secret
    ? 'two: the newest, and the one before it'
    : hasSecret
      ? 'one'
      : 'none: it cannot call';
  return (
    <Details
      title="Secrets"
      rows={[['Valid', valid]]}
      actions={
        mayChange && (
          <>
            <DialogButton
              label={hasSecret ? 'New secret' : 'First secret'}
              dialog={(close) => <RotateDialog {...props} onRotated={setSecret} onClose={close} />}
            />
            {caller.has_previous_secret && (
              <DialogButton
                label="Retire the old one"
                dialog={(close) => <RetireDialog {...props} onClose={close} />}
              />
            )}
          </>
        )
      }
    >
      {secret && (
        <SecretShown name={caller.name} secret={secret.secret} onDone={() => setSecret(undefined)}>
          {secret.old_stays_valid &&
            'The secret before it stays valid: retire it here as soon as every system of theirs uses the new one.'}
        </SecretShown>
      )}
    </Details>
  );
}

interface RotateProps extends SecretsProps {
  onRotated(secret: { secret: string; old_stays_valid: boolean }): void;
  onClose(): void;
}

function RotateDialog({ owner, caller: latest, hasSecret, onRotated, onClose }: RotateProps) {
  // As it was read, so that one whose answer was lost is not made a second time: that would end the secret in use.
  const [{ caller, hadSecret }] = useState({ caller: latest, hadSecret: hasSecret });
  const { secrets_version } = caller;
  const change = useChange(owner.kind);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`A new secret for ${caller.name}`}
      action="Make a new secret"
      isDangerous={caller.has_previous_secret}
      isOutdated={latest.secrets_version !== secrets_version}
      carryOut={async (reason) =>
        onRotated(await change(operationsOf[owner.kind].rotate, { ...owner.key, secrets_version, reason }))
      }
    >
      <WhatHappens
        sentences={[
          'The new secret is shown one time, to you. That you saw it is recorded.',
          hadSecret && 'The secret in use stays valid beside it, until you retire it.',
          caller.has_previous_secret &&
            'Two are valid at this moment: the older of them stops working at once, and requests signed with it are refused.',
        ]}
      />
    </ChangeDialog>
  );
}

function RetireDialog({ owner, caller: latest, onClose }: CallerProps & { onClose(): void }) {
  // As it was read: where a colleague has made another one meanwhile, the old one is the one in use.
  const [caller] = useState(latest);
  const { secrets_version } = caller;
  const change = useChange(owner.kind);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Retire the old secret of ${caller.name}`}
      action="Retire the old secret"
      isDangerous
      isOutdated={latest.secrets_version !== secrets_version}
      carryOut={(reason) => change(operationsOf[owner.kind].retire, { ...owner.key, secrets_version, reason })}
    >
      <WhatHappens
        sentences={[
          'Only the newest secret stays valid.',
          'Requests signed with the one before are refused within two seconds. It cannot be brought back.',
        ]}
      />
    </ChangeDialog>
  );
}

interface SecretShownProps {
  name: string;
  secret: string;
  children?: ReactNode;
  onDone(): void;
}

export const SecretShown = ({ name, secret, children, onDone }: SecretShownProps) => (
  <ShownOneTime title={`The secret of ${name}`} label="Secret" value={secret} onDone={onDone}>
    Copy it and hand it over by a safe way: whoever has it can call as {name}. It is kept sealed, and nobody can read it
    again. {children}
  </ShownOneTime>
);
