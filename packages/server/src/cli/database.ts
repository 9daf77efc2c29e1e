import { migrations } from '../db/migrations.ts';
import { loadDemo } from '../demo/demo.ts';
import { withDatabase } from '../runtime/database.ts';
import { command } from './command.ts';

const migrate = command({
  usage: 'migrate',
  about: 'Bring the schema of the database up to date.',
  // Opening a database for a command migrates it; there is nothing left to do.
  run: (config) => withDatabase(config, async () => ({ schema: migrations.at(-1)?.name ?? null })),
  show: ({ schema }) => `The schema is up to date (${schema}).`,
});

const demo = command({
  usage: 'demo',
  about: 'Load the demo partners, providers and games. Their secrets are public: never into a real database.',
  run: (config) => withDatabase(config, async ({ pool, masterKey }) => ({ added: await loadDemo(pool, masterKey) })),
  show: ({ added }) => `Demo data loaded: ${added.join(', ') || 'the partners were there already'}.`,
});

export const databaseCommands = [migrate, demo];
