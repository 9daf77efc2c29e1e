import type { Pool } from 'pg';

// Watches whether the database answers, so that requests are refused at once instead of waiting for a time-out while it
// is away, and taken again as soon as it is back. One probe is under way at a time; one that has no answer after
// `patienceMs` already counts as away, even though it may still come back.

export interface DatabaseHealth {
  isUp(): boolean;
  stop(): void;
}

const intervalMs = 200;
const patienceMs = 800;

export function watchDatabase(pool: Pool, onChange: (up: boolean) => void): DatabaseHealth {
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
      await pool.query('SELECT 1');
      tell(true);
    } catch {
      tell(false);
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
