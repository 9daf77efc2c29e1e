import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, Consequences, DialogButton } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { type CallerProps, operationsOf } from './caller.tsx';

interface SecretsProps extends CallerProps {
  hasSecret: boolean;
}

/** Rotation in two steps: add a new secret, then retire the old one. */
export function SecretsDetails(props: SecretsProps) {
  const { caller, hasSecret, mayChange } = props;
  const [secret, setSecret] = useState<{ secret: string; old_stays_valid: boolean }>();
  const valid = caller.has_previous_secret
    ? 'two: the newest and the one before it'
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
              label={hasSecret ? 'Rotate secret' : 'Create secret'}
              dialog={(close) => <RotateDialog {...props} onRotated={setSecret} onClose={close} />}
            />
            {caller.has_previous_secret && (
              <DialogButton label="Retire old secret" dialog={(close) => <RetireDialog {...props} onClose={close} />} />
            )}
          </>
        )
      }
    >
      {secret && (
        <SecretShown name={caller.name} secret={secret.secret} onDone={() => setSecret(undefined)}>
          {secret.old_stays_valid &&
            'The old secret stays valid. Retire it here when all their systems use the new one.'}
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
  // Sends the version that was read: a repeat after a lost response would otherwise retire the secret in use.
  const [{ caller, hadSecret }] = useState({ caller: latest, hadSecret: hasSecret });
  const { secrets_version } = caller;
  const change = useChange(owner.kind);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`New secret for ${caller.name}`}
      action="Create new secret"
      isDangerous={caller.has_previous_secret}
      isOutdated={latest.secrets_version !== secrets_version}
      onConfirm={async (reason) =>
        onRotated(await change(operationsOf[owner.kind].rotate, { ...owner.key, secrets_version, reason }))
      }
    >
      <Consequences
        sentences={[
          'The new secret is shown once, to you. The audit log records that you saw it.',
          hadSecret && 'The secret in use stays valid until you retire it.',
          caller.has_previous_secret &&
            'Two secrets are valid now. The older one stops working at once: requests signed with it are refused.',
        ]}
      />
    </ChangeDialog>
  );
}

function RetireDialog({ owner, caller: latest, onClose }: CallerProps & { onClose(): void }) {
  // Sends the version that was read: if a colleague rotated since, the old secret is now the one in use.
  const [caller] = useState(latest);
  const { secrets_version } = caller;
  const change = useChange(owner.kind);
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Retire the old secret of ${caller.name}`}
      action="Retire old secret"
      isDangerous
      isOutdated={latest.secrets_version !== secrets_version}
      onConfirm={(reason) => change(operationsOf[owner.kind].retire, { ...owner.key, secrets_version, reason })}
    >
      <Consequences
        sentences={[
          'Only the newest secret stays valid.',
          'Requests signed with the old one are refused within 2 seconds. This cannot be undone.',
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
  <ShownOnce title={`Secret of ${name}`} label="Secret" value={secret} onDone={onDone}>
    Copy it and pass it on securely: anyone who has it can call the API as {name}. It is stored encrypted and cannot be
    shown again. {children}
  </ShownOnce>
);
