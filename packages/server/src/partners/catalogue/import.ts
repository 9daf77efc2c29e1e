import type { CatalogueDiffBody, GameListResponse } from '@freebets/contract';
import type { Pool } from 'pg';
import { type ChangeContext, change, Refused } from '../../audit/change.ts';
import { inSnapshot } from '../../engine/transaction.ts';
import { changeReference } from '../reference/change.ts';
import { exportCatalogue } from './catalogue.ts';
import { diffCatalogues, versionOf } from './diff.ts';
import { checkNames, InvalidCatalogue, importCatalogue as importFile } from './file.ts';

// Exports, compares and imports the catalogue as a file.

const target = { kind: 'catalogue', id: '' };

const countGames = ({ providers }: GameListResponse): number =>
  providers.reduce((count, { games }) => count + games.length, 0);

const recordOf = (catalogue: GameListResponse) => ({ version: versionOf(catalogue), games: countGames(catalogue) });

/** The audit log records every export. */
export async function exportedCatalogue(context: ChangeContext): Promise<GameListResponse> {
  const catalogue = await inSnapshot(context.pool, exportCatalogue);
  await change(context, async () => ({
    answer: undefined,
    changed: { target, before: null, after: recordOf(catalogue) },
  }));
  return catalogue;
}

export interface Compared extends CatalogueDiffBody {
  /** The version of the current catalogue. */
  version: string;
}

/** Changes nothing. Throws if the import would be refused. */
export const compareCatalogue = (pool: Pool, next: GameListResponse): Promise<Compared> =>
  inSnapshot(pool, async (connection) => {
    await asRefusal(checkNames(connection, next));
    const present = await exportCatalogue(connection);
    return { version: versionOf(present), ...diffCatalogues(present, next) };
  });

export interface Imported {
  /** The version of the catalogue after the import. */
  version: string;
  games: number;
  withdrawn: number;
  newProviders: string[];
}

/** If a version is given, refuses if the catalogue has changed since. */
export const importCatalogue = (
  context: ChangeContext,
  next: GameListResponse,
  version?: string | undefined,
): Promise<Imported> =>
  changeReference(context, async (connection) => {
    const present = await exportCatalogue(connection);
    const before = recordOf(present);
    if (version !== undefined && version !== before.version) throw new Refused('catalogue_changed');
    const result = await asRefusal(importFile(connection, next));
    const after = recordOf(await exportCatalogue(connection));
    const diff = truncated(diffCatalogues(present, next));
    const changed = after.version === before.version ? null : { target, before, after: { ...after, ...diff } };
    return { answer: { version: after.version, ...result }, isCatalogue: true, changed };
  });

/** The most entries per kind of change in an audit record. */
const maxRecorded = 50;

/** Keeps the totals and the first entries of each list, because the lists can be long. */
const truncated = (diff: CatalogueDiffBody): object =>
  Object.fromEntries(
    Object.entries(diff).map(([kind, part]) => [
      kind,
      typeof part === 'boolean' ? part : { ...part, first: part.first.slice(0, maxRecorded) },
    ]),
  );

async function asRefusal<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof InvalidCatalogue ? new Refused('invalid_request', error.details) : error;
  });
}
