import { NumberInput, type NumberInputProps } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { count } from './money.tsx';
import { wholeNumberIn } from './whole-number.ts';

interface WholeNumberInputProps
  extends Omit<
    NumberInputProps<number>,
    'value' | 'onChange' | 'min' | 'max' | 'error' | 'allowDecimal' | 'allowNegative'
  > {
  value: number | string;
  onChange(value: number | string): void;
  min?: number;
  max?: number;
}

/** Puts the digits where the cursor is, as if they had been typed. */
function insert(field: HTMLInputElement, digits: string): void {
  field.setRangeText(digits, field.selectionStart ?? 0, field.selectionEnd ?? field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const rangeText = (min: number, max: number): string =>
  max === Number.MAX_SAFE_INTEGER ? `from ${count(min)} on` : `from ${count(min)} to ${count(max)}`;

/** The field that this one is made of takes a pasted "40,000" for 40, and of 5000 makes the 1000 that are allowed. Here what is none, or out of range, is refused aloud. */
export function WholeNumberInput({
  onChange,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  ...input
}: WholeNumberInputProps) {
  const [pasted, setPasted] = useState<string>();
  const isOutside = input.value !== '' && (Number(input.value) < min || Number(input.value) > max);
  const refused = pasted ?? (isOutside ? String(input.value) : undefined);
  const take = (event: SyntheticEvent<HTMLInputElement>, text: string) => {
    event.preventDefault();
    event.stopPropagation();
    const digits = wholeNumberIn(text);
    const isTaken = digits !== undefined && Number(digits) <= max;
    setPasted(isTaken ? undefined : text.trim().slice(0, 40));
    if (isTaken) insert(event.currentTarget, digits);
  };
  return (
    <NumberInput
      {...input}
      {...{ min, max }}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      error={refused && `“${refused}” is no whole number ${rangeText(min, max)}.`}
      onChange={(value) => {
        setPasted(undefined);
        onChange(value);
      }}
      onPasteCapture={(event) => take(event, event.clipboardData.getData('text'))}
      onDropCapture={(event) => take(event, event.dataTransfer.getData('text'))}
    />
  );
}
