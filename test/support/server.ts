import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../packages/server/src/config.ts';
import { openLog } from '../../packages/server/src/runtime/log.ts';
import { type RunningServer, startServer } from '../../packages/server/src/runtime/server.ts';
import type { ServerEnvironment } from './database.ts';

/** A server in this process, stopped when the file ends. */
export async function testServer(env: ServerEnvironment): Promise<RunningServer> {
  const server = await startServer(readConfig(env), openLog('silent'));
  after(() => server.stop());
  return server;
}

export const program = fileURLToPath(new URL('../../packages/server/bin/freebets.js', import.meta.url));

/** What every process gets beside its settings. Compiled code is kept between them, which halves the time of a start. */
const surroundings = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/freebets-tests', import.meta.url)),
};

export interface ServerProcess {
  url: string;
  child: ChildProcess;
  /** Ends it and waits until it is gone; the exit code, or null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A server in a process of its own, as in a deployment; killed when the file ends, if it still runs. */
export async function serverProcess(env: ServerEnvironment): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...surroundings, ...env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill(signal);
    return (await ended)[0];
  };
  after(() => end('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was serving`)));
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { msg, url } = line.startsWith('{') ? JSON.parse(line) : { msg: '', url: '' };
      if (msg === 'serving') resolve(url);
    });
  });
  return { url, child, end };
}

/** Runs a command to its end. */
export async function runCommand(env: ServerEnvironment, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...surroundings, ...env } });
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = '';
    for await (const chunk of stream) text += chunk;
    return text;
  };
  const [stdout, stderr, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: code as number | null };
}
