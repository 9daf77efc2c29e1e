import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knowsZone, resolveZone } from '../../../packages/server/src/reports/time-zone.ts';
import { testDatabase } from '../../support/database.ts';

test('a zone is found by its old and new name, using the one that the database knows', async () => {
  const knowing =
    (...names: string[]) =>
    async (name: string) =>
      names.includes(name);
  assert.equal(await resolveZone('Asia/Calcutta', knowing('Asia/Kolkata')), 'Asia/Kolkata');
  assert.equal(await resolveZone('Asia/Calcutta', knowing('Asia/Kolkata', 'Asia/Calcutta')), 'Asia/Calcutta');
  assert.equal(await resolveZone('Europe/Kyiv', knowing('Europe/Kiev')), 'Europe/Kiev');
  assert.equal(await resolveZone('UTC', knowing()), 'UTC');
  assert.equal(await resolveZone('GMT', knowing()), 'UTC');
  assert.equal(await resolveZone('Europe/Nowhere', knowing('Europe/Kyiv')), undefined);
});

test('every zone that a browser may name is one of the runtime', () => {
  for (const timeZone of ['Asia/Calcutta', 'Asia/Kolkata', 'Europe/Kiev', 'Europe/Kyiv', 'America/Godthab']) {
    assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone }), timeZone);
  }
});

test('the database and the runtime mean the same by every name that there is, in winter and in summer', async () => {
  const { sql } = await testDatabase();
  const { rows } = await sql.query<{ name: string }>(
    `SELECT name FROM pg_timezone_names WHERE name NOT LIKE 'posix%'
     UNION SELECT abbrev FROM pg_timezone_abbrevs UNION SELECT unnest('{CET,EET,MET,WET,IST,BST,PST,CST,ART}'::text[])`,
  );
  const times = ['2021-01-15T12:00:00Z', '2021-07-15T12:00:00Z'];
  let known = 0;
  for (const { name } of rows) {
    const zone = await resolveZone(name, knowsZone(sql));
    if (zone === undefined) continue;
    known += 1;
    const shown = new Intl.DateTimeFormat('sv', { timeZone: name, dateStyle: 'short', timeStyle: 'short' });
    const { rows: local } = await sql.query(
      `SELECT to_char(t AT TIME ZONE $2, 'YYYY-MM-DD HH24:MI') AS local FROM unnest($1::timestamptz[]) t ORDER BY t`,
      [times, zone],
    );
    const expected = times.map((time) => shown.format(new Date(time)));
    assert.deepEqual(
      local.map((row) => row.local),
      expected,
      `${name} as ${zone}`,
    );
  }
  assert.ok(known > 500, `${known} zones`);
});
