import { Badge, SegmentedControl, Select } from '@mantine/core';
import { oneOf } from './address.ts';
import { capital } from './words.ts';

// A status in its colour: what runs is green, what waits is blue, what ended by itself is grey, what somebody ended is red.

const colours: Record<string, string> = {
  active: 'green',
  running: 'green',
  received: 'green',
  approved: 'green',
  on: 'green',
  won: 'green',
  scheduled: 'blue',
  not_started: 'blue',
  open: 'blue',
  submitted: 'blue',
  waiting: 'blue',
  pending: 'blue',
  confirmed: 'green',
  placed: 'blue',
  in_use: 'blue',
  invited: 'blue',
  paused: 'yellow',
  failing: 'yellow',
  stopped: 'red',
  cancelled: 'red',
  refused: 'red',
  failed: 'red',
  disabled: 'red',
};

export const Status = ({ is }: { is: string }) => (
  <Badge color={colours[is] ?? 'gray'} variant="light" tt="none" fw={600} radius="sm" miw="max-content">
    {is.replaceAll('_', ' ')}
  </Badge>
);

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
