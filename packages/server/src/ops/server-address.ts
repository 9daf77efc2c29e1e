import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../primitives/failure.ts';
import type { Config } from './config.ts';

// While it runs, a server on the embedded database keeps its address in a file in DATA_DIR, so that commands with the
// same DATA_DIR find it on any port. There is at most one such server. A killed server leaves its file behind; the file
// is ignored if its process no longer exists, and the next server replaces it. Another process may have the same id by
// then, so the server must also respond.

export interface ServerAddress {
  url: string;
  internal_url: string | null;
  pid: number;
}

const pathIn = ({ DATA_DIR }: Config): string => join(DATA_DIR, 'server.json');

/** Writes the file whole, by renaming it into place. Returns a function that removes it. */
export function writeServerAddress(config: Config, url: string, internalUrl: string | undefined): () => void {
  const path = pathIn(config);
  const draft = `${path}.${randomUUID()}`;
  const address: ServerAddress = { url, internal_url: internalUrl ?? null, pid: process.pid };
  // `wx` does not follow a symbolic link that another user of the directory may have created.
  writeFileSync(draft, `${JSON.stringify(address)}\n`, { flag: 'wx' });
  renameSync(draft, path);
  return () => {
    // The next server may have replaced the file already.
    if (readAddress(path)?.pid === process.pid) rmSync(path, { force: true });
  };
}

/** The address of a server that listens on this host and port; `localhost` if it listens on all interfaces. */
export function addressAt(host: string, port: number): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** The server that runs on the embedded database of these settings. */
export async function runningServer(config: Config): Promise<ServerAddress | undefined> {
  if (config.DATABASE_URL !== undefined) return undefined;
  const path = pathIn(config);
  const address = readAddress(path);
  if (address === undefined || !isAlive(address.pid)) return undefined;
  if (await isAnswering(address)) return address;
  throw new Failure(
    `The server in ${path}, process ${address.pid} at ${address.url}, does not respond: if it was killed, start it again (npm start).`,
  );
}

const patienceMs = 2000;

async function isAnswering({ url, internal_url }: ServerAddress): Promise<boolean> {
  try {
    const answer = await fetch(`${internal_url ?? url}/livez`, { signal: AbortSignal.timeout(patienceMs) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

function readAddress(path: string): ServerAddress | undefined {
  try {
    const { url, internal_url = null, pid } = JSON.parse(readFileSync(path, 'utf8'));
    return URL.canParse(url) && Number.isSafeInteger(pid) && pid > 0 ? { url, internal_url, pid } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
