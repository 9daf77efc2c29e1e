import type pg from 'pg';
import {
  type Distribution,
  distribute,
  moveObstacle,
  readDistribution,
  undistribute,
} from '../../placement/citus/distribution.ts';
import { Failure, inOneLine } from '../../primitives/failure.ts';
import { migrate, migrations, readOwnership, readSchema, type Schema } from './migrations.ts';

// Brings the schema to the one that this program works on, or says what to run where it is another.

type OnPool = <T>(work: (pool: pg.Pool) => Promise<T>) => Promise<T>;

/** To look at the database, which answers soon or is away, and to change it, which may take hours: one after the other. */
export interface SchemaAccess {
  look: OnPool;
  change: OnPool;
  /** The same, as this role. */
  changeAs(role: string): OnPool;
}

/** What it ran. `check` comes first, on the same connections as the look at the schema. */
export async function bringUpToDate(
  { look, change, changeAs }: SchemaAccess,
  check?: (pool: pg.Pool) => Promise<void>,
): Promise<string[]> {
  const outdated = await look(async (pool) => {
    await check?.(pool);
    const distribution = await readDistribution(pool);
    requireWhole(distribution);
    // Most servers start on a schema that is up to date. On many machines a look at it needs one of them, and a migration all.
    const found = await readSchema(pool);
    if (found.state === 'current') return undefined;
    if (found.state !== 'older') requireCurrent(found);
    const owner = await requireOwner(pool);
    const isOnMany = distribution.state === 'whole';
    if (isOnMany) await requireMovable(pool, 'many');
    return { owner, isOnMany };
  });
  if (outdated === undefined) return [];
  const ran = await changeAs(outdated.owner)(async (pool) => {
    const { schema, ran } = await migrate(pool).catch((error: Error) => {
      throw new Failure(`The database cannot be migrated: ${inOneLine(error.message)}.`);
    });
    requireCurrent(schema);
    return ran;
  });
  // Tables that were added to a schema on many machines.
  if (outdated.isOnMany) await change((pool) => moveAll(pool, 'many'));
  return ran;
}

/**
 * Returns the role that creates new tables. A role that may create tables but can't alter the existing ones would fail half way through,
 * and leave tables of its own.
 */
async function requireOwner(pool: pg.Pool, command = 'migrate'): Promise<string> {
  const { owner, name, isOwner } = await readOwnership(pool);
  if (isOwner) return owner;
  throw new Failure(
    `The tables of the database belong to ${owner}, and ${name} cannot migrate them: run "freebets ${command}" as ${owner}.`,
  );
}

/** Checks the rights before anything is changed, because tables are moved one by one. */
export async function requireMovable(pool: pg.Pool, to: 'one' | 'many'): Promise<void> {
  await requireOwner(pool, to === 'many' ? 'migrate --distribute' : 'migrate --undistribute');
  const obstacle = await moveObstacle(pool, to);
  if (obstacle !== undefined) throw cannotMove(to, obstacle);
}

const cannotMove = (to: 'one' | 'many', reason: string): Failure =>
  new Failure(`The database cannot be ${to === 'many' ? '' : 'un'}distributed: ${inOneLine(reason)}.`);

function requireWhole({ state, missing }: Distribution): void {
  if (state === 'half') {
    throw new Failure(
      `Only some tables of the database are distributed (not yet: ${missing.join(', ')}): run "freebets migrate --distribute", or "freebets migrate --undistribute" to go back.`,
    );
  }
  if (state === 'left') {
    throw new Failure('The database was distributed, and is no more: run "freebets migrate --undistribute".');
  }
}

/** The tables that it brought there. */
export async function moveAll(pool: pg.Pool, to: 'one' | 'many'): Promise<string[]> {
  return (to === 'many' ? distribute(pool) : undistribute(pool)).catch((error: Error) => {
    throw cannotMove(to, error.message);
  });
}

export async function requireOurs(pool: pg.Pool): Promise<void> {
  requireWhole(await readDistribution(pool));
  requireCurrent(await readSchema(pool));
}

export const isEmpty = ({ state, names }: Schema): boolean => state === 'older' && names.length === migrations.length;

/** What to run, where the schema is not the one that this program works on. */
export function requireCurrent(schema: Schema): void {
  const { state, names } = schema;
  const which = names.join(', ');
  if (state === 'newer') {
    throw new Failure(`The database was migrated by a newer version (${which}): run that version or a later one.`);
  }
  if (state === 'changed') {
    throw new Failure(
      `The database was migrated with another content of ${which} than this program has: run the version that migrated it.`,
    );
  }
  if (state === 'older') {
    const what = isEmpty(schema) ? 'has no schema yet' : `has an older schema (not run yet: ${which})`;
    throw new Failure(`The database ${what}: run "freebets migrate", or start the server.`);
  }
}
