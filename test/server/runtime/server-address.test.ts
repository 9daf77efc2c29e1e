import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../packages/server/src/config.ts';
import { leaveServerAddress, runningServer } from '../../../packages/server/src/runtime/server-address.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'freebets-address-'));
after(() => rmSync(dataDir, { recursive: true }));
const config = readConfig({ DATA_DIR: dataDir });
const file = join(dataDir, 'server.json');
const address = { url: 'http://127.0.0.1:8090', internal_url: null, pid: process.pid };

test('a server that runs is found by its DATA_DIR, until it takes its address away', () => {
  assert.equal(runningServer(config), undefined);
  const takeAway = leaveServerAddress(config, address.url, undefined);
  assert.deepEqual(runningServer(config), address);
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), address);
  assert.deepEqual(readdirSync(dataDir), ['server.json'], 'no draft is left');
  const elsewhere = readConfig({ DATA_DIR: join(dataDir, 'other') });
  assert.equal(runningServer(elsewhere), undefined);
  const external = readConfig({ DATA_DIR: dataDir, DATABASE_URL: 'postgres:///x', SECRETS_KEY: `${'A'.repeat(43)}=` });
  assert.equal(runningServer(external), undefined, 'it is of the embedded database');
  takeAway();
  assert.deepEqual(readdirSync(dataDir), []);
  takeAway();
});

test('the address of the next server is not taken away by the one before', () => {
  const takeAway = leaveServerAddress(config, address.url, 'http://127.0.0.1:9090');
  assert.equal(runningServer(config)?.internal_url, 'http://127.0.0.1:9090');
  writeFileSync(file, JSON.stringify({ ...address, pid: 1 }));
  takeAway();
  assert.equal(runningServer(config)?.pid, 1, 'process 1 runs, whoever it belongs to');
});

test('what a killed server, or anybody else, left there is not taken for one that runs', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const wrong = ['', '{', 'null', '[]', '{"url":"x","pid":1}', JSON.stringify({ ...address, pid: -1 })];
  for (const text of [JSON.stringify({ ...address, pid }), ...wrong]) {
    writeFileSync(file, text);
    assert.equal(runningServer(config), undefined, text);
  }
  leaveServerAddress(config, address.url, undefined)();
  assert.deepEqual(readdirSync(dataDir), []);
});
