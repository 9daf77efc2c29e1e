import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { fails, succeeds } from './terminal.ts';

const { env } = await testDatabase();
const { DATABASE_URL: _, SECRETS_KEY: __, ...withoutDatabase } = env;

const commands = [
  'serve',
  'migrate',
  'demo',
  'client create',
  'client update',
  'client list',
  'client disable',
  'client enable',
  'client rotate-secret',
  'client offer',
  'client webhook set CLIENT_ID URL',
  'client webhook show',
  'client webhook off',
  'client webhook deliveries',
  'client webhook resend',
  'provider create',
  'provider list',
  'provider rotate-secret',
  'catalogue import FILE',
  'catalogue export',
  'play',
  'listen',
];

test('help names every command, however it is asked for, and needs no database', async () => {
  const help = await succeeds(withoutDatabase, '--help');
  for (const command of commands) assert.ok(help.includes(`  ${command}`), command);
  assert.match(help, /--json/);
  assert.equal(await succeeds(withoutDatabase), help);
  assert.match(await succeeds(withoutDatabase, 'client', 'create', '--help'), /client create --name NAME/);
});

test('the version is told', async () => {
  assert.match(await succeeds(withoutDatabase, '--version'), /^\d+\.\d+\.\d+\n$/);
});

test('an unknown command is said to be one, with where to look', async () => {
  for (const args of [['serf'], ['client'], ['client', 'delete', '1']]) {
    const message = await fails(env, ...args);
    assert.ok(message.includes(`"${args.join(' ')}"`), message);
    assert.match(message, /freebets --help/);
  }
});

test('missing, surplus and unknown arguments are refused with the usage', async () => {
  assert.match(await fails(env, 'client', 'disable'), /Usage: freebets client disable CLIENT_ID/);
  assert.match(await fails(env, 'client', 'offer', '1'), /Usage: freebets client offer CLIENT_ID PROVIDERS/);
  assert.match(await fails(env, 'client', 'list', '1'), /Usage: freebets client list/);
  assert.match(await fails(env, 'client', 'list', '--all'), /--all.*Usage: freebets client list/);
  assert.match(await fails(env, 'client', 'create', '--name'), /--name.*Usage: freebets client create/);
});

test('an option with a value that begins with a dash is explained, not dumped', async () => {
  assert.match(await fails(env, 'client', 'disable', '-1'), /Usage: freebets client disable CLIENT_ID/);
  assert.match(await fails(env, 'client', 'create', '--name', '-x'), /--name.*Usage: freebets client create/);
});
