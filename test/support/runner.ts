import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { processorTime, writeTime } from './processor-time.ts';
import { hangsAfterMs, shareFiles, unfinishedFiles } from './shared-files.ts';

// Runs test files in the given order with a given concurrency ("node --test" would sort them). Most files share a few
// processes (test/support/sharing.ts). A file that gives a reason has its own process. The report and its summary are
// those of "node --test".

const [workers = '1', ...files] = process.argv.slice(2);

const isAlone = (file: string): boolean => readFileSync(file, 'utf8').includes('// In a process of its own:');
const shared = {
  claims: mkdtempSync(join(tmpdir(), 'claims-')),
  alone: files.filter(isAlone),
  files: files.filter((file) => !isAlone(file)),
};
const sharing = fileURLToPath(new URL('sharing.ts', import.meta.url));

shareFiles(shared);
process.on('exit', () => {
  const unfinished = unfinishedFiles(shared);
  rmSync(shared.claims, { recursive: true });
  writeTime('the report of the tests', { ...processorTime(process.pid), chromiumMs: 0, othersMs: 0 });
  if (unfinished.length === 0) return;
  console.error(`\nThese files have not come to their end:\n${unfinished.join('\n')}`);
  process.exitCode = 1;
});

// A blocked process can't report: this lists its file among the unfinished ones.
const runHangsAfterMs = 4_500_000;
setTimeout(() => {
  console.error('\nThe run hangs.');
  process.exit(1);
}, runHangsAfterMs).unref();

run({
  files: [...shared.alone, ...shared.files.slice(0, Number(workers))].map(() => sharing),
  concurrency: Number(workers),
  execArgv: [`--test-timeout=${hangsAfterMs}`],
})
  .on('test:fail', ({ todo }) => {
    if (todo === undefined) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
