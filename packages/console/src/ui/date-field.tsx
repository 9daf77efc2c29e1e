import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { firstYear, isPlausible, lastYear } from './zone.ts';

// A day, or a time of one, that can be typed part by part. While the field has the focus it is the browser's alone: what comes from outside
// would undo the part that is being typed, so it is shown when the field is left. Only what is whole is passed on, or that there is nothing.

interface DateFieldProps
  extends Omit<TextInputProps, 'type' | 'ref' | 'value' | 'defaultValue' | 'onChange' | 'error'> {
  type?: 'date' | 'datetime-local';
  /** As the browser writes it, such as "2027-01-31"; empty where there is none. */
  value: string | undefined;
  onChange(value: string): void;
  /** Whether something is asked for with each value, which waits until one stops typing. */
  isPaused?: boolean;
}

const pauseMs = 400;
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
  const passSoon = useDebouncedCallback(pass, pauseMs);
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
