import { isTimestamp } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { isDatabaseUnavailable, isLostRace } from '../db/faults.ts';
import { ask } from '../db/statement.ts';
import { inTransaction } from '../db/transaction.ts';
import { parseInstant } from '../domain/amounts.ts';
import type { Attribution } from '../domain/audit.ts';
import { clockBody } from '../domain/sandbox-clock.ts';
import { Failure } from '../failure.ts';
import { runBatchWithin } from '../lanes/batch.ts';
import { withDatabase } from '../runtime/database.ts';
import { keepCampaignDefinitions } from '../sql/campaign-definitions.ts';
import { readSandboxClock } from '../sql/clock.ts';
import { partnerExists } from '../sql/partners.ts';
import { asCommand, type WithReason } from './changing.ts';
import { type Arguments, command } from './command.ts';
import { clientIdOf } from './ids.ts';

export const clock = command({
  run: (config: Config, { positionals: [id], options }: Arguments<[string], { set?: string } & WithReason>) => {
    const clientId = clientIdOf(id);
    const time = options.set;
    if (time !== undefined && !isTimestamp(time)) {
      throw new Failure('A time is given in UTC: --set 2027-01-31T12:00:00Z.');
    }
    const by = asCommand('SandboxClockSet', options);
    return withDatabase(config, async ({ pool }) => {
      if (!(await partnerExists(pool, clientId))) throw new Failure(`There is no partner ${clientId}.`);
      if (time !== undefined) await setTo(pool, clientId, time, by);
      const read = await ask(pool, readSandboxClock(clientId));
      if (read === undefined)
        throw new Failure(`Partner ${clientId} is not a sandbox: its clock is that of the world.`);
      return { client_id: clientId, ...clockBody(read) };
    });
  },
  show: ({ client_id, now, offset_s }) =>
    `For partner ${client_id} it is ${now}, ${offset_s === 0 ? 'as in the world' : `${offset_s} seconds later than in the world`}.`,
});

/** Who has lost a race finds things settled; what else the database says is said in a sentence. */
async function againAfter<T>(error: unknown, run: () => Promise<T>): Promise<T> {
  if (isLostRace(error)) return run();
  if (!isDatabaseUnavailable(error)) throw error;
  throw new Failure(`The clock may be set or not, ask for it: ${(error as Error).message}.`);
}

/** By the same rule as a request. */
async function setTo(pool: Pool, clientId: number, time: string, by: Attribution): Promise<void> {
  const partner = { offer: new Map(), stakeReturned: false, providerOf: () => undefined };
  const share = { clientId, partner, commands: [{ kind: 'set_clock' as const, to: parseInstant(time), by }] };
  const definitions = keepCampaignDefinitions(0);
  // Whatever goes wrong, the transaction is rolled back, and the connection is not used again.
  const run = () => inTransaction(pool, (connection) => runBatchWithin({ connection, definitions }, [], share));
  const [outcome] = (await run().catch((error) => againAfter(error, run))).outcomes;
  if (outcome?.ok === false && outcome.details) {
    throw new Failure(
      `The clock cannot be set to ${time}: it ${outcome.details.map(({ reason }) => reason).join(', and ')}.`,
    );
  }
}
