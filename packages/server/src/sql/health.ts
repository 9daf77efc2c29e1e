import type { Pool } from 'pg';

// Watches whether the database answers, so that requests are refused at once instead of waiting for a time-out while it
// is away, and taken again as soon as it is back. One probe is under way at a time; one that has no answer after
// `patienceMs` already counts as away, even though it may still come back; one that fails is lost for good, and with it
// whatever the other connections wait for. A standby that cannot write counts as away as well.

export interface DatabaseHealth {
  isUp(): boolean;
  stop(): void;
}

const intervalMs = 200;
const patienceMs = 800;

export interface HealthObserver {
  onChange(up: boolean): void;
  onLost(): void;
}

/** How long the pool it is given may wait for an answer. */
export const probeTimeoutMs = 1200;

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
    let answered = false;
    // A busy event loop may run the timer before it reads an answer that is already there: look once more after reading.
    const impatience = setTimeout(() => setImmediate(() => answered || tell(false)), patienceMs);
    try {
      const { rows } = await pool.query<{ writable: boolean }>('SELECT NOT pg_is_in_recovery() AS writable');
      tell(rows[0]?.writable === true);
    } catch {
      tell(false);
      if (!stopped) onLost();
    } finally {
      answered = true;
      clearTimeout(impatience);
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
