import { loadDemo } from '../demo/demo.ts';
import { withDatabase } from '../runtime/database.ts';
import { command } from './command.ts';

export const demo = command({
  run: (config) => withDatabase(config, async ({ pool, masterKey }) => ({ added: await loadDemo(pool, masterKey) })),
  show: ({ added }) => `Demo data loaded: ${added.join(', ') || 'the partners and people were there already'}.`,
});
