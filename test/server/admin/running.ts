import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import type { ServerEnvironment } from '../../support/database.ts';
import { program, surroundings, textTerminal } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

// A command that runs until a signal, and its output so far.

export interface Running {
  out(): string;
  err(): string;
  /** Waits for the first matching line on stdout. */
  line(form: RegExp): Promise<string>;
  /** Stops it and returns its exit code, or null if the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Waits for its end and returns the exit code. */
  ended(): Promise<number | null>;
  /** Closes the reader of its output. */
  hangUp(): void;
}

const patienceMs = 30_000;

export function startCommand(env: ServerEnvironment, ...args: string[]): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...surroundings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const closed = once(child, 'close');
  const ended = async () => {
    await closed;
    return child.exitCode;
  };
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended();
  };
  after(() => end('SIGKILL'));
  return {
    out: () => out,
    err: () => err,
    line: (form) =>
      lineIn(
        () => out,
        form,
        () => (child.exitCode === null ? undefined : `it has ended with ${child.exitCode}: ${out}${err}`),
      ),
    end,
    ended,
    hangUp: () => child.stdout.destroy(),
  };
}

/** Starts a listener in this process, and returns its URL. */
export interface Listener {
  url: string;
  out(): string;
  err(): string;
  line(form: RegExp): Promise<string>;
  /** Stops it and returns the exit code. */
  stop(): Promise<number>;
}

export async function startListening(env: ServerEnvironment, ...args: string[]): Promise<Listener> {
  const { terminal, out, err, stop } = textTerminal(env);
  let code: number | undefined;
  const ended = runCli(['listen', ...args], terminal).then((ended) => (code = ended));
  const end = () => {
    stop();
    return ended;
  };
  after(end);
  const line = (form: RegExp) =>
    lineIn(out, form, () => (code === undefined ? undefined : `it has ended with ${code}: ${out()}${err()}`));
  await until(`it listens: ${out()}${err()}`, patienceMs, () => {
    assert.equal(code, undefined, `it has ended: ${out()}${err()}`);
    return /^Listening on /m.test(out() + err());
  });
  return { url: /http:\S+/.exec(out() + err())?.[0] ?? '', out, err, line, stop: end };
}

/** Starts it in its own process, for tests with signals. */
export async function spawnListening(env: ServerEnvironment, ...args: string[]): Promise<Running> {
  const running = startCommand(env, 'listen', ...args);
  await running.line(/^Listening on /);
  return running;
}

/** The first line that matches, as soon as it is there, unless there is a reason why it cannot come any more. */
async function lineIn(text: () => string, form: RegExp, whyNot: () => string | undefined): Promise<string> {
  const found = () =>
    text()
      .split('\n')
      .find((line) => form.test(line));
  await until(`a line like ${form} in ${text()}`, patienceMs, () => {
    const reason = whyNot();
    assert.ok(found() !== undefined || reason === undefined, `${reason}`);
    return found() !== undefined;
  });
  return found() ?? '';
}
