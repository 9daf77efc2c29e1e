import { Switch, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { partsOf } from '../../ui/tag-parts.ts';
import { WhatHappens } from '../../ui/what-happens.tsx';
import { type Access, type CallerProps, operationsOf } from './caller.ts';

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

export const AccessFields = ({ access, onChange }: { access: Access; onChange(access: Access): void }) => (
  <>
    <Switch
      label="Strict signing"
      description="The signature of a request must cover its time and its path."
      checked={access.signing === 'strict'}
      onChange={({ currentTarget }) => onChange({ ...access, signing: currentTarget.checked ? 'strict' : 'plain' })}
    />
    <TagsInput
      label="Allowed from"
      description="Addresses or networks, such as 203.0.113.0/24. Without any it may call from anywhere."
      placeholder={access.allow_from === null ? 'anywhere' : ''}
      value={access.allow_from ?? []}
      onChange={(tags) => onChange({ ...access, allow_from: tags.length === 0 ? null : partsOf(tags) })}
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
  const [access, setAccess] = useState<Access>({ signing, allow_from });
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
      <AccessFields access={access} onChange={setAccess} />
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
