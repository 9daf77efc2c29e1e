import type { Invitation, Member } from '@freebets/contract';
import type { Role } from '@freebets/contract/roles';
import { Switch, type SwitchProps, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { usePerson } from '../../api/session.ts';
import { ChangeDialog, WhatHappens } from '../../ui/change-dialog.tsx';
import { ShownOneTime } from '../../ui/shown-one-time.tsx';
import { exactText } from '../../ui/time.tsx';
import { waysQuery } from '../sign-in/ways.tsx';
import { RoleField, ScopeField, scopeWords } from './rights.tsx';

export type Link = Invitation;

export const LinkShown = ({ link, onDone }: { link: Link; onDone(): void }) => (
  <ShownOneTime title={`The invitation of ${link.email}`} label="Invitation link" value={link.link} onDone={onDone}>
    Hand this link to {link.email} by a safe way: whoever opens it first gets the account. It is good one time, until{' '}
    {exactText(link.expires_at)}.
  </ShownOneTime>
);

interface InviteDialogProps {
  onInvited(link: Link): void;
  onClose(): void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps) {
  const { partners: own } = usePerson();
  const form = useForm({ initialValues: { email: '', name: '', role: 'viewer' as Role, partners: own, sso: false } });
  const { email, name, role, partners } = form.values;
  const change = useChange('staff');
  const given = { ...form.values, email: email.trim(), name: name.trim() };
  const isWhole = given.email !== '' && given.name !== '';
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Invite somebody"
      action="Make the invitation"
      isBlocked={!isWhole}
      carryOut={async (reason) => onInvited(await change('StaffInvite', { ...given, reason }))}
    >
      <TextInput label="E-mail" {...form.getInputProps('email')} required maxLength={254} data-autofocus />
      <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} />
      <RoleField role={role} onChange={(role) => form.setFieldValue('role', role)} />
      <ScopeField partners={partners} onChange={(partners) => form.setFieldValue('partners', partners)} />
      <SsoSwitch {...form.getInputProps('sso', { type: 'checkbox' })} />
      <WhatHappens
        sentences={[
          `${given.name || 'The person'} can become ${role} of ${scopeWords(partners)}, with a link that is shown one time, to you.`,
          'The link is good for 72 hours. Nothing is sent by e-mail.',
        ]}
      />
    </ChangeDialog>
  );
}

/** Where there is a single sign-on. */
function SsoSwitch(input: SwitchProps) {
  const { data: ways } = useQuery(waysQuery);
  return ways?.sso && <Switch label="Signs in by single sign-on" {...input} />;
}

/** Again for somebody who has not accepted; only the newest link is good. It gives no role: that may be another by now. */
export function InviteAgainDialog({ member, onInvited, onClose }: InviteDialogProps & { member: Member }) {
  const { email, name } = member;
  const [isSso, setIsSso] = useState(member.sso);
  const { data: ways } = useQuery(waysQuery);
  const change = useChange('staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`A new link for ${name}`}
      action="Make a new link"
      carryOut={async (reason) =>
        onInvited(await change('StaffInvite', { email, sso: isSso && ways?.sso === true, reason }))
      }
    >
      <SsoSwitch checked={isSso} onChange={({ currentTarget }) => setIsSso(currentTarget.checked)} />
      <WhatHappens
        sentences={[
          'A new link is shown one time, to you, and good for 72 hours.',
          'The link before is not good any more.',
        ]}
      />
    </ChangeDialog>
  );
}
