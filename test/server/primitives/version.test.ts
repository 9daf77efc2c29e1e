import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { version } from '../../../packages/server/src/primitives/version.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the version is that of the newest part of the changelog, released or not, wherever it is shown', async () => {
  const [, newest] = /^## (\d+\.\d+\.\d+)( \(not released yet\))?$/m.exec(read('CHANGELOG.md')) ?? [];
  assert.equal(version, newest);
  assert.equal(JSON.parse(read('package.json')).version, newest, 'package.json');
  const { url } = await testServer((await testDatabase()).env);
  const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { version: string } };
  assert.equal(info.version, newest, '/openapi.json');
});
