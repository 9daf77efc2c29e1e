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
      throw new Failure('The time must be in UTC: --set 2027-01-31T12:00:00Z.');
    }
    const by = cliAttribution('SandboxClockSet', options);
    return withDatabase(config, async ({ pool }) => {
      if (!(await partnerExists(pool, clientId))) throw new Failure(`There is no partner ${clientId}.`);
      if (time !== undefined) await setClock(pool, clientId, time, by);
      const read = await ask(pool, readSandboxClock(clientId));
      if (read === undefined) throw new Failure(`Partner ${clientId} is not a sandbox: its clock shows the real time.`);
      return { client_id: clientId, ...clockBody(read) };
    });
  },
  show: ({ client_id, now, offset_s }) =>
    `The clock of partner ${client_id} shows ${now}, ${offset_s === 0 ? 'the real time' : `${offset_s} seconds ahead of the real time`}.`,
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
      `The clock can't be set to ${time}: it ${outcome.details.map(({ reason }) => reason).join(', and ')}.`,
    );
  }
}

/** Other errors are thrown unchanged, because the operator cannot fix them. */
function failureOf(error: Error, mayBeSet: boolean): Error {
  if (isLostRace(error))
    return new Failure('The clock was not set, because it was being changed at the same time. Run the command again.');
  if (!isDatabaseUnavailable(error)) return error;
  const what = mayBeSet ? 'may have been set, so check it' : 'was not set';
  return new Failure(`The clock ${what}: ${error.message || (error as NodeJS.ErrnoException).code}.`);
}
