import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

// Times are relative, with the exact one on hover, in the viewer's zone and in UTC.

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function relativeText(time: string, nowMs: number): string {
  const seconds = (Date.parse(time) - nowMs) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  if (unit === 'second' && Math.abs(seconds) < 10) return 'just now';
  return relative.format(Math.round(seconds / length), unit);
}

/** In the viewer's zone, with UTC beside it. */
export const exactText = (time: string): string =>
  `${exact.format(new Date(time))} · ${time.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}`;

/** Grows old by itself. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 20_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Time({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span>–</span>;
  return (
    <Tooltip label={exactText(at)} withArrow>
      <time dateTime={at} className="figure">
        {relativeText(at, now)}
      </time>
    </Tooltip>
  );
}
