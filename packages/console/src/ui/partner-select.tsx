import { SegmentedControl, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callQuery } from '../api/queries.ts';
import { numberIn } from './address.ts';
import { nothingFound } from './words.ts';

/** The partners offered without a search. */
export const partnersToChoose = (search?: string) => callQuery('PartnerList', { limit: 20, ...(search && { search }) });

interface Named {
  client_id: number;
  name: string;
  sandbox: boolean;
}

/** Two partners can have the same name, such as a partner and its sandbox. */
const partnerLabel = ({ client_id, name, sandbox }: Named): string =>
  `${name} (${client_id})${sandbox ? ' · sandbox' : ''}`;

export const partnerOption = (partner: Named) => ({
  value: String(partner.client_id),
  label: partnerLabel(partner),
});

/** The field contains the whole label, but the server searches by name. */
export const nameInLabel = (text: string): string => text.replace(/ \(\d+\)( · sandbox)?$/, '');

interface PartnerSelectProps {
  chosen: Named | undefined;
  /** Whether "All partners" is an option. */
  withAll: boolean;
  onChoose(clientId: number | undefined): void;
}

const all = { value: '', label: 'All partners' };

/** Hidden if there is only one partner. */
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
      nothingFoundMessage={nothingFound('No matching partner', wanted === search, query)}
      allowDeselect={false}
      onChange={(value) => value !== null && onChoose(value === '' ? undefined : Number(value))}
    />
  );
}

// Whose figures a screen shows: one partner's, those of all live partners in scope, or those of all sandboxes in scope.
// Sandbox money is not real, so the two are never added. The default is the live partners, or the sandboxes if there
// are no others.

export interface PartnerScope {
  /** The partners are still loading. */
  isPending: boolean;
  /** The chosen partner, or the only one. */
  clientId: number | undefined;
  /** The part of the request that selects partners. */
  asked: { client_id: number } | { sandboxes: true } | Record<string, never>;
  /** Whether the screen shows sandboxes. With a single partner, this depends on the partner. */
  areSandboxes: boolean;
  /** Whether both kinds exist. */
  canChoose: boolean;
}

export function usePartnerScope({ partner, sandboxes }: { partner?: string; sandboxes?: string }): PartnerScope {
  const { data } = useQuery(partnersToChoose());
  const known = data?.partners ?? [];
  const isAll = data?.next_cursor === null;
  const only = isAll && known.length === 1 ? known[0]?.client_id : undefined;
  const clientId = numberIn(partner) ?? only;
  const areAllSandboxes = isAll && known.every(({ sandbox }) => sandbox);
  const areSandboxes = sandboxes === 'yes' || (sandboxes !== 'no' && areAllSandboxes);
  return {
    isPending: clientId === undefined && data === undefined,
    clientId,
    asked: clientId !== undefined ? { client_id: clientId } : areSandboxes ? { sandboxes: true } : {},
    areSandboxes,
    canChoose: clientId === undefined && !areAllSandboxes && (!isAll || known.some(({ sandbox }) => sandbox)),
  };
}

/** In the address as `sandboxes`. */
export const SandboxChoice = ({ scope, onChange }: { scope: PartnerScope; onChange(sandboxes: 'yes' | 'no'): void }) =>
  scope.canChoose && (
    <SegmentedControl
      size="xs"
      aria-label="Live or sandbox"
      data={[
        { value: 'no', label: 'Live partners' },
        { value: 'yes', label: 'Sandboxes' },
      ]}
      value={scope.areSandboxes ? 'yes' : 'no'}
      onChange={(value) => onChange(value === 'yes' ? 'yes' : 'no')}
    />
  );
