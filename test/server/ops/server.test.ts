import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const source = (path: string) => JSON.stringify(new URL(`../../../packages/server/src/${path}`, import.meta.url));

test('the process stays alive until its server has stopped', async () => {
  const script = `
    import { pause } from ${source('engine/repeat.ts')};
    import { readConfig } from ${source('ops/config.ts')};
    import { singleProcess } from ${source('ops/processes/process-group.ts')};
    import { openLog } from ${source('ops/log.ts')};
    import { startOn } from ${source('ops/server.ts')};

    const config = readConfig({ DATA_DIR: '/nowhere' });
    const close = async () => {
      await pause(50);
      console.log('closed');
    };
    const open = async () => ({ connection: { host: '/nowhere' }, close });
    await startOn(config, openLog('silent'), singleProcess, open).catch(() => console.log('stopped'));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(stdout, 'closed\nstopped\n');
});
