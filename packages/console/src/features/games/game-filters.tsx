import { Group, Select } from '@mantine/core';
import { SearchIcon } from '@primer/octicons-react';
import type { AnswerOf } from '../../api/call.ts';
import { SearchField } from '../../ui/search-field.tsx';

/** The filters in the address. */
export interface GameSearch {
  view?: string;
  partner?: string;
  search?: string;
  provider?: string;
  currency?: string;
  free_bets?: string;
}

interface GameFiltersProps {
  search: GameSearch;
  providers: AnswerOf<'ProviderList'>['providers'];
  onChange(next: GameSearch): void;
}

export function GameFilters({ search, providers, onChange }: GameFiltersProps) {
  const currencies = [...new Set(providers.flatMap(({ currencies }) => currencies))].toSorted();
  return (
    <Group align="flex-end" gap="sm">
      <SearchField
        label="Search"
        placeholder="Title or id"
        type="search"
        leftSection={<SearchIcon size={16} aria-hidden />}
        value={search.search}
        onSearch={(words) => onChange({ search: words })}
        maxLength={128}
      />
      <Select
        label="Provider"
        placeholder="All"
        clearable
        searchable
        data={providers.map(({ provider_id, name }) => ({ value: provider_id, label: name }))}
        value={search.provider ?? null}
        onChange={(value) => onChange({ provider: value ?? undefined })}
      />
      <Select
        label="Currency"
        placeholder="All"
        clearable
        searchable
        w={120}
        data={currencies}
        value={search.currency ?? null}
        onChange={(value) => onChange({ currency: value ?? undefined })}
      />
      <Select
        label="Free bets"
        placeholder="All"
        clearable
        w={160}
        data={[
          { value: 'yes', label: 'Supported' },
          { value: 'no', label: 'Not supported' },
        ]}
        value={search.free_bets ?? null}
        onChange={(value) => onChange({ free_bets: value ?? undefined })}
      />
    </Group>
  );
}
