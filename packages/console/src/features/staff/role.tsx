import { type Role, roles } from '@freebets/contract/roles';
import { Select } from '@mantine/core';

const whatRolesMay: Record<Role, string> = {
  viewer: 'sees everything in scope, but secrets and the audit log',
  support: 'also issues or cancels one free bet, and plays rounds in a sandbox',
  manager: 'also drafts, approves and stops campaigns, gives to lists, reads reports',
  admin: 'also partners, providers, offers, webhooks, secrets, staff, the audit log',
  auditor: 'sees everything in scope with the audit log and reports, changes nothing',
};

export const RoleField = ({ role, onChange }: { role: Role; onChange(role: Role): void }) => (
  <Select
    label="Role"
    description={`${role}: ${whatRolesMay[role]}.`}
    data={[...roles]}
    value={role}
    onChange={(value) => value !== null && onChange(value as Role)}
    allowDeselect={false}
  />
);
