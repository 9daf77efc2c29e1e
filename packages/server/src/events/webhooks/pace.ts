import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';

// Requests come first. While some are under way and this process has no time to spare, only so many attempts are started;
// what waits is sent when there is time again, or by another server.

export interface Pace extends BackgroundWork {
  /** Takes one of the attempts that may be started now. */
  mayStart(): boolean;
}

const sampleMs = 100;
/** With 0.9, Issue kept 0.77 of its rate beside a webhook that gets every event. */
const busyShare = 0.7;

export function keepPace(
  areRequestsUnderWay: () => boolean,
  perSecondWhenBusy: number,
  onFault: (error: unknown) => void,
): Pace {
  let isBusy = false;
  let left = 0;
  let last: EventLoopUtilization | undefined;
  const sample = async () => {
    const now = performance.eventLoopUtilization();
    isBusy = last !== undefined && performance.eventLoopUtilization(now, last).utilization > busyShare;
    last = now;
    left = (perSecondWhenBusy * sampleMs) / 1000;
  };
  // Without jitter, because each sample is the allowance for just so long.
  const { stop } = repeat(sample, { pauseMs: sampleMs, jitter: 0, onFault });
  return {
    mayStart() {
      if (!isBusy || !areRequestsUnderWay()) return true;
      left -= 1;
      return left >= 0;
    },
    stop,
  };
}
