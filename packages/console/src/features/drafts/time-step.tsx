import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';
import { exactText } from '../../ui/time.tsx';
import { viewerZone } from '../../ui/zone.ts';
import type { StepProps } from './draft-editor.tsx';
import { DurationField, Moment } from './fields.tsx';
import { ProblemList } from './problem-list.tsx';

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
      <DurationField form={form} onChange={onChange} />
      <ProblemList problems={problems.filter(({ step }) => step === 'time')} />
    </Stack>
  );
}
