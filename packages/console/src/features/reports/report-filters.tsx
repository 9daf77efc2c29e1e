import { Button, Group, MultiSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { DateField } from '../../ui/date-field.tsx';
import { CampaignFilter } from './campaign-filter.tsx';
import { groups, type InAddress, mostGroups, quickChoices, type Selection } from './selection.ts';

interface ReportFiltersProps {
  search: InAddress;
  selection: Selection;
  /** For the partner that was chosen. */
  now: Date;
  onChange(next: InAddress): void;
  /** Behind the others. */
  children: ReactNode;
}

export const ReportFilters = (props: ReportFiltersProps) => (
  <Group align="flex-end" gap="sm" className="panel" p="md">
    <Days {...props} />
    <About {...props} />
    {props.children}
  </Group>
);

const Days = ({ selection: { from, to }, now, onChange }: ReportFiltersProps) => (
  <>
    <Button.Group aria-label="Quick choices" style={{ flexWrap: 'wrap' }}>
      {quickChoices(now).map((choice) => {
        const isChosen = choice.from === from && choice.to === to;
        return (
          <Button
            key={choice.label}
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            px={{ base: 8, sm: 'sm' }}
            onClick={() => onChange({ from: choice.from, to: choice.to })}
          >
            {choice.label}
          </Button>
        );
      })}
    </Button.Group>
    <DateField label="From" value={from} onChange={(day) => onChange({ from: day || undefined })} isPaused />
    <DateField label="To, with this day" value={to} onChange={(day) => onChange({ to: day || undefined })} isPaused />
  </>
);

const About = ({ search, selection: { by, asked }, onChange }: ReportFiltersProps) => (
  <>
    <MultiSelect
      label={`By, up to ${mostGroups}`}
      data={[...groups]}
      value={by}
      maxValues={mostGroups}
      miw={220}
      onChange={(value) => onChange({ by: value.length === 0 ? undefined : value.join(',') })}
    />
    <CampaignFilter
      clientId={asked.client_id}
      campaignId={search.campaign}
      onChange={(campaign) => onChange({ campaign })}
    />
  </>
);
