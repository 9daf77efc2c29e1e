import { run } from 'node:test';
import { spec } from 'node:test/reporters';

// Runs test files in the order they are named, so many at a time: "node --test" would sort them. Each is a process of its
// own. The report and its closing summary are those of "node --test".

const [workers, ...files] = process.argv.slice(2);

run({ files, concurrency: Number(workers) })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
