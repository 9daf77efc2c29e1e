import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asking } from '../api/queries.ts';
import { nothingFound } from './nothing-found.ts';

/** All that may be chosen from at a time; beyond it one searches. */
export const partnersToChoose = (search?: string) => asking('PartnerList', { limit: 20, ...(search && { search }) });

interface Named {
  client_id: number;
  name: string;
  sandbox: boolean;
}

/** Two may have one name, such as a partner and its sandbox. */
const partnerLabel = ({ client_id, name, sandbox }: Named): string =>
  `${name} (${client_id})${sandbox ? ' · sandbox' : ''}`;

export const partnerOption = (partner: Named) => ({
  value: String(partner.client_id),
  label: partnerLabel(partner),
});

/** The field has the whole label of what was chosen in it, and the server finds by the name. */
export const nameInLabel = (text: string): string => text.replace(/ \(\d+\)( · sandbox)?$/, '');

interface PartnerSelectProps {
  chosen: Named | undefined;
  /** Whether all of them together can be chosen too. */
  withAll: boolean;
  onChoose(clientId: number | undefined): void;
}

const all = { value: '', label: 'All partners' };

/** Hidden where there is nothing to choose. */
export function PartnerSelect({ chosen, withAll, onChoose }: PartnerSelectProps) {
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search, 200);
  const isTyped = wanted !== '' && wanted !== (chosen && partnerLabel(chosen)) && wanted !== all.label;
  const query = useQuery(partnersToChoose(isTyped ? nameInLabel(wanted) : ''));
  const found = query.data?.partners ?? [];
  const isChosenMissing = chosen && !isTyped && !found.some(({ client_id }) => client_id === chosen.client_id);
  const offered = isChosenMissing ? [chosen, ...found] : found;
  if (offered.length < 2 && !isTyped) return null;
  return (
    <Select
      aria-label="Partner"
      size="xs"
      w={{ base: 140, sm: 240 }}
      miw={0}
      data={[...(withAll ? [all] : []), ...offered.map(partnerOption)]}
      value={chosen ? String(chosen.client_id) : ''}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      nothingFoundMessage={nothingFound('No such partner', wanted === search, query)}
      allowDeselect={false}
      onChange={(value) => value !== null && onChoose(value === '' ? undefined : Number(value))}
    />
  );
}
