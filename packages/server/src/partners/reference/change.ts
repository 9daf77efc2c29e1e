import type { PoolClient } from 'pg';
import { type ChangeContext, change, type Done } from '../../audit/change.ts';
import { announceChange, noteChange } from './sql.ts';

/**
 * What servers keep in memory changes: they are told what it is, a partner or the catalogue, or load everything where it is neither. Such
 * changes wait for each other.
 */
export const changeReference = <T>(
  context: ChangeContext,
  work: (connection: PoolClient) => Promise<Done<T>>,
): Promise<T> =>
  change(context, async (connection) => {
    const version = await announceChange(connection);
    const done = await work(connection);
    const { clientId, isCatalogue = false } = done;
    if (clientId !== undefined || isCatalogue) await noteChange(connection, version, clientId ?? null);
    return done;
  });
