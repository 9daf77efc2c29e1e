import { NumberInput, type NumberInputProps } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { count } from './money.tsx';
import { wholeNumberIn } from './whole-number.ts';

interface WholeNumberInputProps
  extends Omit<NumberInputProps<number>, 'value' | 'onChange' | 'max' | 'error' | 'allowDecimal' | 'allowNegative'> {
  value: number | string;
  onChange(value: number | string): void;
  max?: number;
}

/** Puts the digits where the cursor is, as if they had been typed. */
function insert(field: HTMLInputElement, digits: string): void {
  field.setRangeText(digits, field.selectionStart ?? 0, field.selectionEnd ?? field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** The field that this one is made of takes a pasted "40,000" for 40. Here it is read as a whole, or refused. */
export function WholeNumberInput({ onChange, max, ...input }: WholeNumberInputProps) {
  const [refused, setRefused] = useState<string>();
  const take = (event: SyntheticEvent<HTMLInputElement>, text: string) => {
    event.preventDefault();
    event.stopPropagation();
    const digits = wholeNumberIn(text);
    const isTaken = digits !== undefined && (max === undefined || Number(digits) <= max);
    setRefused(isTaken ? undefined : text.trim().slice(0, 40));
    if (isTaken) insert(event.currentTarget, digits);
  };
  return (
    <NumberInput
      {...input}
      {...(max !== undefined && { max })}
      allowDecimal={false}
      allowNegative={false}
      error={refused && `“${refused}” is no whole number${max === undefined ? '' : ` up to ${count(max)}`}.`}
      onChange={(value) => {
        setRefused(undefined);
        onChange(value);
      }}
      onPasteCapture={(event) => take(event, event.clipboardData.getData('text'))}
      onDropCapture={(event) => take(event, event.dataTransfer.getData('text'))}
    />
  );
}
