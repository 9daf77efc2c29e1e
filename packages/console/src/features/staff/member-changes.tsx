import type { Member } from '@freebets/contract';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, Consequences } from '../../ui/change-dialog.tsx';
import { RoleField, rightsText, ScopeField, scopeWords } from './rights.tsx';

interface MemberDialogProps {
  member: Member;
  onClose(): void;
}

const sessionsText = ({ sessions }: Member): string =>
  sessions === 0
    ? 'They are not signed in anywhere.'
    : `They are signed out at once (${sessions} ${sessions === 1 ? 'session' : 'sessions'}).`;

export function UpdateDialog({ member: latest, onClose }: MemberDialogProps) {
  // Sends only changed fields. The partners are sent as a whole, with the values that were read, so that the server
  // refuses the change if a colleague changed them since.
  const [member] = useState(latest);
  const form = useForm({ initialValues: { name: member.name, role: member.role, partners: member.partners } });
  const { name, role, partners } = form.values;
  const change = useChange('staff');
  const newName = name.trim();
  const isOtherName = newName !== member.name;
  const isOtherRole = role !== member.role;
  const isOtherScope = scopeWords(partners) !== scopeWords(member.partners);
  const given = {
    ...(isOtherName && { name: newName }),
    ...(isOtherRole && { role }),
    ...(isOtherScope && { partners }),
  };
  const as_read = { role: member.role, partners: member.partners };
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Role and partners of ${member.name}`}
      action="Save changes"
      isDangerous={isOtherRole || isOtherScope}
      isBlocked={newName === '' || Object.keys(given).length === 0}
      isOutdated={latest.role !== member.role || scopeWords(latest.partners) !== scopeWords(member.partners)}
      onConfirm={(reason) => change('StaffUpdate', { staff_id: member.staff_id, ...given, as_read, reason })}
    >
      <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} data-autofocus />
      <RoleField role={role} onChange={(role) => form.setFieldValue('role', role)} />
      <ScopeField partners={partners} onChange={(partners) => form.setFieldValue('partners', partners)} />
      <Consequences
        sentences={[
          isOtherName && `The name changes to ${newName || '…'}.`,
          isOtherRole && `The role changes from ${member.role} to ${role}.`,
          isOtherScope && `Access changes from ${scopeWords(member.partners)} to ${scopeWords(partners)}.`,
          (isOtherRole || isOtherScope) && sessionsText(member),
        ]}
      />
    </ChangeDialog>
  );
}

export function DisableDialog({ member, onClose }: MemberDialogProps) {
  const change = useChange('staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Disable ${member.name}`}
      action={`Disable ${member.name}`}
      isDangerous
      onConfirm={(reason) => change('StaffDisable', { staff_id: member.staff_id, reason })}
    >
      <Consequences
        sentences={[
          sessionsText(member),
          'They cannot sign in, and a pending invitation stops working.',
          'Their actions stay in the audit log.',
        ]}
      />
    </ChangeDialog>
  );
}

export function EnableDialog({ member, onClose }: MemberDialogProps) {
  const change = useChange('staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Enable ${member.name}`}
      action={`Enable ${member.name}`}
      onConfirm={(reason) => change('StaffEnable', { staff_id: member.staff_id, reason })}
    >
      <Consequences sentences={[`They can sign in again as ${rightsText(member)}.`]} />
    </ChangeDialog>
  );
}

export function ResetDialog({ member, onClose }: MemberDialogProps) {
  const change = useChange('staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Reset the second factor of ${member.name}`}
      action="Reset second factor"
      isDangerous
      onConfirm={(reason) => change('StaffResetSecondFactor', { staff_id: member.staff_id, reason })}
    >
      <Consequences
        sentences={[
          'Their authenticator app and recovery codes stop working.',
          sessionsText(member),
          'Until they set up a new one, the password alone signs them in. Make sure that the request is really from them.',
        ]}
      />
    </ChangeDialog>
  );
}
