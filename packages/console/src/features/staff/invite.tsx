import type { Invitation, Member } from '@freebets/contract';
import type { Role } from '@freebets/contract/roles';
import { Switch, type SwitchProps, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { usePerson } from '../../api/session.ts';
import { ChangeDialog, Consequences } from '../../ui/change-dialog.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { exactText } from '../../ui/time.tsx';
import { signInMethodsQuery } from '../sign-in/methods.tsx';
import { RoleField, rightsText, ScopeField } from './rights.tsx';

export type Link = Invitation;

export const LinkShown = ({ link, onDone }: { link: Link; onDone(): void }) => (
  <ShownOnce title={`Invitation for ${link.email}`} label="Invitation link" value={link.link} onDone={onDone}>
    Send this link to {link.email} securely: the first person to open it gets the account. It works once, until{' '}
    {exactText(link.expires_at)}.
  </ShownOnce>
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
  const isComplete = given.email !== '' && given.name !== '';
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Invite user"
      action="Create invitation"
      isBlocked={!isComplete}
      onConfirm={async (reason) => onInvited(await change('StaffInvite', { ...given, reason }))}
    >
      <TextInput label="E-mail" {...form.getInputProps('email')} required maxLength={254} data-autofocus />
      <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} />
      <RoleField role={role} onChange={(role) => form.setFieldValue('role', role)} />
      <ScopeField partners={partners} onChange={(partners) => form.setFieldValue('partners', partners)} />
      <SsoSwitch {...form.getInputProps('sso', { type: 'checkbox' })} />
      <Consequences
        sentences={[
          `${given.name || 'The user'} gets the role ${rightsText({ role, partners })}. The invitation link is shown once, to you.`,
          'The link is valid for 72 hours. No e-mail is sent.',
        ]}
      />
    </ChangeDialog>
  );
}

/** Hidden without single sign-on. */
function SsoSwitch(input: SwitchProps) {
  const { data: methods } = useQuery(signInMethodsQuery);
  return methods?.sso && <Switch label="Uses single sign-on" {...input} />;
}

/**
 * A new link for a user who has not accepted yet. Only the newest link is valid. Sends no role, so that it can't undo a
 * change.
 */
export function InviteAgainDialog({ member, onInvited, onClose }: InviteDialogProps & { member: Member }) {
  const { email, name } = member;
  const [isSso, setIsSso] = useState(member.sso);
  const { data: methods } = useQuery(signInMethodsQuery);
  const change = useChange('staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`New invitation link for ${name}`}
      action="Create new link"
      onConfirm={async (reason) =>
        onInvited(await change('StaffInvite', { email, sso: isSso && methods?.sso === true, reason }))
      }
    >
      <SsoSwitch checked={isSso} onChange={({ currentTarget }) => setIsSso(currentTarget.checked)} />
      <Consequences
        sentences={[
          'The new link is shown once, to you. It is valid for 72 hours.',
          'The previous link stops working.',
        ]}
      />
    </ChangeDialog>
  );
}
