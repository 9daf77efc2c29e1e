import { TextInput, type TextInputProps } from '@mantine/core';
import { decimalIn, whyNoDecimal } from './decimal.ts';

interface DecimalInputProps extends Omit<TextInputProps, 'onChange'> {
  value: string;
  onChange(value: string): void;
  places: number;
}

/** What is left in the field is what was read; what could not be read is said. */
export function DecimalInput({ value, onChange, places, error, ...input }: DecimalInputProps) {
  const read = decimalIn(value, places) ?? value;
  return (
    <TextInput
      {...input}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => read !== value && onChange(read)}
      error={whyNoDecimal(value, places) ?? error}
      inputMode="decimal"
    />
  );
}
