import type { Pool } from 'pg';
import { type BackgroundWork, repeat } from '../background/repeat.ts';
import { type Callers, loadCallers } from '../callers/callers.ts';
import type { MasterKey } from '../callers/secrets.ts';
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts';
import { inSnapshot } from '../db/transaction.ts';
import { readReferenceVersion } from '../sql/reference.ts';

// Keys, offers and games, as this server knows them. `watchReference` polls for changes and swaps the whole snapshot, so
// that a request sees one state of the world. While the database is unavailable, the last snapshot stays.

export interface Reference {
  callers: Callers;
  catalogue: Catalogue;
}

export interface ReferenceWatch extends BackgroundWork {
  current(): Reference;
  /** Resolves when this server knows of every change that was made before; or cannot ask, and will know later. */
  follow(): Promise<void>;
}

export interface ReferenceObserver {
  onFault(error: unknown): void;
  /** A caller is shut out, because its stored secret does not open with the master key. */
  onUnopened(owner: string): void;
}

/** A change must be seen within two seconds, on every server. */
const pollMs = 750;

export async function watchReference(
  pool: Pool,
  masterKey: MasterKey,
  publicUrl: () => string,
  { onFault, onUnopened }: ReferenceObserver,
): Promise<ReferenceWatch> {
  const load = () =>
    inSnapshot(
      pool,
      async (connection): Promise<Reference> => ({
        callers: await loadCallers(connection, masterKey, onUnopened),
        catalogue: await loadCatalogue(connection, publicUrl),
      }),
    );
  // The version is read before the rows it counts, so that a change in between is seen the next time.
  let version = await readReferenceVersion(pool);
  let current = await load();
  const loadNewest = async () => {
    const newest = await readReferenceVersion(pool);
    if (newest === version) return;
    current = await load();
    version = newest;
  };
  // One after the other, or an older snapshot could take the place of a newer one.
  let latest = Promise.resolve();
  const poll = () => {
    latest = latest.catch(() => {}).then(loadNewest);
    return latest;
  };
  const { stop } = repeat(poll, { pauseMs: pollMs, onFault });
  return { current: () => current, follow: () => poll().catch(() => {}), stop };
}
