import { NumberInput, type NumberInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type SyntheticEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { firstYear, isPlausible, lastYear } from './dates.ts';
import { count } from './figures.tsx';
import { decimalIn, wholeNumberIn, whyNoDecimal } from './numbers.ts';

interface DecimalInputProps extends Omit<TextInputProps, 'onChange'> {
  value?: string;
  onChange(value: string): void;
  places: number;
}

/** What is left in the field is what was read; what could not be read is said. */
export function DecimalInput({ value = '', onChange, places, error, ...input }: DecimalInputProps) {
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
        onChange?.(value);
      }}
      onPasteCapture={(event) => take(event, event.clipboardData.getData('text'))}
      onDropCapture={(event) => take(event, event.dataTransfer.getData('text'))}
    />
  );
}

// A day, or a time of one, that can be typed part by part. While the field has the focus it is the browser's alone: what comes from outside
// would undo the part that is being typed, so it is shown when the field is left. Only what is whole is passed on, or that there is nothing.

interface DateFieldProps
  extends Omit<TextInputProps, 'type' | 'ref' | 'value' | 'defaultValue' | 'onChange' | 'error'> {
  type?: 'date' | 'datetime-local';
  /** As the browser writes it, such as "2027-01-31"; empty where there is none. */
  value?: string | undefined;
  onChange(value: string): void;
  /** Whether something is asked for with each value, which waits until one stops typing. */
  isPaused?: boolean;
}

const typingPauseMs = 400;
const bounds = {
  date: { min: `${firstYear}-01-01`, max: `${lastYear}-12-31` },
  'datetime-local': { min: `${firstYear}-01-01T00:00`, max: `${lastYear}-12-31T23:59` },
};

/** Undefined where it can be used. The value of what is begun is empty, too. */
const whyUnusable = ({ value, validity }: HTMLInputElement): string | undefined => {
  if (validity.badInput) return 'This is not whole, and not used.';
  if (value !== '' && !isPlausible(value)) return `A year from ${firstYear} to ${lastYear}; this is not used.`;
  return undefined;
};

export function DateField({ type = 'date', value = '', onChange, isPaused = false, ...input }: DateFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const passed = useRef(value);
  const [isTyping, setTyping] = useState(false);
  const [error, setError] = useState<string>();
  const pass = () => {
    const { current } = field;
    if (!current || whyUnusable(current) || current.value === passed.current) return;
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
  // Another value from outside is what counts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is that the value is another one.
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
        // What is there already stays, of whatever year it is.
        const isAsBefore = !currentTarget.validity.badInput && currentTarget.value === passed.current;
        setError(isAsBefore ? undefined : whyUnusable(currentTarget));
      }}
    />
  );
}

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What the address says. */
  value: string | undefined;
  onSearch(value: string | undefined): void;
}

const searchPauseMs = 250;

/** Words that are searched for when one stops typing. */
export function SearchField({ value = '', onSearch, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((words: string) => {
    sent.current = words.trim();
    onSearch(sent.current === '' ? undefined : sent.current);
  }, searchPauseMs);
  // An address that somebody else changed, such as the way back, is what counts.
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
