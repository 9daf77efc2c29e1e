/**
 * A process that opens the embedded database and holds it until it receives "release" or its parent has ended. It says what
 * happens in lines of JSON. Run by the tests of this directory: node opener.ts '{"dataDir": …, "use": …}' SOURCE.
 */
import type * as embedded from '../../packages/embedded-postgres/src/open-embedded.ts';

const say = (report: object) => process.stdout.write(`${JSON.stringify(report)}\n`);

try {
  const [options = '{}', source = ''] = process.argv.slice(2);
  const { openEmbedded }: typeof embedded = await import(source);
  const database = await openEmbedded({ ...JSON.parse(options), onLost: (error) => say({ lost: error.message }) });
  say({ opened: database.connection });
  await new Promise((resolve) => process.stdin.once('data', resolve).once('end', resolve));
  await database.release();
  say({ released: true });
} catch (error) {
  say({ error: error instanceof Error ? error.message : error, name: error instanceof Error ? error.name : '' });
  process.exitCode = 1;
}
process.stdin.destroy();
