import { Tooltip } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';
import { relativeText } from './relative-time.ts';

// Times are relative, with the exact one on hover or touch, in the viewer's zone and in UTC.

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

/** Where times are not relative: nobody could say to which clock, or somebody has chosen so. */
export const ExactTimes = createContext(false);

export function Time({ at }: { at: string | null }) {
  const now = useNow();
  const isExact = useContext(ExactTimes);
  if (at === null) return <span>–</span>;
  return (
    <Tooltip label={exactText(at)} withArrow events={{ hover: true, touch: true, focus: false }}>
      <time dateTime={at} className="figure">
        {isExact ? exact.format(new Date(at)) : relativeText(at, now)}
      </time>
    </Tooltip>
  );
}
