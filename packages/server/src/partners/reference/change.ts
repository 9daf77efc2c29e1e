import type { PoolClient } from 'pg';
import { type ChangeContext, change, type Done } from '../../audit/change.ts';
import { announceChange, recordChange } from './sql.ts';

/**
 * Changes data that servers keep in memory. Records whether a partner or the catalogue changed; without that record,
 * servers reload everything. Such changes run one at a time.
 */
export const changeReference = <T>(
  context: ChangeContext,
  work: (connection: PoolClient) => Promise<Done<T>>,
): Promise<T> =>
  change(context, async (connection) => {
    const version = await announceChange(connection);
    const done = await work(connection);
    const { clientId, isCatalogue = false } = done;
    if (clientId !== undefined || isCatalogue) await recordChange(connection, version, clientId ?? null);
    return done;
  });
