import assert from 'node:assert/strict';
import { migrations } from '../db/migrations.ts';
import { migrateDatabase } from '../runtime/database.ts';
import { type Arguments, command } from './command.ts';

export const migrate = command({
  run: async (config, { options }: Arguments<[], { distribute?: true }>) => {
    const { ran, distributed } = await migrateDatabase(config, { isToBeDistributed: options.distribute ?? false });
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
