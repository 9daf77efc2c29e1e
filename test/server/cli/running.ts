import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import type { ServerEnvironment } from '../../support/database.ts';
import { program } from '../../support/server.ts';
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
    env: { PATH: process.env.PATH, ...env },
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
    async line(form) {
      const found = () => out.split('\n').find((line) => form.test(line));
      await until(`a line like ${form} in ${out}`, patienceMs, () => {
        assert.ok(child.exitCode === null || found(), `it has ended with ${child.exitCode}: ${out}${err}`);
        return found() !== undefined;
      });
      return found() ?? '';
    },
    end,
    ended,
    hangUp: () => child.stdout.destroy(),
  };
}

/** A listener, and the URL that it listens on. */
export async function startListening(env: ServerEnvironment, ...args: string[]): Promise<Running & { url: string }> {
  const running = startCommand(env, 'listen', ...args);
  const line = await running.line(/^Listening on /);
  return { ...running, url: /http:\S+/.exec(line)?.[0] ?? '' };
}
