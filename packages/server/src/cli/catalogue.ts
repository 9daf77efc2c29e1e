import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { exportCatalogue } from '../catalogue/catalogue.ts';
import { InvalidCatalogue, importCatalogue } from '../catalogue/catalogue-file.ts';
import { inSnapshot, inTransaction } from '../db/transaction.ts';
import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { type Arguments, command } from './command.ts';

async function readJson(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read (${error.code}).`);
  });
  if (!isUtf8(bytes)) throw new Failure(`${path} is not in UTF-8.`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Failure(`${path} is not JSON: ${(error as Error).message}.`);
  }
}

export const importFile = command({
  run: async (config, { positionals: [path] }: Arguments<[string]>) => {
    const file = await readJson(path);
    return withDatabase(config, ({ pool }) =>
      inTransaction(pool, (connection) => importCatalogue(connection, file)),
    ).catch((error: unknown) => {
      throw error instanceof InvalidCatalogue ? new Failure(error.message) : error;
    });
  },
  show: ({ games, withdrawn, newProviders }) =>
    [
      `Games in the catalogue: ${games}; withdrawn: ${withdrawn}. Servers follow within two seconds.`,
      ...newProviders.map((id) => `New provider ${id}: give it a secret with freebets provider rotate-secret ${id}`),
    ].join('\n'),
});

export const exportFile = command({
  run: (config) => withDatabase(config, ({ pool }) => inSnapshot(pool, exportCatalogue)),
  show: (catalogue) => JSON.stringify(catalogue, null, 2),
});
