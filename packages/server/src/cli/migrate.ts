import assert from 'node:assert/strict';
import { migrations } from '../db/migrations.ts';
import { migrateDatabase } from '../runtime/database.ts';
import { command } from './command.ts';

export const migrate = command({
  run: async (config) => {
    const ran = await migrateDatabase(config);
    const newest = migrations.at(-1);
    assert(newest, 'there are migrations');
    return { schema: newest.name, ran };
  },
  show: ({ schema, ran }) => [...ran.map((name) => `Ran ${name}.`), `The schema is up to date (${schema}).`].join('\n'),
});
