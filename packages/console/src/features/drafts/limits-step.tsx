import { Group, NumberInput, Stack, Text } from '@mantine/core';
import type { StepProps } from './draft-editor.tsx';
import { CoefficientFields } from './fields.tsx';
import { ProblemList } from './problem-list.tsx';

export function LimitsStep({ form, onChange, problems }: StepProps) {
  const whole = { allowDecimal: false, min: 1, max: 2_147_483_647, thousandSeparator: ' ', w: 230 };
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Free bets in all and the highest coefficient bound what the campaign can cost. Empty means no limit.
      </Text>
      <Group align="flex-start">
        <NumberInput
          label="Free bets in all"
          value={form.limit}
          onChange={(value) => onChange({ limit: String(value) })}
          {...whole}
        />
        <NumberInput
          label="Free bets for one player"
          value={form.limitPerPlayer}
          onChange={(value) => onChange({ limitPerPlayer: String(value) })}
          {...whole}
        />
      </Group>
      <CoefficientFields form={form} onChange={onChange} />
      <ProblemList problems={problems.filter(({ step }) => step === 'limits')} />
    </Stack>
  );
}
