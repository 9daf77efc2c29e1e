import type { AuditFilter } from '@freebets/contract';
import { paths, staffPaths } from '@freebets/contract/paths';
import { Button, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callQuery } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { numberIn } from '../../ui/address.ts';
import { dayOf, midnight, timestamp } from '../../ui/dates.ts';
import { DateField, SearchField } from '../../ui/fields.tsx';
import { nameInLabel, partnerOption, partnersToChoose } from '../../ui/partner-select.tsx';
import { nothingFound } from '../../ui/words.ts';
import { actionText, kindText } from './words.tsx';

// The filters in the address, and the request they make. Days are in the viewer's time zone.

export interface AuditSearch {
  /** A partner's ID, or `none` for records without a partner. */
  partner?: string;
  who?: string;
  action?: string;
  kind?: string;
  id?: string;
  from?: string;
  until?: string;
}

/** Targets without an ID: there is one per partner, or one in total. */
const withoutId = ['webhook', 'sandbox_clock', 'catalogue', 'audit'];
const hasNoId = (kind: string | undefined): boolean => kind !== undefined && withoutId.includes(kind);

const targetKinds = [
  'partner',
  'provider',
  'campaign',
  'free_bet',
  'job',
  'draft',
  'confirmation',
  'staff',
  'webhook',
  'sandbox_clock',
  'catalogue',
  'report',
  'account',
  'session',
  'audit',
];

/** Undefined without a partner or with an invalid one. */
export const chainOf = (partner: string | undefined): number | null | undefined =>
  partner === 'none' ? null : numberIn(partner);

export function filterOf({ partner, who, action, kind, id, from, until }: AuditSearch): AuditFilter {
  const [begin, last] = [dayOf(from), dayOf(until)];
  const chain = chainOf(partner);
  return {
    ...(chain !== undefined && { client_id: chain }),
    ...(who !== undefined && { actor: who }),
    ...(action !== undefined && { action }),
    ...(kind !== undefined && { target: { kind, ...(hasNoId(kind) ? { id: '' } : id && { id }) } }),
    ...(begin && { from: timestamp(begin) }),
    ...(last && { until: timestamp(midnight(last, 1)) }),
  };
}

interface FilterProps {
  search: AuditSearch;
  /** Changes these filters and keeps the others. */
  set(part: AuditSearch): void;
}

const actions = Object.entries({ ...paths, ...staffPaths })
  .filter(
    ([name, { staff, changes }]) =>
      (changes && staff !== null) ||
      /^Sign|Export$|Review$|^Draft(Save|Copy|Discard)|^Session|Password|SecondFactor|Recovery|Invitation/.test(name),
  )
  .map(([name]) => ({ value: name, label: actionText(name) }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

/** Users who can list staff choose the person; others type the e-mail address. */
function WhoFilter({ search: { who }, set, w }: FilterProps & { w: object }) {
  const may = useMay();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  const query = useQuery({
    ...callQuery('StaffList', { limit: 20, ...(wanted && { search: wanted }) }),
    enabled: may('StaffList'),
  });
  const found = (query.data?.staff ?? []).map(({ email }) => ({ value: email, label: email }));
  if (!may('StaffList')) {
    return (
      <SearchField
        label="By"
        placeholder="E-mail or cli"
        value={who}
        onSearch={(words) => set({ who: words })}
        maxLength={254}
        w={w}
      />
    );
  }
  return (
    <Select
      label="By"
      placeholder="Any"
      data={withChosen([commandLine, ...found], who)}
      value={who ?? null}
      error={query.error?.message}
      onChange={(value) => set({ who: value ?? undefined })}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound('No matching users', wanted === typed.trim(), query)}
      clearable
      w={w}
    />
  );
}

const commandLine = { value: 'cli', label: 'command line' };

/** Two per row on a phone. */
const half = 'calc(50% - 6px)';

/** Adds the chosen value if it is not listed, so that a shared link shows its filter. */
const withChosen = (data: { value: string; label: string }[], value: string | undefined) =>
  value === undefined || data.some((each) => each.value === value) ? data : [...data, { value, label: value }];

export function Filters({ search, set }: FilterProps) {
  const { action, kind, id, from, until } = search;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const choice = { searchable: true, clearable: true, placeholder: 'Any', w: { base: half, xs: 156 } };
  const day = { isPaused: true, w: { base: half, xs: 140 } };
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Filters">
      <PartnerFilter {...{ search, set }} />
      <WhoFilter {...{ search, set }} w={choice.w} />
      <Select
        {...choice}
        label="Action"
        data={withChosen(actions, action)}
        value={action ?? null}
        onChange={(value) => set({ action: value ?? undefined })}
      />
      <Select
        {...choice}
        label="Target"
        data={withChosen(
          targetKinds.map((value) => ({ value, label: kindText(value) })),
          kind,
        )}
        value={kind ?? null}
        onChange={(value) => set({ kind: value ?? undefined, id: undefined })}
      />
      {kind !== undefined && !hasNoId(kind) && (
        <SearchField
          label="Target ID"
          value={id}
          onSearch={(value) => set({ id: value })}
          maxLength={256}
          w={choice.w}
        />
      )}
      <DateField
        {...day}
        label="From"
        value={dayOf(from) && from}
        onChange={(value) => set({ from: value || undefined })}
      />
      <DateField
        {...day}
        label="Until"
        value={dayOf(until) && until}
        onChange={(value) => set({ until: value || undefined })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() =>
            set({
              partner: undefined,
              who: undefined,
              action: undefined,
              kind: undefined,
              id: undefined,
              from: undefined,
              until: undefined,
            })
          }
        >
          Clear filters
        </Button>
      )}
    </Group>
  );
}

function PartnerFilter({ search, set }: FilterProps) {
  const partner = chainOf(search.partner) === undefined ? undefined : search.partner;
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(nameInLabel(typed), 200);
  const { partners: own } = usePerson();
  const query = useQuery(partnersToChoose(wanted));
  const offered = (query.data?.partners ?? []).map(partnerOption);
  const none = own === null ? [{ value: 'none', label: 'No partner' }] : [];
  return (
    <Select
      label="Partner"
      placeholder="Any"
      data={withChosen([...none, ...offered], partner)}
      value={partner ?? null}
      error={query.error?.message}
      // The target ID belongs to the previous partner.
      onChange={(value) => set({ partner: value ?? undefined, ...(partner && value && { id: undefined }) })}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound('No matching partner', wanted === nameInLabel(typed), query)}
      clearable
      w={{ base: half, xs: 156 }}
    />
  );
}
