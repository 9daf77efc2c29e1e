import { resolve } from 'node:path';
import { mock, suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { endProcess } from './process-end.ts';
import { takeFiles } from './shared-files.ts';

// Runs test files one after the other in this process, each as if it were alone: what it opens is gone before the next
// begins. Loading the service takes longer than most files. If this process dies, the run has failed, and the others go on
// with the files that are left.

for (const file of takeFiles()) {
  await suite(file, async () => {
    try {
      await import(pathToFileURL(resolve(file)).href);
    } catch (error) {
      test('the file is loaded', () => {
        throw error;
      });
    }
  });
  mock.reset();
  // What was reported is on its way before the next file can end the process.
  await setImmediate();
}

await endProcess();
