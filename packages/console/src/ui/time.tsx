import { Tooltip } from '@mantine/core';
import { createContext, useContext, useEffect, useReducer } from 'react';
import { relativeText, type Side } from './dates.ts';

// Times are relative. Hover or touch shows the exact time in the viewer's zone and in UTC.

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** In the viewer's zone and in UTC. */
export const exactText = (time: string): string =>
  `${exact.format(new Date(time))} · ${time.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}`;

/**
 * Re-renders every 20 seconds. Reads the clock on each render, because the last tick is older than events since then.
 */
function useNow(): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, 20_000);
    return () => clearInterval(timer);
  }, []);
  return Date.now();
}

/** Shows exact instead of relative times: because clocks differ, or because the user chose so. */
export const ExactTimes = createContext(false);

interface TimeProps {
  at: string | null;
  is?: Side;
}

/** Most times are in the past; pass `is` for the others. */
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
