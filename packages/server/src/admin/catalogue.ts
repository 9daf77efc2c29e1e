import { isUtf8 } from 'node:buffer';
import type { GameListResponse } from '@freebets/contract';
import { InvalidCatalogue, parseCatalogue } from '../partners/catalogue/file.ts';
import { exportedCatalogue, importCatalogue } from '../partners/catalogue/import.ts';
import { Failure } from '../primitives/failure.ts';
import { cliAttribution, runChange, type WithReason } from './changes.ts';
import { type Arguments, command } from './command.ts';
import { readBounded } from './files.ts';

/** 10,000 games take a tenth of this, unless their names and paths have the maximum length. */
const mostMib = 64;

function readJson(path: string): unknown {
  const bytes = bytesOf(path);
  if (!isUtf8(bytes)) throw new Failure(`${path} is not in UTF-8.`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Failure(`${path} is not JSON: ${(error as Error).message}.`);
  }
}

function bytesOf(path: string): Buffer {
  try {
    return readBounded(path, mostMib);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

export const importFile = command({
  run: async (config, { positionals: [path], options }: Arguments<[string], WithReason>) => {
    const file = readCatalogue(readJson(path));
    const by = cliAttribution('CatalogueImport', options);
    const { games, withdrawn, newProviders } = await runChange(
      config,
      by,
      (context) => importCatalogue(context, file),
      {
        invalid_request: (details) => new InvalidCatalogue(details).message,
      },
    );
    return { games, withdrawn, newProviders };
  },
  show: ({ games, withdrawn, newProviders }) =>
    [
      `Games in the catalogue: ${games}; withdrawn: ${withdrawn}. Servers apply the change within two seconds.`,
      ...newProviders.map((id) => `New provider ${id}: create its secret with: freebets provider rotate-secret ${id}`),
    ].join('\n'),
});

function readCatalogue(file: unknown): GameListResponse {
  try {
    return parseCatalogue(file);
  } catch (error) {
    throw error instanceof InvalidCatalogue ? new Failure(error.message) : error;
  }
}

export const exportFile = command({
  run: (config) => runChange(config, cliAttribution('CatalogueExport', {}), exportedCatalogue, {}),
  show: (catalogue) => JSON.stringify(catalogue, null, 2),
});
