import { Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { StepProps } from './draft-editor.tsx';
import { ProblemList } from './problem-list.tsx';

export function LimitsStep({ form, onChange, problems }: StepProps) {
  const whole = { allowDecimal: false, min: 1, max: 2_147_483_647, thousandSeparator: ' ', w: 230 };
  const decimal = { inputMode: 'decimal', w: 230 } as const;
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
      <Group align="flex-start">
        <TextInput
          label="Lowest coefficient"
          placeholder="such as 1.50"
          value={form.minCoefficient}
          onChange={(event) => onChange({ minCoefficient: event.currentTarget.value })}
          {...decimal}
        />
        <TextInput
          label="Highest coefficient"
          placeholder="such as 10.00"
          value={form.maxCoefficient}
          onChange={(event) => onChange({ maxCoefficient: event.currentTarget.value })}
          {...decimal}
        />
      </Group>
      <ProblemList problems={problems.filter(({ step }) => step === 'limits')} />
    </Stack>
  );
}
