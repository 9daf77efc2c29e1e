import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import type { ServerEnvironment } from './database.ts';

// Stands between a server and its database, and can fail in the ways a network or a database does. Each connection is a
// pair of sockets; what passes between them is decided when it arrives, by the state of the proxy at that moment:
// open, refusing, or a hole, in which bytes are kept until it is left, as TCP would send them again.

interface Pair {
  server: Socket;
  database: Socket | undefined;
  /** Kept while in the hole, in order. */
  toDatabase: Buffer[];
  toServer: Buffer[];
  /** Nobody is at the other end any more, and nobody says so. */
  lost: boolean;
  cutAtAnswer: boolean;
}

export type AtCommit = 'pass' | 'cut before' | 'cut after';

export interface DatabaseProxy {
  /** The settings of a server that reaches its database through here. */
  env: ServerEnvironment;
  /** Cuts every connection, and refuses new ones. */
  refuse(): Promise<void>;
  /** Cuts every connection, and takes new ones. */
  cut(): void;
  /** Connections stay and can be opened, and nothing comes through. */
  hole(): void;
  /** The database behind the present connections is gone without a word; new connections find one. */
  lose(): void;
  /** All is well again; what was kept in the hole arrives. */
  back(): Promise<void>;
  /** Asked at every COMMIT a server sends: it may lose its connection just before the database sees it, or just after. */
  atCommit: () => AtCommit;
}

/** Gone when the test file ends. */
export async function databaseProxy(env: ServerEnvironment): Promise<DatabaseProxy> {
  const { socketPath, name } = placeOf(env);
  const pairs = new Set<Pair>();
  let inHole = false;

  const listener = createServer((server) => {
    const pair: Pair = { server, database: undefined, toDatabase: [], toServer: [], lost: false, cutAtAnswer: false };
    pairs.add(pair);
    server.on('error', () => {});
    server.on('close', () => (inHole ? undefined : forget(pair)));
    server.on('data', (chunk: Buffer) => {
      if (pair.lost) return;
      const fate = chunk.includes('COMMIT') ? proxy.atCommit() : 'pass';
      if (fate === 'cut before') return forget(pair);
      if (fate === 'cut after') pair.cutAtAnswer = true;
      if (inHole || pair.database === undefined) pair.toDatabase.push(chunk);
      else pair.database.write(chunk);
    });
    if (!inHole) reach(pair);
  });

  function reach(pair: Pair): void {
    const database = connect(socketPath);
    pair.database = database;
    database.on('error', () => {});
    database.on('close', () => (inHole || pair.lost ? undefined : forget(pair)));
    database.on('data', (chunk: Buffer) => {
      if (pair.cutAtAnswer && chunk.includes('COMMIT\0')) return forget(pair);
      if (inHole) pair.toServer.push(chunk);
      else pair.server.write(chunk);
    });
    for (const chunk of pair.toDatabase.splice(0)) database.write(chunk);
  }

  function forget(pair: Pair): void {
    pairs.delete(pair);
    pair.server.destroy();
    pair.database?.destroy();
  }

  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  await listen(0);
  const { port } = listener.address() as AddressInfo;

  const proxy: DatabaseProxy = {
    env: { ...env, DATABASE_URL: `postgres://freebets@127.0.0.1:${port}/${name}` },
    atCommit: () => 'pass',
    cut: () => pairs.forEach(forget),
    hole() {
      inHole = true;
    },
    lose() {
      for (const pair of pairs) {
        pair.lost = true;
        pair.database?.destroy();
      }
      inHole = false;
    },
    async refuse() {
      const closed = new Promise((resolve) => listener.close(resolve));
      pairs.forEach(forget);
      await closed;
    },
    async back() {
      inHole = false;
      if (!listener.listening) await listen(port);
      for (const pair of pairs) leaveHole(pair);
    },
  };

  function leaveHole(pair: Pair): void {
    if (pair.server.destroyed || pair.database?.destroyed) return forget(pair);
    if (pair.database === undefined) return reach(pair);
    for (const chunk of pair.toDatabase.splice(0)) pair.database.write(chunk);
    for (const chunk of pair.toServer.splice(0)) pair.server.write(chunk);
  }

  after(() => {
    for (const { server, database } of pairs) {
      server.destroy();
      database?.destroy();
    }
    listener.close();
  });
  return proxy;
}

function placeOf({ DATABASE_URL = '' }: ServerEnvironment) {
  const url = new URL(DATABASE_URL);
  return { socketPath: `${url.searchParams.get('host')}/.s.PGSQL.5432`, name: url.pathname.slice(1) };
}
