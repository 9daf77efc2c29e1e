import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zoneOf } from '../../../packages/server/src/http/console/time-zone.ts';

test('a zone is found by its old name and by its new one, whichever the database knows', async () => {
  const knowing =
    (...names: string[]) =>
    async (name: string) =>
      names.includes(name);
  assert.equal(await zoneOf('Asia/Calcutta', knowing('Asia/Kolkata')), 'Asia/Kolkata');
  assert.equal(await zoneOf('Asia/Calcutta', knowing('Asia/Kolkata', 'Asia/Calcutta')), 'Asia/Calcutta');
  assert.equal(await zoneOf('Europe/Kyiv', knowing('Europe/Kiev')), 'Europe/Kiev');
  assert.equal(await zoneOf('UTC', knowing()), 'UTC');
  assert.equal(await zoneOf('Europe/Nowhere', knowing('Europe/Kyiv')), undefined);
});

test('every zone that a browser may name is one of the runtime', () => {
  for (const timeZone of ['Asia/Calcutta', 'Asia/Kolkata', 'Europe/Kiev', 'Europe/Kyiv', 'America/Godthab']) {
    assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone }), timeZone);
  }
});
