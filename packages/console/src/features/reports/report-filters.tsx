import { Button, Group, MultiSelect, TextInput } from '@mantine/core';
import { groups, type InAddress, mostGroups, quickChoices, type Selection } from './selection.ts';

interface ReportFiltersProps {
  search: InAddress;
  selection: Selection;
  onChange(next: InAddress): void;
}

export const ReportFilters = ({ search, selection: { from, to, by }, onChange }: ReportFiltersProps) => (
  <Group align="flex-end" gap="sm">
    <TextInput
      type="date"
      label="From"
      value={from}
      onChange={(event) => onChange({ from: event.currentTarget.value || undefined })}
    />
    <TextInput
      type="date"
      label="To, with this day"
      value={to}
      onChange={(event) => onChange({ to: event.currentTarget.value || undefined })}
    />
    <Button.Group aria-label="Quick choices">
      {quickChoices(new Date()).map((choice) => {
        const isChosen = choice.from === from && choice.to === to;
        return (
          <Button
            key={choice.label}
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            px="sm"
            onClick={() => onChange({ from: choice.from, to: choice.to })}
          >
            {choice.label}
          </Button>
        );
      })}
    </Button.Group>
    <MultiSelect
      label={`By, up to ${mostGroups}`}
      data={[...groups]}
      value={by}
      maxValues={mostGroups}
      miw={220}
      onChange={(value) => onChange({ by: value.length === 0 ? undefined : value.join(',') })}
    />
    <TextInput
      label="Campaign"
      placeholder="all"
      key={search.campaign}
      defaultValue={search.campaign ?? ''}
      onBlur={(event) => onChange({ campaign: event.currentTarget.value.trim() || undefined })}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange({ campaign: event.currentTarget.value.trim() || undefined });
      }}
    />
  </Group>
);
