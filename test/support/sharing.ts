import { resolve } from 'node:path';
import { mock, suite, test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { endProcess } from './process-end.ts';
import { countFile } from './processor-time.ts';
import { hangsAfterMs, takeFiles } from './shared-files.ts';

// Runs test files one after the other in this process. Each closes what it opens before the next one begins. Loading
// the service takes longer than most files. If this process dies, the run fails, and other processes run the
// remaining files. Every test, hook and top-level statement has a time limit, and the report lists open handles. The
// runner ends a blocked process.

for (const file of takeFiles()) {
  const endCount = countFile(file);
  await suite(file, async () => {
    try {
      await Promise.race([import(pathToFileURL(resolve(file)).href), tooLong()]);
    } catch (error) {
      test('the file is loaded', () => {
        throw error;
      });
    }
  });
  mock.reset();
  endCount();
  // Flushes the report before the next file can end the process.
  await setImmediate();
}

try {
  await Promise.race([endProcess(), tooLong()]);
} finally {
  setTimeout(() => {
    console.error(`This process of tests does not end, because of ${process.getActiveResourcesInfo()}`);
    process.exit(1);
  }, 60_000).unref();
}

async function tooLong(): Promise<never> {
  await delay(hangsAfterMs, undefined, { ref: false });
  throw new Error(`it hangs: ${hangsAfterMs} ms have passed`);
}
