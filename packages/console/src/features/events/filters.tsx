import { Button, Group, Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { DateField } from '../../ui/date-field.tsx';
import { oneOf } from '../../ui/search.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { WholeNumberInput } from '../../ui/whole-number-input.tsx';
import { dayOf } from '../../ui/zone.ts';
import { deliveryStates } from './deliveries.tsx';
import { eventTypes } from './words.ts';

// All of them stand in the address.

const route = getRouteApi('/inside/p/$clientId/events');

type Search = ReturnType<typeof route.useSearch>;

function useFilters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (part: Partial<Search>) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return { search, set };
}

const TypeFilter = () => {
  const { search, set } = useFilters();
  return (
    <Select
      label="Type"
      placeholder="All"
      data={eventTypes}
      value={oneOf(eventTypes, search.type) ?? null}
      onChange={(value) => set({ type: value ?? undefined })}
      clearable
      searchable
      size="xs"
    />
  );
};

export function FeedFilters() {
  const { search, set } = useFilters();
  const { type, player, campaign, since, until } = search;
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search" aria-label="Filters">
      <TypeFilter />
      <SearchField
        label="Player"
        placeholder="id"
        value={player}
        onSearch={(words) => set({ player: words })}
        maxLength={128}
        size="xs"
        w={140}
      />
      <SearchField
        label="Campaign"
        placeholder="id"
        value={campaign}
        onSearch={(words) => set({ campaign: words })}
        maxLength={128}
        size="xs"
        w={160}
      />
      <DateField
        label="From"
        value={dayOf(since) && since}
        onChange={(value) => set({ since: value || undefined })}
        isPaused
        size="xs"
      />
      <DateField
        label="To, with this day"
        value={dayOf(until) && until}
        onChange={(value) => set({ until: value || undefined })}
        isPaused
        size="xs"
      />
      {[type, player, campaign, since, until].some(Boolean) && (
        <Button
          variant="subtle"
          size="xs"
          onClick={() =>
            set({ type: undefined, player: undefined, campaign: undefined, since: undefined, until: undefined })
          }
        >
          Clear
        </Button>
      )}
    </Group>
  );
}

export function DeliveryFilters() {
  const { search, set } = useFilters();
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search" aria-label="Filters">
      <TypeFilter />
      <Select
        label="State"
        placeholder="All"
        data={[...deliveryStates]}
        value={oneOf(deliveryStates, search.state) ?? null}
        onChange={(value) => set({ state: value ?? undefined })}
        clearable
        size="xs"
        w={120}
      />
      {(['from', 'to'] as const).map((name) => (
        <WholeNumberInput
          key={name}
          label={name === 'from' ? 'From number' : 'To number'}
          value={search[name] ?? ''}
          onChange={(value) => set({ [name]: value === '' ? undefined : String(value) })}
          min={1}
          hideControls
          size="xs"
          w={110}
        />
      ))}
    </Group>
  );
}
