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

// Migrates the schema to this program's version, or fails with the command to run.

type OnPool = <T>(work: (pool: pg.Pool) => Promise<T>) => Promise<T>;

/** Access with a short timeout to look at the database and with hours to change it, one after the other. */
export interface SchemaAccess {
  look: OnPool;
  change: OnPool;
  /** Like `change`, as this role. */
  changeAs(role: string): OnPool;
}

/** Returns the migrations that it ran. Runs `check` first, on the same connections that read the schema. */
export async function bringUpToDate(
  { look, change, changeAs }: SchemaAccess,
  check?: (pool: pg.Pool) => Promise<void>,
): Promise<string[]> {
  const outdated = await look(async (pool) => {
    await check?.(pool);
    const distribution = await readDistribution(pool);
    requireWhole(distribution);
    // Most servers start with a current schema. Reading it needs one machine of a cluster, migrating it all of them.
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
  // Distributes the tables that the migrations added.
  if (outdated.isOnMany) await change((pool) => moveAll(pool, 'many'));
  return ran;
}

/**
 * Returns the role that creates new tables. A role that can create tables but can't alter the existing ones would fail
 * half way and leave tables that it owns.
 */
async function requireOwner(pool: pg.Pool, command = 'migrate'): Promise<string> {
  const { owner, name, isOwner } = await readOwnership(pool);
  if (isOwner) return owner;
  throw new Failure(
    `The tables of the database belong to ${owner}, and ${name} cannot migrate them: run "freebets ${command}" as ${owner}.`,
  );
}

/** Checks the rights before any change, because tables are moved one by one. */
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
    throw new Failure('The tables were distributed, but no longer are: run "freebets migrate --undistribute".');
  }
}

/** Returns the tables that it moved. */
export async function moveAll(pool: pg.Pool, to: 'one' | 'many'): Promise<string[]> {
  return (to === 'many' ? distribute(pool) : undistribute(pool)).catch((error: Error) => {
    throw cannotMove(to, error.message);
  });
}

export async function requireCurrentSchema(pool: pg.Pool): Promise<void> {
  requireWhole(await readDistribution(pool));
  requireCurrent(await readSchema(pool));
}

export const isEmpty = ({ state, names }: Schema): boolean => state === 'older' && names.length === migrations.length;

/** Fails with the command to run if the schema is not this program's. */
export function requireCurrent(schema: Schema): void {
  const { state, names } = schema;
  const which = names.join(', ');
  if (state === 'newer') {
    throw new Failure(`The database was migrated by a newer version (${which}): run that version or a later one.`);
  }
  if (state === 'changed') {
    throw new Failure(`The database was migrated with a different text of ${which}: run the version that migrated it.`);
  }
  if (state === 'older') {
    const what = isEmpty(schema) ? 'has no schema yet' : `has an older schema (not run yet: ${which})`;
    throw new Failure(`The database ${what}: run "freebets migrate", or start the server.`);
  }
}
