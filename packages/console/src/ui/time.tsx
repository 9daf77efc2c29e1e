import { Tooltip } from '@mantine/core';
import { createContext, useContext, useEffect, useReducer } from 'react';
import { relativeText, type Side } from './dates.ts';

// Times are relative, with the exact one on hover or touch, in the viewer's zone and in UTC.

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** In the viewer's zone, with UTC beside it. */
export const exactText = (time: string): string =>
  `${exact.format(new Date(time))} · ${time.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}`;

/** Renders every 20 seconds, and reads the clock in each render: the time of the last tick is earlier than events since then. */
function useNow(): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, 20_000);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}

/** Where times are not relative: nobody could say to which clock, or somebody has chosen so. */
export const ExactTimes = createContext(false);

interface TimeProps {
  at: string | null;
  is?: Side;
}

/** Most times on a screen are in the past; pass `is` for the others. */
export function Time({ at, is = 'past' }: TimeProps) {
  const now = useNow();
  const isExact = useContext(ExactTimes);
  if (at === null) return <span>–</span>;
  return (
    <Tooltip label={exactText(at)} withArrow events={{ hover: true, touch: true, focus: false }}>
      <time dateTime={at} className="figure">
        {isExact ? exact.format(new Date(at)) : relativeText(at, now, is)}
      </time>
    </Tooltip>
  );
}
