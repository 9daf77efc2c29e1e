import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { addressesOfNoService } from '../faulty-server.ts';
import { answersInTurn, expectedVectors, expectedWalk } from './expected.ts';
import { errorServer, losingLine } from './line.ts';

// The clients of all languages make the same calls through a proxy that loses every first response, and pass the same
// vectors.

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { env } = await testDatabase();
const { url } = await testServer(env);
const errors = await errorServer();

const nowhere = await addressesOfNoService();
/** The error of a call that is not repeated, `mayHaveHappened`, and the number of attempts. */
const expectedUnsent = {
  refused: ['no_answer', false, 3],
  unknownName: ['no_answer', false, 3],
  untrusted: ['no_answer', false, 3],
  dropped: ['no_answer', true, 1],
};

const pythonSources = here('../../../clients/python/src');

const walks = [
  { language: 'JavaScript', interpreter: process.execPath, file: 'walk.mjs', env: {} },
  { language: 'Python', interpreter: 'python3', file: 'walk.py', env: { PYTHONPATH: pythonSources } },
  {
    language: 'Python (asyncio)',
    interpreter: 'python3',
    file: 'walk.py',
    env: { PYTHONPATH: pythonSources, ASYNCIO: '1' },
  },
  ...['curl', 'streams', 'psr-18'].map((transport) => ({
    language: `PHP (${transport})`,
    interpreter: 'php',
    file: 'walk.php',
    env: { CLIENT: here('../../../clients/php/autoload.php'), TRANSPORT: transport },
  })),
];

for (const { language, interpreter, file, env: own } of walks) {
  const isInstalled = spawnSync(interpreter, ['--version']).status === 0;
  test(`the ${language} client`, { skip: !isInstalled && `${interpreter} is not on this machine` }, async () => {
    const line = await losingLine(url);
    const child = spawn(interpreter, [here(file)], {
      env: {
        PATH: process.env.PATH,
        PYTHONDONTWRITEBYTECODE: '1',
        SERVER: line.url,
        ERRORS: errors,
        ANSWERS: answersInTurn,
        NOWHERE: JSON.stringify(nowhere),
        VECTORS: here('../../../packages/contract/vectors'),
        ...own,
      },
    });
    const [printed, complaint, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    assert.equal(code, 0, complaint);
    const unsent = language === 'JavaScript' ? {} : { unsent: expectedUnsent };
    assert.deepEqual(JSON.parse(printed), { walk: expectedWalk, vectors: expectedVectors, ...unsent });
    assert.ok(line.count.different > 20, `${line.count.different} requests`);
    assert.ok(line.count.received >= 2 * line.count.different, 'every one was sent again');
  });
}
