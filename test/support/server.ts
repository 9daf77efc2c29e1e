import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../../packages/server/src/admin/command.ts';
import { runCli } from '../../packages/server/src/admin/program.ts';
import { readConfig } from '../../packages/server/src/ops/config.ts';
import { openLog } from '../../packages/server/src/ops/log.ts';
import { type RunningServer, startServer } from '../../packages/server/src/ops/server.ts';
import { afterUse, type ServerEnvironment } from './database.ts';
import { isLong } from './long.ts';
import { until } from './waiting.ts';

const servers = new Map<string, RunningServer>();

/** A server in this process, stopped when the file ends. */
export async function testServer(env: ServerEnvironment): Promise<RunningServer> {
  const server = await startServer(readConfig(env), openLog('silent'));
  servers.set(server.url, server);
  afterUse(env, () => {
    servers.delete(server.url);
    return server.stop();
  });
  return server;
}

/** The commands that wait now in the lanes of a server in this process. Metrics are updated only once a second. */
export const laneDepth = (url: string): number => servers.get(url)?.laneDepth() ?? Number.NaN;

const bundled = process.env.FREEBETS_TEST_PROGRAM;

/** The bundle of the run, otherwise the sources. */
export const program = bundled ?? fileURLToPath(new URL('../../packages/server/bin/freebets.js', import.meta.url));

/** The setting with the path of the bundle of this run. */
export const programEnvironment = (path: string) => ({ FREEBETS_TEST_PROGRAM: path });

/**
 * The environment of every process, in addition to its settings. Processes share compiled code, which halves the time
 * of a start.
 */
export const surroundings = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: bundled
    ? join(dirname(bundled), 'compiled')
    : fileURLToPath(new URL('../../node_modules/.cache/freebets-tests', import.meta.url)),
};

export interface ServerProcess {
  url: string;
  internalUrl: string | undefined;
  child: ChildProcess;
  /** Ends the process and waits for its exit, within a limit. Returns the exit code, or null after a signal. */
  end(signal: NodeJS.Signals, boundMs?: number): Promise<number | null>;
}

/** A server as a separate process, as in a deployment; killed when the file ends. `program` selects another version. */
export async function serverProcess(env: ServerEnvironment, ofVersion = program): Promise<ServerProcess> {
  const child = spawn(process.execPath, [ofVersion, 'serve'], {
    env: { ...surroundings, ...env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals, boundMs = 30_000) => {
    if (!hasEnded()) child.kill(signal);
    await until(`the server has ended after ${signal}`, boundMs, hasEnded);
    return child.exitCode;
  };
  afterUse(env, () => end('SIGKILL'));
  const { url, internal_url: internalUrl } = await new Promise<Record<string, string>>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was serving`)));
    // The log so far. The last line of a killed server may be truncated.
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.includes('"msg":"serving"')) resolve(JSON.parse(line));
    });
  });
  return { url: url as string, internalUrl, child, end };
}

/**
 * Another server on a database that the test does not kill. With large counts it is a separate process, which really
 * runs at the same time as the others. Starting a process takes more processor time than most tests.
 */
export const otherServer = (env: ServerEnvironment): Promise<{ url: string }> =>
  isLong ? serverProcess(env) : testServer(env);

export interface Ran {
  stdout: string;
  stderr: string;
  code: number | null;
}

/** Runs a command to its end, in this process. */
export async function runCommand(env: ServerEnvironment, ...args: string[]): Promise<Ran> {
  const { terminal, out, err } = textTerminal(env);
  const code = await runCli(args, terminal);
  return { stdout: out(), stderr: err(), code };
}

/** A terminal that stores its output. `stop` asks the command in it to end. */
export function textTerminal(env: ServerEnvironment) {
  let [out, err] = ['', ''];
  const stopping = new AbortController();
  const terminal: Terminal = {
    env,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    flush: async () => undefined,
    stopSignal: () => stopping.signal,
    holdSignals: () => () => {},
  };
  return { terminal, out: () => out, err: () => err, stop: () => stopping.abort() };
}

/** The same as a separate process, as a person would run it. */
export const spawnCommand = (env: ServerEnvironment, ...args: string[]): Promise<Ran> =>
  spawnProgram(program, env, ...args);

/** The same with the program of another version. */
export async function spawnProgram(ofVersion: string, env: ServerEnvironment, ...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [ofVersion, ...args], { env: { ...surroundings, ...env } });
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = '';
    for await (const chunk of stream) text += chunk;
    return text;
  };
  const [stdout, stderr, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: code as number | null };
}
