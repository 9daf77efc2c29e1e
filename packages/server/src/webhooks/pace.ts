import { performance } from 'node:perf_hooks';

// Requests come first. While some are under way and this process has no time to spare, only so many attempts are started;
// what waits is sent when there is time again, or by another server.

export interface Pace {
  /** Takes one of the attempts that may be started now. */
  mayStart(): boolean;
  stop(): void;
}

const sampleMs = 100;
/** With 0.9, Issue kept 0.77 of its rate beside a webhook that gets every event. */
const busyShare = 0.7;

export function keepPace(areRequestsUnderWay: () => boolean, perSecondWhenBusy: number): Pace {
  let isBusy = false;
  let left = 0;
  let sample = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(now, sample).utilization > busyShare;
    sample = now;
    left = (perSecondWhenBusy * sampleMs) / 1000;
  }, sampleMs).unref();
  return {
    mayStart() {
      if (!isBusy || !areRequestsUnderWay()) return true;
      left -= 1;
      return left >= 0;
    },
    stop() {
      clearInterval(timer);
    },
  };
}
