import { Switch, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, Consequences, DialogButton } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/page.tsx';
import { splitTags } from '../../ui/words.ts';

// What partners and game providers have in common: both call the API with secrets, and both can be disabled, required
// to sign strictly, and limited to some networks.

type Shared = 'name' | 'disabled_at' | 'has_previous_secret' | 'secrets_version' | 'signing' | 'allow_from';
export type Caller = Pick<CallResponse<'ProviderUpdate'>, Shared>;
export type Access = Pick<Caller, 'signing' | 'allow_from'>;

/** The caller, as requests identify it. */
export type Owner =
  | { kind: 'partner'; key: { client_id: number } }
  | { kind: 'provider'; key: { provider_id: string } };

export const operationsOf = {
  partner: {
    update: 'PartnerUpdate',
    disable: 'PartnerDisable',
    enable: 'PartnerEnable',
    rotate: 'PartnerRotateSecret',
    retire: 'PartnerRetireSecret',
  },
  provider: {
    update: 'ProviderUpdate',
    disable: 'ProviderDisable',
    enable: 'ProviderEnable',
    rotate: 'ProviderRotateSecret',
    retire: 'ProviderRetireSecret',
  },
} as const;

export interface CallerProps {
  owner: Owner;
  caller: Caller;
  /** Whether the user can change it. */
  mayChange: boolean;
}

export const AccessDetails = (props: CallerProps) => (
  <Details
    title="API access"
    rows={[
      ['Signing', props.caller.signing === 'strict' ? 'strict: covers body, time and path' : 'plain: covers the body'],
      ['Allowed from', props.caller.allow_from?.join(', ') ?? 'anywhere'],
    ]}
    actions={
      props.mayChange && (
        <DialogButton label="Change API access" dialog={(close) => <AccessDialog {...props} onClose={close} />} />
      )
    }
  />
);

export const AccessFields = ({ access, onChange }: { access: Access; onChange(changes: Partial<Access>): void }) => (
  <>
    <Switch
      label="Strict signing"
      description="The signature of each request must also cover its time and path."
      checked={access.signing === 'strict'}
      onChange={({ currentTarget }) => onChange({ signing: currentTarget.checked ? 'strict' : 'plain' })}
    />
    <TagsInput
      label="Allowed from"
      description="IP addresses or networks, such as 203.0.113.0/24. Empty: any address."
      placeholder={access.allow_from === null ? 'anywhere' : ''}
      value={access.allow_from ?? []}
      onChange={(tags) => onChange({ allow_from: tags.length === 0 ? null : splitTags(tags) })}
      splitChars={[',', ' ', '\n']}
      maxTags={100}
    />
  </>
);

const list = (networks: string[] | null): string => networks?.join(', ') ?? '';

function AccessDialog({ owner, caller: latest, onClose }: CallerProps & { onClose(): void }) {
  // Sends the values that were read, so that the server refuses the change if a colleague changed them since.
  const [{ name, signing, allow_from }] = useState(latest);
  const as_read = { signing, allow_from };
  const form = useForm<Access>({ initialValues: { signing, allow_from } });
  const access = form.values;
  const change = useChange(owner.kind);
  const isOtherSigning = access.signing !== signing;
  const isOtherPlace = list(access.allow_from) !== list(allow_from);
  const given = {
    ...(isOtherSigning && { signing: access.signing }),
    ...(isOtherPlace && { allow_from: access.allow_from }),
  };
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`API access of ${name}`}
      action="Change API access"
      isDangerous={(isOtherSigning && access.signing === 'strict') || (isOtherPlace && access.allow_from !== null)}
      isBlocked={!isOtherSigning && !isOtherPlace}
      isOutdated={latest.signing !== signing || list(latest.allow_from) !== list(allow_from)}
      onConfirm={(reason) => change(operationsOf[owner.kind].update, { ...owner.key, ...given, as_read, reason })}
    >
      <AccessFields access={access} onChange={form.setValues} />
      <Consequences
        sentences={[
          isOtherSigning &&
            (access.signing === 'strict'
              ? 'Requests signed without time and path are refused.'
              : 'Requests signed without time and path are accepted as well.'),
          isOtherPlace &&
            (access.allow_from === null
              ? 'Requests from any address are accepted.'
              : `Only requests from ${list(access.allow_from)} are accepted.`),
          (isOtherSigning || isOtherPlace) && 'The change takes effect within 2 seconds.',
        ]}
      />
    </ChangeDialog>
  );
}

const disablingConsequences = {
  partner: [
    'All its requests are refused within 2 seconds, as if the partner did not exist.',
    'Free bets that are already issued can still be used and are settled.',
    'Events and bulk awards pause until you enable it again.',
  ],
  provider: [
    'All its requests are refused within 2 seconds: it can neither place bets nor settle open ones.',
    'Its games stay in the catalogue and in the offers.',
  ],
};

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
          onConfirm={(reason) => change(isDisabled ? enable : disable, { ...owner.key, reason })}
        >
          <Consequences
            sentences={
              isDisabled
                ? ['Its requests are accepted again within 2 seconds, with the same secrets.']
                : disablingConsequences[owner.kind]
            }
          />
        </ChangeDialog>
      )}
    />
  );
}
