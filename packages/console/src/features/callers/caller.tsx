import { Switch, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, DialogButton, WhatHappens } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/page.tsx';
import { partsOf } from '../../ui/words.ts';

// What partners and providers have in common: each is a caller, with secrets, that may be disabled, and whose calls may have to
// be signed strictly or to come from some networks.

type Shared = 'name' | 'disabled_at' | 'has_previous_secret' | 'secrets_version' | 'signing' | 'allow_from';
export type Caller = Pick<AnswerOf<'ProviderUpdate'>, Shared>;
export type Access = Pick<Caller, 'signing' | 'allow_from'>;

/** Which caller, as its operations ask for it. */
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
  /** Whether the person may change it. */
  mayChange: boolean;
}

/** How it signs, and from where it may call. */
export const AccessDetails = (props: CallerProps) => (
  <Details
    title="Calls"
    rows={[
      ['Signing', props.caller.signing === 'strict' ? 'strict: covers time and path' : 'plain: covers the body'],
      ['Allowed from', props.caller.allow_from?.join(', ') ?? 'anywhere'],
    ]}
    actions={
      props.mayChange && (
        <DialogButton label="Change calls" dialog={(close) => <AccessDialog {...props} onClose={close} />} />
      )
    }
  />
);

export const AccessFields = ({ access, onChange }: { access: Access; onChange(changes: Partial<Access>): void }) => (
  <>
    <Switch
      label="Strict signing"
      description="The signature of a request must cover its time and its path."
      checked={access.signing === 'strict'}
      onChange={({ currentTarget }) => onChange({ signing: currentTarget.checked ? 'strict' : 'plain' })}
    />
    <TagsInput
      label="Allowed from"
      description="Addresses or networks, such as 203.0.113.0/24. Without any it may call from anywhere."
      placeholder={access.allow_from === null ? 'anywhere' : ''}
      value={access.allow_from ?? []}
      onChange={(tags) => onChange({ allow_from: tags.length === 0 ? null : partsOf(tags) })}
      splitChars={[',', ' ', '\n']}
      maxTags={100}
    />
  </>
);

const list = (networks: string[] | null): string => networks?.join(', ') ?? '';

function AccessDialog({ owner, caller: latest, onClose }: CallerProps & { onClose(): void }) {
  // As it was read, so that no network is let in again that a colleague has shut out meanwhile.
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
      title={`How ${name} may call`}
      action="Change calls"
      isDangerous={(isOtherSigning && access.signing === 'strict') || (isOtherPlace && access.allow_from !== null)}
      isBlocked={!isOtherSigning && !isOtherPlace}
      isOutdated={latest.signing !== signing || list(latest.allow_from) !== list(allow_from)}
      carryOut={(reason) => change(operationsOf[owner.kind].update, { ...owner.key, ...given, as_read, reason })}
    >
      <AccessFields access={access} onChange={form.setValues} />
      <WhatHappens
        sentences={[
          isOtherSigning &&
            (access.signing === 'strict'
              ? 'Requests whose signature does not cover time and path are refused.'
              : 'Signatures of the body alone are accepted as well.'),
          isOtherPlace &&
            (access.allow_from === null
              ? 'It may call from anywhere.'
              : `Requests from anywhere but ${list(access.allow_from)} are refused.`),
          (isOtherSigning || isOtherPlace) && 'Every server follows within two seconds.',
        ]}
      />
    </ChangeDialog>
  );
}

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
