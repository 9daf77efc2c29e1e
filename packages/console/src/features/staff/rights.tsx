import { type Role, roles } from '@freebets/contract/roles';
import { MultiSelect, Radio, Select, Stack, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePerson } from '../../api/session.ts';
import { partnerOption, partnersToChoose } from '../../ui/partner-select.tsx';
import { nothingFound } from '../../ui/words.ts';

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

// The partners that somebody sees: all, also those to come, or some.

type Scope = number[] | null;

export const scopeWords = (partners: Scope): string => {
  if (partners === null) return 'all partners';
  if (partners.length === 0) return 'no partner';
  return `${partners.length === 1 ? 'partner' : 'partners'} ${partners.join(', ')}`;
};

export const ScopeText = ({ partners }: { partners: Scope }) =>
  partners === null || partners.length <= 3 ? (
    scopeWords(partners)
  ) : (
    <Tooltip label={scopeWords(partners)} multiline maw={320}>
      <span>{partners.length} partners</span>
    </Tooltip>
  );

/** Nobody gives more than they have. */
export function ScopeField({ partners, onChange }: { partners: Scope; onChange(partners: Scope): void }) {
  const { partners: own } = usePerson();
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Partners"
        value={partners === null ? 'all' : 'some'}
        onChange={(value) => onChange(value === 'all' ? null : (own ?? []))}
      >
        <Stack gap={6} mt={4}>
          {own === null && <Radio value="all" label="All, also those to come" />}
          <Radio value="some" label="Only these" />
        </Stack>
      </Radio.Group>
      {partners !== null && <PartnersField partners={partners} onChange={onChange} />}
    </Stack>
  );
}

function PartnersField({ partners, onChange }: { partners: number[]; onChange(partners: number[]): void }) {
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search, 200);
  const query = useQuery(partnersToChoose(wanted));
  const [names, setNames] = useState<Record<string, string>>({});
  const found = (query.data?.partners ?? []).map(partnerOption);
  const isFound = (id: number) => found.some(({ value }) => value === String(id));
  const chosen = partners
    .filter((id) => !isFound(id))
    .map((id) => ({ value: String(id), label: names[id] ?? `partner ${id}` }));
  return (
    <MultiSelect
      aria-label="Which partners"
      placeholder="Find by name or id"
      data={[...chosen, ...found]}
      value={partners.map(String)}
      onChange={(ids) => {
        setNames({ ...names, ...Object.fromEntries(found.map(({ value, label }) => [value, label])) });
        onChange(ids.map(Number).toSorted((a, b) => a - b));
      }}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      error={query.error?.message}
      nothingFoundMessage={nothingFound('No such partner', wanted === search, query)}
    />
  );
}
