import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsIn, leavesOf, usageOf, wordsOf } from '../../../packages/server/src/admin/command.ts';
import { buildProgram } from '../../../packages/server/src/admin/program.ts';
import { spawnCommand, textTerminal } from '../../support/server.ts';
import { fails, succeeds } from './terminal.ts';

const program = buildProgram(textTerminal({}).terminal);

/** Joins wrapped lines. */
const unwrapped = (text: string) => text.replaceAll(/\s+/g, ' ');

test('every form of help lists every command or its group on one screen and needs no settings', async () => {
  const help = await succeeds({}, '--help');
  for (const command of program.commands) {
    const about = command.summary() || command.description();
    assert.match(help, new RegExp(`^(\\S.{15}| {16})${command.name()} +${about}$`, 'm'));
    assert.notEqual(command.helpGroup(), '', command.name());
  }
  const lines = help.trimEnd().split('\n');
  assert.ok(lines.length <= 24, `${lines.length} lines`);
  for (const line of lines) assert.ok(line.length <= 80, line);
  assert.match(help, /--json/);
  for (const args of [[], ['-h'], ['help']]) assert.equal(await succeeds({}, ...args), help);
});

test('the help of a group lists every command in it', async () => {
  assert.ok(leavesOf(program).length >= 26);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    const help = unwrapped(await succeeds({}, group.name(), '--help'));
    for (const command of leavesOf(group)) {
      assert.ok(help.includes(` ${wordsOf(command).join(' ')} `), usageOf(command));
      assert.ok(help.includes(command.description()), command.description());
    }
  }
});

test('every command and every group has its own help', async () => {
  for (const command of commandsIn(program).slice(1)) {
    const help = await succeeds({}, ...wordsOf(command), '-h');
    assert.ok(help.startsWith(`Usage: freebets ${usageOf(command)}\n`), help);
    assert.ok(unwrapped(help).includes(command.description()) && command.description() !== '', help);
    for (const option of command.options)
      assert.ok(help.includes(`  ${option.flags}`) && option.description !== '', help);
    assert.match(help, /--json/);
  }
  const help = await succeeds({}, 'client', 'webhook', '--help');
  assert.match(help, /client webhook remove CLIENT_ID/);
  assert.doesNotMatch(help, /provider list/, 'nothing of other groups');
  assert.equal(await succeeds({}, 'help', 'client'), await succeeds({}, 'client', '--help'));
});

test('errors suggest the correct command at every level and name what is missing', async () => {
  assert.equal(
    await fails({}, 'clinet', 'list'),
    `Unknown command 'clinet' (Did you mean client?). See "freebets --help".`,
  );
  assert.equal(
    await fails({}, 'client', 'lst'),
    `Unknown command 'lst' (Did you mean list?). See "freebets client --help".`,
  );
  assert.match(
    await fails({}, 'client', 'webhook', 'rmove', '1'),
    /Did you mean remove\?.*freebets client webhook --help/,
  );
  assert.equal(await fails({}, 'nothing-like-it'), `Unknown command 'nothing-like-it'. See "freebets --help".`);
  assert.match(await fails({}, 'provider'), /^"freebets provider" needs one of create, update, list, disable, /);
});

test('missing, extra, misspelled and unknown arguments are refused with the usage', async () => {
  assert.match(
    await fails({}, 'client', 'disable'),
    /'CLIENT_ID'.* Usage: freebets client disable CLIENT_ID \[--reason TEXT\]$/,
  );
  assert.match(
    await fails({}, 'client', 'offer', '1'),
    /Usage: freebets client offer CLIENT_ID PROVIDERS \[--reason TEXT\]$/,
  );
  assert.match(await fails({}, 'client', 'list', '1'), /Too many arguments.* Usage: freebets client list$/);
  assert.match(await fails({}, 'client', 'list', '--all'), /--all.*Usage: freebets client list$/);
  assert.match(await fails({}, 'client', 'list', '--jsno'), /Did you mean --json\?/);
  assert.match(
    await fails({}, 'client', 'create', '--name'),
    /--name.*argument missing.*Usage: freebets client create/,
  );
  assert.match(await fails({}, 'client', 'create', '--nmae', 'x'), /'--name <NAME>' not specified. .*'--nmae'.*Usage/);
  assert.match(
    await fails({}, 'client', 'update', '1', '--stake-returned', 'perhaps'),
    /'perhaps' is invalid\. Allowed choices are yes, no\. Usage: .*\[--stake-returned yes\|no\] \[--signing .*\]$/,
  );
  assert.match(await fails({}, 'completion', 'fish'), /Allowed choices are bash, zsh\./);
});

test('an option value that begins with a dash is reported as missing', async () => {
  const left = await fails({}, 'client', 'create', '--name', '--offer', 'all');
  assert.match(left, /'--name <NAME>' argument '--offer' is invalid.*Usage: freebets client create/);
  assert.match(await fails({}, 'client', 'create', '--name', '-x'), /--name.*Usage: freebets client create/);
  assert.match(await fails({}, 'client', 'disable', '-1'), /^CLIENT_ID must be a whole number/);
});

test('the program shows its version and help, and exits with 1 after an error', async () => {
  const [version, help, wrong] = await Promise.all([
    spawnCommand({}, '--version'),
    spawnCommand({}, 'provider', 'disable', '--help'),
    spawnCommand({}, 'clinet', 'list'),
  ]);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.deepEqual([version.code, help.code, help.stderr], [0, 0, '']);
  assert.match(help.stdout, /^Usage: freebets provider disable PROVIDER_ID \[--reason TEXT\]\n/);
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /^Unknown command 'clinet' \(Did you mean client\?\)\. See "freebets --help"\.\n$/);
});
