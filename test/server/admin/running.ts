import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import type { ServerEnvironment } from '../../support/database.ts';
import { program, surroundings, textTerminal } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

// A command that goes on until a signal ends it, and what it has printed so far.

export interface Running {
  out(): string;
  err(): string;
  /** The first line on stdout that matches, as soon as it is there. */
  line(form: RegExp): Promise<string>;
  /** Ends it and waits until it is gone; the exit code, or null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** The exit code, when it ends by itself. */
  ended(): Promise<number | null>;
  /** Nobody reads any more what it prints. */
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

/** A listener in this process, and the URL that it listens on. */
export interface Listener {
  url: string;
  out(): string;
  err(): string;
  line(form: RegExp): Promise<string>;
  /** Tells it to end; the exit code. */
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

/** The same in a process of its own, for what has to do with signals. */
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
