import assert from 'node:assert/strict';
import type { ServerEnvironment } from '../../support/database.ts';
import { runCommand } from '../../support/server.ts';

// What every command keeps to: a result on stdout and 0, or one clear sentence on stderr, 1, and nothing else.

/** Runs a command that must succeed; what it printed. */
export async function succeeds(env: ServerEnvironment, ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await runCommand(env, ...args);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, `freebets ${args.join(' ')}`);
  return stdout;
}

/** The same with --json; the value it printed, which is one line. */
export async function succeedsWith(env: ServerEnvironment, ...args: string[]) {
  const printed = await succeeds(env, ...args, '--json');
  assert.equal(printed.trim().split('\n').length, 1, 'JSON for programs is one line');
  return JSON.parse(printed);
}

/** Runs a command that must fail; what it said. */
export async function fails(env: ServerEnvironment, ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await runCommand(env, ...args);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, `freebets ${args.join(' ')}: ${stderr}`);
  assertClear(stderr);
  return stderr.trim();
}

/** One sentence that a person can act on: no stack, no dump of an object. */
export function assertClear(message: string): void {
  assert.match(message, /^[^\n]{10,}\n$/, `not one line: ${message}`);
  assert.doesNotMatch(message, /^\s+at |node:internal|Error:|\[object|undefined|\bnull\b/m);
}
