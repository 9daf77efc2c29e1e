import { type Role, roles } from '@freebets/contract/roles';
import { MultiSelect, Radio, Select, Stack, Tooltip } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { usePerson } from '../../api/session.ts';
import { partnerOption, partnersToChoose } from '../../ui/partner-select.tsx';
import { nothingFound } from '../../ui/words.ts';

// The words for roles and scopes.

const roleDescriptions: Record<Role, string> = {
  viewer: 'Sees everything in scope except secrets and the audit log.',
  support: 'Like viewer; also issues or cancels single free bets and plays sandbox rounds.',
  manager: 'Like support; also creates, approves and stops campaigns, starts bulk awards and reads reports.',
  admin: 'Like manager; also manages partners, game providers, webhooks, secrets and staff, and reads the audit log.',
  auditor: 'Sees everything in scope with the audit log and reports. Changes nothing.',
};

export const RoleField = ({ role, onChange }: { role: Role; onChange(role: Role): void }) => (
  <Select
    label="Role"
    description={roleDescriptions[role]}
    data={[...roles]}
    value={role}
    onChange={(value) => value !== null && onChange(value as Role)}
    allowDeselect={false}
  />
);

// The partners that a user can access: all, including future ones, or some.

type Scope = number[] | null;

export const scopeWords = (partners: Scope): string => {
  if (partners === null) return 'all partners';
  if (partners.length === 0) return 'no partners';
  return `${partners.length === 1 ? 'partner' : 'partners'} ${partners.join(', ')}`;
};

/** Such as "manager of partner 1". */
export const rightsText = ({ role, partners }: { role?: string; partners?: Scope }): string =>
  `${role} of ${scopeWords(partners ?? null)}`;

export const ScopeText = ({ partners }: { partners: Scope }) =>
  partners === null || partners.length <= 3 ? (
    scopeWords(partners)
  ) : (
    <Tooltip label={scopeWords(partners)} multiline maw={320}>
      <span>{partners.length} partners</span>
    </Tooltip>
  );

/** Users can't grant more partners than they have. */
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
          {own === null && <Radio value="all" label="All, including future partners" />}
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
      placeholder="Find by name or ID"
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
      nothingFoundMessage={nothingFound('No matching partner', wanted === search, query)}
    />
  );
}
