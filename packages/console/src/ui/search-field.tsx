import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What the address says. */
  value: string | undefined;
  onSearch(value: string | undefined): void;
}

const pauseMs = 250;

/** Words that are searched for when one stops typing. */
export function SearchField({ value = '', onSearch, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((words: string) => {
    sent.current = words.trim();
    onSearch(sent.current === '' ? undefined : sent.current);
  }, pauseMs);
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
