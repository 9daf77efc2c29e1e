import type { Pool } from 'pg';
import { severConnections } from './connection.ts';

// Watches whether the database answers, so that requests are refused at once instead of waiting for a time-out while it
// is away, and taken again as soon as it is back. One probe is under way at a time. One that has no answer after
// `patienceMs` counts as away, even though it may still come back; after `lostMs` it is given up, and with it whatever the
// other connections wait for. A standby that cannot write counts as away as well.
//
// The time-outs are our own, not the driver's: a timer that comes late says that this process was busy, not the database,
// and then the answer may be there already, unread.

export interface DatabaseHealth {
  isUp(): boolean;
  stop(): void;
}

export interface HealthObserver {
  onChange(up: boolean): void;
  /** Nothing has come from the database for so long that its connections are not worth waiting for. */
  onLost(): void;
}

const intervalMs = 200;
const patienceMs = 800;
const lostMs = 1200;
const latenessMs = 100;

export function watchDatabase(pool: Pool, { onChange, onLost }: HealthObserver): DatabaseHealth {
  let up = true;
  let stopped = false;
  let next: NodeJS.Timeout | undefined;

  const tell = (now: boolean) => {
    if (stopped || now === up) return;
    up = now;
    onChange(up);
  };

  const probe = async () => {
    const cancelPatience = afterBusyTimes(patienceMs, () => tell(false));
    const cancelLoss = afterBusyTimes(lostMs, () => {
      severConnections(pool);
      if (!stopped) onLost();
    });
    try {
      const { rows } = await pool.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable');
      tell(rows[0]?.writable === true);
    } catch {
      tell(false);
    } finally {
      cancelPatience();
      cancelLoss();
    }
    if (!stopped) next = setTimeout(probe, intervalMs).unref();
  };
  void probe();

  return {
    isUp: () => up,
    stop() {
      stopped = true;
      clearTimeout(next);
    },
  };
}

/** Runs the work after so long, not counting times in which this process could not have read an answer. */
function afterBusyTimes(ms: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const start = () => {
    const due = performance.now() + ms;
    timer = setTimeout(() => (performance.now() > due + latenessMs ? start() : work()), ms);
  };
  start();
  return () => clearTimeout(timer);
}
