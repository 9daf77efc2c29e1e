import assert from 'node:assert/strict';
import type { ServerEnvironment } from '../../support/database.ts';
import { runCommand } from '../../support/server.ts';

// Every command prints a result to stdout and exits with 0, or prints one sentence to stderr and exits with 1.

/** Runs a command that must succeed, and returns its output. */
export async function succeeds(env: ServerEnvironment, ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await runCommand(env, ...args);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, `freebets ${args.join(' ')}`);
  return stdout;
}

/** Runs a command with --json, and returns its parsed output, which must be one line. */
export async function succeedsWith(env: ServerEnvironment, ...args: string[]) {
  const printed = await succeeds(env, ...args, '--json');
  assert.equal(printed.trim().split('\n').length, 1, 'JSON for programs is one line');
  return JSON.parse(printed);
}

/** Runs a command that must fail, and returns its message. */
export async function fails(env: ServerEnvironment, ...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await runCommand(env, ...args);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, `freebets ${args.join(' ')}: ${stderr}`);
  assertClear(stderr);
  return stderr.trim();
}

/** Requires one sentence without a stack trace or a dumped object. */
export function assertClear(message: string): void {
  assert.match(message, /^[^\n]{10,}\n$/, `not one line: ${message}`);
  assert.doesNotMatch(message, /^\s+at |node:internal|Error:|\[object|undefined|\bnull\b/m);
}
