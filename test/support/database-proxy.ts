import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import type { ServerEnvironment } from './database.ts';

// A proxy between a server and its database that can fail like a network or a database. Each connection is a pair of
// sockets. The state of the proxy decides what happens to bytes when they arrive: it is open, refuses connections, or
// is a black hole that keeps bytes until it ends, as TCP would resend them.

interface Pair {
  server: Socket;
  database: Socket | undefined;
  /** The bytes kept in the black hole, in order. */
  toDatabase: Buffer[];
  toServer: Buffer[];
  /** The other end is gone, and the connection does not show it. */
  lost: boolean;
  cutAtAnswer: boolean;
}

export type AtCommit = 'pass' | 'cut before' | 'cut after';

export interface DatabaseProxy {
  /** The settings of a server that connects through the proxy. */
  env: ServerEnvironment;
  /** Cuts every connection, and refuses new ones. */
  refuse(): Promise<void>;
  /** Cuts every connection, and accepts new ones. */
  cut(): void;
  /** Connections stay open and can be opened, but no bytes pass. */
  hole(): void;
  /** The database of the present connections is gone without closing them; new connections work. */
  lose(): void;
  /** Ends all faults; the kept bytes arrive. */
  back(): Promise<void>;
  /**
   * Called at every COMMIT of a server: it may cut the connection just before the database receives it, or just
   * after.
   */
  atCommit: () => AtCommit;
  /** The black hole begins with the statement that contains this text. */
  holeAt: string | undefined;
  /** The most connections at a time. */
  mostConnections: number;
}

interface State {
  socketPath: string;
  pairs: Set<Pair>;
  inHole: boolean;
  atCommit: () => AtCommit;
  holeAt: string | undefined;
  mostConnections: number;
}

/** It ends with the test file. */
export async function databaseProxy(env: ServerEnvironment): Promise<DatabaseProxy> {
  const { socketPath, name } = campaignPlayerOf(env);
  const state: State = {
    socketPath,
    pairs: new Set(),
    inHole: false,
    atCommit: () => 'pass',
    holeAt: undefined,
    mostConnections: 0,
  };
  const listener = createServer((server) => welcome(state, server));
  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  const forgetAll = () => {
    for (const pair of state.pairs) forget(state, pair);
  };
  after(() => {
    forgetAll();
    listener.close();
  });
  await listen(0);
  const { port } = listener.address() as AddressInfo;
  const switches = {
    cut: forgetAll,
    hole: () => {
      state.inHole = true;
    },
    lose: () => lose(state),
    async refuse() {
      const closed = new Promise((resolve) => listener.close(resolve));
      forgetAll();
      await closed;
    },
    async back() {
      state.inHole = false;
      if (!listener.listening) await listen(port);
      for (const pair of state.pairs) leaveHole(state, pair);
    },
  };
  // Returns the state itself, because the caller sets `atCommit` and `holeAt` on it.
  return Object.assign(state, switches, {
    env: { ...env, DATABASE_URL: `postgres://freebets@127.0.0.1:${port}/${name}` },
  });
}

/** As text, or as the statement prepared under that name. */
const sendsCommit = (chunk: Buffer): boolean => chunk.includes('COMMIT') || chunk.includes('\0commit\0');

function welcome(state: State, server: Socket): void {
  const pair: Pair = { server, database: undefined, toDatabase: [], toServer: [], lost: false, cutAtAnswer: false };
  state.pairs.add(pair);
  state.mostConnections = Math.max(state.mostConnections, state.pairs.size);
  server.on('error', () => {});
  server.on('close', () => (state.inHole ? undefined : forget(state, pair)));
  server.on('data', (chunk: Buffer) => {
    if (pair.lost) return;
    const fate = sendsCommit(chunk) ? state.atCommit() : 'pass';
    if (fate === 'cut before') return forget(state, pair);
    if (fate === 'cut after') pair.cutAtAnswer = true;
    if (state.holeAt !== undefined && chunk.includes(state.holeAt)) state.inHole = true;
    if (state.inHole || pair.database === undefined) pair.toDatabase.push(chunk);
    else pair.database.write(chunk);
  });
  if (!state.inHole) reach(state, pair);
}

function reach(state: State, pair: Pair): void {
  const database = connect(state.socketPath);
  pair.database = database;
  database.on('error', () => {});
  database.on('close', () => (state.inHole || pair.lost ? undefined : forget(state, pair)));
  database.on('data', (chunk: Buffer) => {
    if (pair.cutAtAnswer && chunk.includes('COMMIT\0')) return forget(state, pair);
    if (state.inHole) pair.toServer.push(chunk);
    else pair.server.write(chunk);
  });
  for (const chunk of pair.toDatabase.splice(0)) database.write(chunk);
}

function forget({ pairs }: State, pair: Pair): void {
  pairs.delete(pair);
  pair.server.destroy();
  pair.database?.destroy();
}

function lose(state: State): void {
  for (const pair of state.pairs) {
    pair.lost = true;
    pair.database?.destroy();
  }
  state.inHole = false;
}

function leaveHole(state: State, pair: Pair): void {
  const { database } = pair;
  if (pair.server.destroyed || database?.destroyed) forget(state, pair);
  else if (database === undefined) reach(state, pair);
  else {
    for (const chunk of pair.toDatabase.splice(0)) database.write(chunk);
    for (const chunk of pair.toServer.splice(0)) pair.server.write(chunk);
  }
}

function campaignPlayerOf({ DATABASE_URL = '' }: ServerEnvironment) {
  const url = new URL(DATABASE_URL);
  return { socketPath: `${url.searchParams.get('host')}/.s.PGSQL.5432`, name: url.pathname.slice(1) };
}
