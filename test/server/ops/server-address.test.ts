import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { runningServer, writeServerAddress } from '../../../packages/server/src/ops/server-address.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'freebets-address-'));
after(() => rmSync(dataDir, { recursive: true }));
const config = readConfig({ DATA_DIR: dataDir });
const file = join(dataDir, 'server.json');

const living = createServer(({ url }, response) => response.writeHead(url === '/livez' ? 200 : 404).end());
await once(living.listen(0, '127.0.0.1'), 'listening');
after(() => living.close());
const url = `http://127.0.0.1:${(living.address() as AddressInfo).port}`;
/** An address without a listener. */
const silent = 'http://127.0.0.1:1';
const address = { url, internal_url: null, pid: process.pid };

test('a running server is found by its DATA_DIR until it removes its address', async () => {
  assert.equal(await runningServer(config), undefined);
  const takeAway = writeServerAddress(config, address.url, undefined);
  assert.deepEqual(await runningServer(config), address);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), address);
  assert.deepEqual(readdirSync(dataDir), ['server.json'], 'no draft is left');
  const elsewhere = readConfig({ DATA_DIR: join(dataDir, 'other') });
  assert.equal(await runningServer(elsewhere), undefined);
  const external = readConfig({ DATA_DIR: dataDir, DATABASE_URL: 'postgres:///x', SECRETS_KEY: `${'A'.repeat(43)}=` });
  assert.equal(await runningServer(external), undefined, 'it is of the embedded database');
  takeAway();
  assert.deepEqual(readdirSync(dataDir), []);
  takeAway();
});

test('a server does not remove the address of its successor', async () => {
  const takeAway = writeServerAddress(config, silent, url);
  assert.equal((await runningServer(config))?.internal_url, url, 'it is asked where its probes are');
  writeFileSync(file, JSON.stringify({ ...address, pid: 1 }));
  takeAway();
  assert.equal((await runningServer(config))?.pid, 1, 'process 1 runs, under any user');
});

test('a file of a killed server or with other content is ignored', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const wrong = ['', '{', 'null', '[]', '{"url":"x","pid":1}', JSON.stringify({ ...address, pid: -1 })];
  for (const text of [JSON.stringify({ ...address, pid }), ...wrong]) {
    writeFileSync(file, text);
    assert.equal(await runningServer(config), undefined, text);
  }
  writeServerAddress(config, address.url, undefined)();
  assert.deepEqual(readdirSync(dataDir), []);
});

test('another process with the id of a killed server is not mistaken for it', async () => {
  for (const given of [{ url: silent }, { url: `${url}/elsewhere` }, { internal_url: silent }]) {
    writeFileSync(file, JSON.stringify({ ...address, ...given }));
    await assert.rejects(runningServer(config), {
      message: new RegExp(`process ${process.pid} at http.*does not respond`),
    });
  }
});
