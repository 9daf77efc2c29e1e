import type { Member } from '@freebets/contract';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { ChangeDialog, WhatHappens } from '../../ui/change-dialog.tsx';
import { RoleField, ScopeField, scopeWords } from './rights.tsx';

interface MemberDialogProps {
  member: Member;
  onClose(): void;
}

const sessionsText = ({ sessions }: Member): string =>
  sessions === 0
    ? 'They are not signed in anywhere at this moment.'
    : `They are signed out at once: ${sessions} ${sessions === 1 ? 'session ends' : 'sessions end'}.`;

export function UpdateDialog({ member: latest, onClose }: MemberDialogProps) {
  // What is sent is what is other here than it was. Partners are sent as a whole, so beside what was read: nobody gets back what a
  // colleague has taken away meanwhile.
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
      title={`What ${member.name} may do`}
      action="Change"
      isDangerous={isOtherRole || isOtherScope}
      isBlocked={newName === '' || Object.keys(given).length === 0}
      isOutdated={latest.role !== member.role || scopeWords(latest.partners) !== scopeWords(member.partners)}
      carryOut={(reason) => change('StaffUpdate', { staff_id: member.staff_id, ...given, as_read, reason })}
    >
      <TextInput label="Name" {...form.getInputProps('name')} required maxLength={128} data-autofocus />
      <RoleField role={role} onChange={(role) => form.setFieldValue('role', role)} />
      <ScopeField partners={partners} onChange={(partners) => form.setFieldValue('partners', partners)} />
      <WhatHappens
        sentences={[
          isOtherName && `They are called ${newName || '…'}.`,
          isOtherRole && `They are ${role} instead of ${member.role}.`,
          isOtherScope && `They see ${scopeWords(partners)} instead of ${scopeWords(member.partners)}.`,
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
      carryOut={(reason) => change('StaffDisable', { staff_id: member.staff_id, reason })}
    >
      <WhatHappens
        sentences={[
          sessionsText(member),
          'They cannot sign in, and an invitation of theirs is not good any more.',
          'What they did stays in the audit log.',
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
      carryOut={(reason) => change('StaffEnable', { staff_id: member.staff_id, reason })}
    >
      <WhatHappens sentences={[`They can sign in again, as ${member.role} of ${scopeWords(member.partners)}.`]} />
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
      carryOut={(reason) => change('StaffResetSecondFactor', { staff_id: member.staff_id, reason })}
    >
      <WhatHappens
        sentences={[
          'Their authenticator and their recovery codes are not good any more.',
          sessionsText(member),
          'Until they set up another, the password alone signs them in. Make sure that it is they who ask for it.',
        ]}
      />
    </ChangeDialog>
  );
}
