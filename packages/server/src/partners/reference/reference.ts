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

// Keys, offers and games, as this server knows them. `watchReference` polls for changes and loads what has changed: single partners,
// or the catalogue, or where nobody wrote down what it was, everything. Either is put in place at a stroke, so that a request sees
// one state of each. While the database is unavailable, all stays as it is.

export interface Reference {
  callers: Callers;
  catalogue: Catalogue;
}

export interface ReferenceWatch extends BackgroundWork {
  current(): Reference;
  /** Resolves when this server knows of every change that was made before. Fails where it cannot ask, and will know later. */
  follow(): Promise<void>;
}

export interface ReferenceObserver {
  onFault(error: unknown): void;
  /** A caller is shut out, because its stored secret does not open with the master key. */
  onUnopened(owner: string): void;
}

/** A change must be seen within two seconds, on every server. */
const pollMs = 750;
/** Of more, all are loaded as fast. */
const mostAtATime = 1000;

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
  // Behind a connection that breaks may be another database, that has counted other changes up to the same version: all is loaded anew.
  let doubts = 0;
  pool.on('connect', (client) =>
    client.on('error', () => {
      doubts++;
    }),
  );
  /** How many doubts there were when all of it was last loaded. */
  let settled = 0;
  const loadAll = () =>
    inSnapshot(pool, async (connection): Promise<Snapshot> => {
      const { partners, providers } = await loadCallers(connection, masterKey, onUnopened);
      const terms = await readPartnerTerms(connection, null);
      const catalogue = await loadCatalogue(connection, publicUrl, terms);
      return { callers: { partners: new Map(partners), providers }, terms, catalogue };
    });
  /** What has changed is read first, all of it in one state of the world, and then put in the place of what was known. */
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
  // Only here: whoever serves goes on with what opens, or who is disabled meanwhile would be let in still.
  await requireMasterKey(pool, masterKey);
  // The version is read before the rows it counts, so that a change in between is seen the next time.
  let version = await readReferenceVersion(pool);
  let current = await loadAll();
  const loadNewest = async () => {
    const before = doubts;
    const isKnown = before === settled;
    const changes = await readChangesSince(pool, version);
    if (isKnown && changes.version === version) return;
    if (!isKnown || changes.isAll || changes.clientIds.length > mostAtATime) current = await loadAll();
    else await loadSome(changes);
    version = changes.version;
    settled = before;
  };
  // Or an older snapshot could take the place of a newer one.
  const poll = oneAfterTheOther(loadNewest, () => {
    doubts++;
  });
  const { stop } = repeat(poll, { pauseMs: pollMs, onFault });
  return { current: () => current, follow: poll, stop };
}

/** Whoever asks before the next has begun shares it. */
function oneAfterTheOther(work: () => Promise<void>, onFailed: () => void): () => Promise<void> {
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
