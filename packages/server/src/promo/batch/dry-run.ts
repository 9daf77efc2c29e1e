import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inOneTrip, inSnapshot } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { CampaignDefinitions } from '../campaigns/sql/definitions.ts';
import type { CommandKind, CommandOf, CommandResults } from './command.ts';
import { decide } from './decide.ts';
import { loadOf } from './load.ts';
import type { WorkingSet } from './working-set.ts';

// A dry run applies the same rules to the same rows as a lane would, read in one snapshot without locks, and discards
// the changed working set. The transaction is read-only, so PostgreSQL refuses any write or lock.

export interface Tried<K extends CommandKind> {
  outcomes: Outcome<CommandResults[K]>[];
  /** The rows as the commands would leave them. */
  working: WorkingSet;
}

export const dryRun = <K extends CommandKind>(
  pool: Pool,
  definitions: CampaignDefinitions,
  share: { clientId: number; partner: PartnerProfile; commands: readonly CommandOf<K>[] },
): Promise<Tried<K>> =>
  inSnapshot(pool, async (connection) => {
    const { statements, open } = loadOf([share], 'read');
    const [loaded] = await open(await inOneTrip(connection, statements), connection, definitions);
    assert(loaded, 'each share is loaded');
    const { working, now } = loaded;
    const outcomes: Outcome<CommandResults[K]>[] = [];
    for (const [i, command] of share.commands.entries()) {
      if (i > 0 && i % commandsPerSlice === 0) await setImmediate();
      outcomes.push(decide<K>(working, command, now));
    }
    return { outcomes, working };
  });

/** About one millisecond of work. Between two such slices the event loop serves other requests. */
const commandsPerSlice = 100;
