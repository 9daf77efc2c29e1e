import { SegmentedControl, Select } from '@mantine/core';
import { oneOf } from './search.ts';
import { capital } from './words.ts';

interface StatusFilterProps<Word extends string> {
  label: string;
  words: readonly Word[];
  /** Undefined for all. */
  value: Word | undefined;
  onChange(value: Word | undefined): void;
}

/** All beside each other where there is room; on a phone as a field to choose from. */
export function StatusFilter<Word extends string>({ label, words, value, onChange }: StatusFilterProps<Word>) {
  const data = words.map((word) => ({ value: word as string, label: capital(word) }));
  const choose = (chosen: string | null) => onChange(oneOf(words, chosen));
  return (
    <>
      <SegmentedControl
        aria-label={label}
        data={[{ value: '', label: 'All' }, ...data]}
        value={value ?? ''}
        onChange={choose}
        size="xs"
        visibleFrom="md"
        w="max-content"
      />
      <Select
        aria-label={label}
        placeholder="Any status"
        data={data}
        value={value ?? null}
        onChange={choose}
        clearable
        hiddenFrom="md"
        w={160}
      />
    </>
  );
}
