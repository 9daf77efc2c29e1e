import { Group, Stack, Text } from '@mantine/core';
import { WholeNumberInput } from '../../ui/whole-number-input.tsx';
import { limitInput } from '../campaigns/limit-input.ts';
import { CoefficientFields, type StepProps } from './fields.tsx';
import { ProblemList } from './problem-list.tsx';

export function LimitsStep({ form, onChange, problems }: StepProps) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Free bets in all and the highest coefficient bound what the campaign can cost. Empty means no limit.
      </Text>
      <Group align="flex-start">
        <WholeNumberInput
          label="Free bets in all"
          value={form.limit}
          onChange={(value) => onChange({ limit: String(value) })}
          {...limitInput}
          w={230}
        />
        <WholeNumberInput
          label="Free bets for one player"
          value={form.limitPerPlayer}
          onChange={(value) => onChange({ limitPerPlayer: String(value) })}
          {...limitInput}
          w={230}
        />
      </Group>
      <CoefficientFields form={form} onChange={onChange} />
      <ProblemList problems={problems.filter(({ step }) => step === 'limits')} />
    </Stack>
  );
}
