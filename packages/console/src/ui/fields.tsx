import { NumberInput, type NumberInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type SyntheticEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { firstYear, isPlausible, lastYear } from './dates.ts';
import { count } from './figures.tsx';
import { decimalError, decimalIn, wholeNumberIn } from './numbers.ts';

interface DecimalInputProps extends Omit<TextInputProps, 'onChange'> {
  value?: string;
  onChange(value: string): void;
  places: number;
}

/** On blur, shows the number as it was understood. Shows an error for text that is not a number. */
export function DecimalInput({ value = '', onChange, places, error, ...input }: DecimalInputProps) {
  const read = decimalIn(value, places) ?? value;
  return (
    <TextInput
      {...input}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => read !== value && onChange(read)}
      error={decimalError(value, places) ?? error}
      inputMode="decimal"
    />
  );
}

interface WholeNumberInputProps
  extends Omit<
    NumberInputProps<number>,
    'value' | 'onChange' | 'min' | 'max' | 'error' | 'allowDecimal' | 'allowNegative'
  > {
  value?: number | string;
  onChange?(value: number | string): void;
  min?: number;
  max?: number;
}

/** Inserts the digits at the cursor, as if they had been typed. */
function insert(field: HTMLInputElement, digits: string): void {
  field.setRangeText(digits, field.selectionStart ?? 0, field.selectionEnd ?? field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const rangeText = (min: number, max: number): string =>
  max === Number.MAX_SAFE_INTEGER ? `of at least ${count(min)}` : `from ${count(min)} to ${count(max)}`;

/**
 * Mantine's field reads a pasted "40,000" as 40 and silently reduces 5000 to a maximum of 1000. This one shows an error
 * instead.
 */
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
      error={refused && `“${refused}” is not a whole number ${rangeText(min, max)}.`}
      onChange={(value) => {
        setPasted(undefined);
        onChange?.(value);
      }}
      onPasteCapture={(event) => take(event, event.clipboardData.getData('text'))}
      onDropCapture={(event) => take(event, event.dataTransfer.getData('text'))}
    />
  );
}

// A date field that can be typed part by part. While it has the focus, only the browser changes it: a value from
// outside would undo the part being typed, so that value is shown on blur. Only complete and empty values are passed
// on.

interface DateFieldProps
  extends Omit<TextInputProps, 'type' | 'ref' | 'value' | 'defaultValue' | 'onChange' | 'error'> {
  type?: 'date' | 'datetime-local';
  /** In the browser's format, such as "2027-01-31"; empty for no date. */
  value?: string | undefined;
  onChange(value: string): void;
  /** Passes values on after a pause in typing, because each one causes a request. */
  isPaused?: boolean;
}

const typingPauseMs = 400;
const bounds = {
  date: { min: `${firstYear}-01-01`, max: `${lastYear}-12-31` },
  'datetime-local': { min: `${firstYear}-01-01T00:00`, max: `${lastYear}-12-31T23:59` },
};

/** Undefined if the value is usable. The value of an incomplete date is empty, too. */
const dateError = ({ value, validity }: HTMLInputElement): string | undefined => {
  if (validity.badInput) return 'Incomplete date. It is not used.';
  if (value !== '' && !isPlausible(value))
    return `The year must be from ${firstYear} to ${lastYear}. This date is not used.`;
  return undefined;
};

export function DateField({ type = 'date', value = '', onChange, isPaused = false, ...input }: DateFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const passed = useRef(value);
  const [isTyping, setTyping] = useState(false);
  const [error, setError] = useState<string>();
  const pass = () => {
    const { current } = field;
    if (!current || dateError(current) || current.value === passed.current) return;
    passed.current = current.value;
    onChange(current.value);
  };
  const passSoon = useDebouncedCallback(pass, typingPauseMs);
  const passNow = () => {
    passSoon.cancel();
    pass();
  };
  useLayoutEffect(() => {
    if (!field.current || isTyping || error) return;
    field.current.value = value;
    passed.current = field.current.value;
  }, [value, isTyping, error]);
  // A new value from outside replaces the invalid one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the value changes.
  useEffect(() => setError(undefined), [value]);
  return (
    <TextInput
      {...bounds[type]}
      {...input}
      ref={field}
      type={type}
      error={error}
      onFocus={() => setTyping(true)}
      onInput={isPaused ? passSoon : pass}
      onKeyDown={({ key }) => key === 'Enter' && passNow()}
      onBlur={({ currentTarget }) => {
        passNow();
        setTyping(false);
        // An unchanged value is valid in any year.
        const isAsBefore = !currentTarget.validity.badInput && currentTarget.value === passed.current;
        setError(isAsBefore ? undefined : dateError(currentTarget));
      }}
    />
  );
}

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The value in the address. */
  value: string | undefined;
  onSearch(value: string | undefined): void;
}

const searchPauseMs = 250;

/** Searches after a pause in typing. */
export function SearchField({ value = '', onSearch, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((words: string) => {
    sent.current = words.trim();
    onSearch(sent.current === '' ? undefined : sent.current);
  }, searchPauseMs);
  // Follows changes of the address, such as by the Back button.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  return (
    <TextInput
      {...input}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
