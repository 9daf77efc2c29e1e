import assert from 'node:assert/strict';
import { migrations } from '../db/migrations.ts';
import { Failure } from '../failure.ts';
import { awaitSchema, type Migrated, migrateDatabase } from '../runtime/database.ts';
import { type Arguments, command } from './command.ts';

interface MigrateOptions {
  wait?: string;
  distribute?: true;
}

const nothing: Migrated = { ran: [], distributed: null };

export const migrate = command({
  run: async (config, { options: { wait, distribute } }: Arguments<[], MigrateOptions>, terminal) => {
    if (wait !== undefined && distribute)
      throw new Failure('--wait runs nothing, and so --distribute has no place beside it.');
    if (wait !== undefined) await awaitSchema(config, secondsOf(wait), terminal.stopSignal());
    const { ran, distributed } =
      wait === undefined ? await migrateDatabase(config, { isToBeDistributed: distribute ?? false }) : nothing;
    const newest = migrations.at(-1);
    assert(newest, 'there are migrations');
    return { schema: newest.name, ran, ...(distributed && { distributed }) };
  },
  show: ({ schema, ran, distributed }) =>
    [
      ...ran.map((name) => `Ran ${name}.`),
      `The schema is up to date (${schema}).`,
      ...(distributed ?? []).map((name) => `Distributed ${name}.`),
      ...(distributed ? ['The schema is on many machines.'] : []),
    ].join('\n'),
});

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Failure('--wait takes a number of seconds, such as 600.');
  return Number(text);
}
