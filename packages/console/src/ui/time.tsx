import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { relativeText } from './relative-time.ts';

// Times are relative, with the exact one on hover, in the viewer's zone and in UTC.

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

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
