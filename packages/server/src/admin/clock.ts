import { isTimestamp } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Attribution } from '../audit/entry.ts';
import { readSandboxClock } from '../engine/clock.ts';
import { isDatabaseUnavailable, isLostRace } from '../engine/faults.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import type { Config } from '../ops/config.ts';
import { withDatabase } from '../ops/database.ts';
import { partnerExists } from '../partners/callers/sql/partners.ts';
import { parseInstant } from '../primitives/amounts.ts';
import { Failure } from '../primitives/failure.ts';
import { clockBody } from '../primitives/sandbox-clock.ts';
import { runBatchWithin } from '../promo/batch/batch.ts';
import { cacheCampaignDefinitions } from '../promo/campaigns/sql/definitions.ts';
import { cliAttribution, parseClientId, type WithReason } from './changes.ts';
import { type Arguments, command } from './command.ts';

export const clock = command({
  run: (config: Config, { positionals: [id], options }: Arguments<[string], { set?: string } & WithReason>) => {
    const clientId = parseClientId(id);
    const time = options.set;
    if (time !== undefined && !isTimestamp(time)) {
      throw new Failure('A time is given in UTC: --set 2027-01-31T12:00:00Z.');
    }
    const by = cliAttribution('SandboxClockSet', options);
    return withDatabase(config, async ({ pool }) => {
      if (!(await partnerExists(pool, clientId))) throw new Failure(`There is no partner ${clientId}.`);
      if (time !== undefined) await setClock(pool, clientId, time, by);
      const read = await ask(pool, readSandboxClock(clientId));
      if (read === undefined)
        throw new Failure(`Partner ${clientId} is not a sandbox: its clock is that of the world.`);
      return { client_id: clientId, ...clockBody(read) };
    });
  },
  show: ({ client_id, now, offset_s }) =>
    `For partner ${client_id} it is ${now}, ${offset_s === 0 ? 'as in the world' : `${offset_s} seconds later than in the world`}.`,
});

/** Runs the same command as the API request, so the same rules apply. */
async function setClock(pool: Pool, clientId: number, time: string, by: Attribution): Promise<void> {
  const partner = { offer: new Map(), stakeReturned: false, isSandbox: true, providerOf: () => undefined };
  const share = { clientId, partner, commands: [{ kind: 'set_clock' as const, to: parseInstant(time), by }] };
  const definitions = cacheCampaignDefinitions(0);
  let mayBeSet = false;
  // On any error, `inTransaction` rolls back and discards the connection.
  const run = () =>
    inTransaction(pool, async (connection) => {
      const decided = await runBatchWithin({ connection, definitions }, [], share);
      mayBeSet = true;
      return decided;
    });
  const { outcomes } = await run()
    .catch((error) => {
      if (!isLostRace(error)) throw error;
      mayBeSet = false;
      return run();
    })
    .catch((error) => {
      throw failureOf(error, mayBeSet);
    });
  const [outcome] = outcomes;
  if (outcome?.ok === false && outcome.details) {
    throw new Failure(
      `The clock cannot be set to ${time}: it ${outcome.details.map(({ reason }) => reason).join(', and ')}.`,
    );
  }
}

/** Other errors are thrown unchanged, because the operator cannot fix them. */
function failureOf(error: Error, mayBeSet: boolean): Error {
  if (isLostRace(error))
    return new Failure('The clock is not set: others are changing it at the same time. Run the command again.');
  if (!isDatabaseUnavailable(error)) return error;
  const what = mayBeSet ? 'may be set or not, ask for it' : 'is not set';
  return new Failure(`The clock ${what}: ${error.message || (error as NodeJS.ErrnoException).code}.`);
}
