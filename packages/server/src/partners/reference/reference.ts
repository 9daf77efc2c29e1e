import type { Pool } from 'pg';
import { type BackgroundWork, repeat } from '../../engine/repeat.ts';
import { inSnapshot } from '../../engine/transaction.ts';
import type { MasterKey } from '../../primitives/sealing.ts';
import {
  type Caller,
  type Callers,
  loadCallers,
  loadPartnerCallers,
  loadProviderCallers,
} from '../callers/live-keys.ts';
import { type PartnerTerms, readPartnerTerms } from '../callers/sql/partners.ts';
import { type Catalogue, loadCatalogue } from '../catalogue/catalogue.ts';
import { requireMasterKey } from '../master-key/master-key.ts';
import { type ReferenceChanges, readChangesSince, readReferenceVersion } from './sql.ts';

// Keys, offers and games in this server's memory. `watchReference` polls for changes and loads the changed partners or
// the catalogue, or everything if a change has no record. Updates are swapped in without an await in between, so each
// request sees one consistent state. While the database is unavailable, the last state stays in use.

export interface Reference {
  callers: Callers;
  catalogue: Catalogue;
}

export interface ReferenceWatch extends BackgroundWork {
  current(): Reference;
  /**
   * Resolves when all earlier changes are loaded. Rejects if the database is unavailable; polling then catches up
   * later.
   */
  follow(): Promise<void>;
}

export interface ReferenceObserver {
  onFault(error: unknown): void;
  /** A caller is locked out because the master key does not decrypt its secret. */
  onUnopened(owner: string): void;
}

/** A change must be seen within two seconds, on every server. */
const pollMs = 750;
/** For more partners, loading everything is as fast. */
const maxPartners = 1000;

interface Snapshot extends Reference {
  callers: { partners: Map<number, Caller>; providers: Callers['providers'] };
  terms: Map<number, PartnerTerms>;
}

export async function watchReference(
  pool: Pool,
  masterKey: MasterKey,
  publicUrl: () => string,
  { onFault, onUnopened }: ReferenceObserver,
): Promise<ReferenceWatch> {
  // After a connection breaks, the next one may reach another database that counted other changes up to the same
  // version. So everything is loaded again.
  let generation = 0;
  pool.on('connect', (client) =>
    client.on('error', () => {
      generation++;
    }),
  );
  /** The value of `generation` at the last load. */
  let loadedGeneration = 0;
  const loadAll = () =>
    inSnapshot(pool, async (connection): Promise<Snapshot> => {
      const { partners, providers } = await loadCallers(connection, masterKey, onUnopened);
      const terms = await readPartnerTerms(connection, null);
      const catalogue = await loadCatalogue(connection, publicUrl, terms);
      return { callers: { partners: new Map(partners), providers }, terms, catalogue };
    });
  /** Reads all changes in one snapshot and then swaps them in. */
  const loadSome = async ({ clientIds, isCatalogue }: ReferenceChanges) => {
    const { callers, terms } = current;
    const [partners, changed, catalogue] = await inSnapshot(pool, async (connection) => [
      await loadPartnerCallers(connection, masterKey, clientIds, onUnopened),
      await readPartnerTerms(connection, clientIds),
      isCatalogue && {
        providers: await loadProviderCallers(connection, masterKey, onUnopened),
        catalogue: await loadCatalogue(connection, publicUrl, terms),
      },
    ]);
    for (const clientId of clientIds) {
      replace(callers.partners, clientId, partners.get(clientId));
      replace(terms, clientId, changed.get(clientId));
    }
    if (!catalogue) return;
    current = { callers: { ...callers, providers: catalogue.providers }, terms, catalogue: catalogue.catalogue };
  };
  // Checked only at startup. If a running server stopped loading because of a key, it would keep disabled callers
  // active.
  await requireMasterKey(pool, masterKey);
  // Reads the version before the rows, so that the next poll sees a change in between.
  let version = await readReferenceVersion(pool);
  let current = await loadAll();
  const loadNewest = async () => {
    const before = generation;
    const isKnown = before === loadedGeneration;
    const changes = await readChangesSince(pool, version);
    if (isKnown && changes.version === version) return;
    if (!isKnown || changes.isAll || changes.clientIds.length > maxPartners) current = await loadAll();
    else await loadSome(changes);
    version = changes.version;
    loadedGeneration = before;
  };
  // Loads run one at a time; otherwise an older snapshot could replace a newer one.
  const poll = oneAtATime(loadNewest, () => {
    generation++;
  });
  const { stop } = repeat(poll, { pauseMs: pollMs, onFault });
  return { current: () => current, follow: poll, stop };
}

/** Calls before the next run starts share that run. */
function oneAtATime(work: () => Promise<void>, onFailed: () => void): () => Promise<void> {
  let latest = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= latest.catch(onFailed).then(() => {
      next = undefined;
      return work();
    });
    latest = next;
    return latest;
  };
}

function replace<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
