import type { JobBody } from '@freebets/contract';
import type { Side } from '../../ui/dates.ts';

interface StartTime {
  name: 'Starts' | 'Started';
  at: string | null;
  side: Side;
}

const laterOf = (one: string, other: string): string => (Date.parse(one) > Date.parse(other) ? one : other);

/**
 * When a bulk award starts to issue. `started_at` is when the upload was complete, which can be long before `start_at`.
 */
export function startOf({ status, start_at, started_at, stopped_at }: JobBody): StartTime {
  if (started_at === null) return { name: 'Starts', at: status === 'open' ? start_at : null, side: 'either' };
  const at = start_at === null ? started_at : laterOf(started_at, start_at);
  if (status === 'scheduled') return { name: 'Starts', at, side: 'ahead' };
  const isTooLate = stopped_at !== null && Date.parse(stopped_at) < Date.parse(at);
  return { name: 'Started', at: isTooLate ? null : at, side: 'past' };
}
