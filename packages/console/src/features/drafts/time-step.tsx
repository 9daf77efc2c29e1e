import { Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { localText } from '../../ui/local-time.ts';
import { exactText } from '../../ui/time.tsx';
import { viewerZone } from '../../ui/zone.ts';
import type { StepProps } from './draft-editor.tsx';
import { type DurationUnit, unitNames } from './draft-form.ts';
import { ProblemList } from './problem-list.tsx';

const utcText = (time: string): string => time.replace('T', ' ').replace(/(:00)?(\.\d+)?Z$/, ' UTC');

interface MomentProps {
  label: string;
  time: string | null;
  onChange(time: string | null): void;
}

const Moment = ({ label, time, onChange }: MomentProps) => (
  <TextInput
    type="datetime-local"
    label={label}
    description={time ? `${utcText(time)}` : `In your time, ${viewerZone}`}
    inputWrapperOrder={['label', 'input', 'description']}
    value={time === null ? '' : localText(time)}
    onChange={({ currentTarget: { value } }) => onChange(value === '' ? null : new Date(value).toISOString())}
    max="9998-12-31T23:59"
    w={230}
  />
);

export function TimeStep({ clientId, form, onChange, problems }: StepProps) {
  const { data: partner } = useQuery(asking('PartnerGet', { client_id: clientId }));
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Times are in your time zone, {viewerZone}; the same in UTC stands below.
      </Text>
      {partner?.clock && (
        <Text size="sm" c="dimmed">
          This partner is a sandbox: for it, it is {exactText(partner.clock.now)}.
        </Text>
      )}
      <Group align="flex-start">
        <Moment label="Start" time={form.validFrom} onChange={(validFrom) => onChange({ validFrom })} />
        <Moment label="End" time={form.validUntil} onChange={(validUntil) => onChange({ validUntil })} />
      </Group>
      <Group align="flex-end">
        <NumberInput
          label="A free bet lasts"
          description="From when it can be used; empty: until the end."
          value={form.duration}
          onChange={(value) => onChange({ duration: String(value) })}
          allowDecimal={false}
          min={1}
          w={230}
        />
        <Select
          aria-label="Unit of how long it lasts"
          data={unitNames}
          value={form.durationUnit}
          onChange={(unit) => onChange({ durationUnit: unit as DurationUnit })}
          allowDeselect={false}
          w={120}
        />
      </Group>
      <ProblemList problems={problems.filter(({ step }) => step === 'time')} />
    </Stack>
  );
}
