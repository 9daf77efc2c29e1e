import { Group, Stack, Text } from '@mantine/core';
import { viewerZone } from '../../ui/zone.ts';
import { SandboxTime } from '../sandbox/partner-time.tsx';
import { DurationField, Moment, type StepProps } from './fields.tsx';
import { ProblemList } from './problem-list.tsx';

export function TimeStep({ clientId, form, onChange, problems }: StepProps) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Times are in your time zone, {viewerZone}; the same in UTC stands below.
      </Text>
      <SandboxTime clientId={clientId} />
      <Group align="flex-start">
        <Moment label="Start" time={form.validFrom} onChange={(validFrom) => onChange({ validFrom })} />
        <Moment label="End" time={form.validUntil} onChange={(validUntil) => onChange({ validUntil })} />
      </Group>
      <DurationField form={form} onChange={onChange} />
      <ProblemList problems={problems.filter(({ step }) => step === 'time')} />
    </Stack>
  );
}
