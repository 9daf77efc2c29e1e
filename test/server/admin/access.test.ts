import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

// How partners and providers may call: --signing and --allow-from work the same for both.

const { env, sql } = await testDatabase();
const kinds = [
  { group: 'client', id: '1', creation: ['--name', 'Careful'], unknown: '77', none: 'There is no partner 77.' },
  {
    group: 'provider',
    id: 'lantern-quay',
    creation: ['--name', 'Careful', '--currencies', 'EUR'],
    unknown: 'unknown',
    none: 'There is no provider unknown.',
  },
];

interface Shown {
  name: string;
  client_id?: number;
  provider_id?: string;
  signing: string;
  allow_from: string[] | null;
}

async function shownIn(group: string, id: string) {
  const rows: Shown[] = await succeedsWith(env, group, 'list');
  const row = rows.find(({ client_id, provider_id, name }) => [String(client_id), provider_id, name].includes(id));
  return { signing: row?.signing, allow_from: row?.allow_from };
}

const versionNow = async () => (await sql.query('SELECT version FROM reference')).rows[0].version;

for (const { group, id, creation, unknown, none } of kinds) {
  test(`${group} create takes both options and shows the settings in force`, async () => {
    const networks = '203.0.113.0/24, 2001:DB8::/32,198.51.100.7';
    const made = await succeedsWith(env, group, 'create', ...creation, '--signing', 'strict', '--allow-from', networks);
    const inForce = { signing: 'strict', allow_from: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32'] };
    assert.deepEqual({ signing: made.signing, allow_from: made.allow_from }, inForce);
    assert.deepEqual(await shownIn(group, 'Careful'), inForce);
    assert.match(
      await succeeds(env, group, 'list'),
      /Careful .* strict +203\.0\.113\.0\/24, 2001:db8::\/32, 198\.51\.100\.7\/32/,
    );
  });

  test(`${group} update changes the given settings, and servers apply them`, async () => {
    const before = await versionNow();
    assert.match(await succeeds(env, group, 'update', id, '--signing', 'strict'), /is updated; servers apply/);
    assert.deepEqual(await shownIn(group, id), { signing: 'strict', allow_from: null });
    assert.notEqual(await versionNow(), before);
    await succeeds(env, group, 'update', id, '--allow-from', '10.0.0.0/8');
    assert.deepEqual(await shownIn(group, id), { signing: 'strict', allow_from: ['10.0.0.0/8'] });
    await succeeds(env, group, 'update', id, '--signing', 'plain');
    assert.deepEqual(await shownIn(group, id), { signing: 'plain', allow_from: ['10.0.0.0/8'] });
    await succeeds(env, group, 'update', id, '--allow-from', 'any');
    assert.deepEqual(await shownIn(group, id), { signing: 'plain', allow_from: null });
  });

  test(`${group} refuses invalid settings with a message and changes nothing`, async () => {
    const before = await versionNow();
    const update = (...args: string[]) => fails(env, group, 'update', id, ...args);
    const sentence = '--allow-from must be any, or networks separated by commas: ';
    assert.equal(
      await update('--allow-from', '203.0.113.7/24'),
      `${sentence}203.0.113.7/24 has bits set behind the first 24: give the address alone, or the network that it begins.`,
    );
    assert.equal(
      await update('--allow-from', 'office'),
      `${sentence}"office" is not a network such as 203.0.113.0/24 or 2001:db8::/32.`,
    );
    assert.match(await update('--allow-from', ''), /"" is not a network/);
    assert.match(await update('--allow-from', 'any,10.0.0.0/8'), /"any" is not a network/);
    assert.match(await update('--signing', 'loose'), /plain, strict/);
    assert.match(await update(), /^Nothing to change: use .*--signing or --allow-from\.$/);
    assert.match(await fails(env, group, 'create', ...creation, '--allow-from', 'office'), /"office" is not a network/);
    assert.equal(await fails(env, group, 'update', unknown, '--signing', 'strict'), none);
    assert.equal(await versionNow(), before);
    assert.deepEqual(await shownIn(group, id), { signing: 'plain', allow_from: null });
  });
}
