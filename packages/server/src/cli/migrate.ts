import assert from 'node:assert/strict';
import { migrations } from '../db/migrations.ts';
import { Failure } from '../failure.ts';
import { awaitSchema, migrateDatabase } from '../runtime/database.ts';
import { type Arguments, command } from './command.ts';

export const migrate = command({
  run: async (config, { options: { wait } }: Arguments<[], { wait?: string }>, terminal) => {
    if (wait !== undefined) await awaitSchema(config, secondsOf(wait), terminal.stopSignal());
    const ran = wait === undefined ? await migrateDatabase(config) : [];
    const newest = migrations.at(-1);
    assert(newest, 'there are migrations');
    return { schema: newest.name, ran };
  },
  show: ({ schema, ran }) => [...ran.map((name) => `Ran ${name}.`), `The schema is up to date (${schema}).`].join('\n'),
});

function secondsOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Failure('--wait takes a number of seconds, such as 600.');
  return Number(text);
}
