import { Badge, SegmentedControl, Select } from '@mantine/core';
import { oneOf } from './address.ts';

// All status words and their colours. Running is green, waiting is blue, ended on its own is grey, ended by a person is
// red.

/** For wire words that staff would not understand. Other statuses show the wire word. */
const labels: Record<string, string> = {
  exhausted: 'cap reached',
  issued: 'upcoming',
  placed: 'open',
  refused: 'rejected',
  submitted: 'pending approval',
};

/** Kinds whose word "open" means something else. */
const openLabels = { draft: 'in progress', job: 'not started' };

type Kind = keyof typeof openLabels;

export const statusText = (status: string, of?: Kind): string =>
  (status === 'open' && of ? openLabels[of] : labels[status]) ?? status.replaceAll('_', ' ');

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The options of a status filter. */
export const statusOptions = (statuses: readonly string[], of?: Kind) =>
  statuses.map((value) => ({ value, label: capitalised(statusText(value, of)) }));

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

export const Status = ({ is, of }: { is: string; of?: Kind }) => (
  <Badge color={colours[is] ?? 'gray'} variant="light" tt="none" fw={600} radius="sm" miw="max-content">
    {statusText(is, of)}
  </Badge>
);

interface StatusFilterProps<Word extends string> {
  of?: Kind;
  label: string;
  words: readonly Word[];
  /** Undefined for all. */
  value: Word | undefined;
  onChange(value: Word | undefined): void;
}

/** Buttons on wide screens, a dropdown on phones. */
export function StatusFilter<Word extends string>({ of, label, words, value, onChange }: StatusFilterProps<Word>) {
  const data = statusOptions(words, of);
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
