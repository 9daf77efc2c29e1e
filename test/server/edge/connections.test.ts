import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { limitConnections } from '../../../packages/server/src/edge/connections.ts';

// Who makes room; slow-callers.test.ts has the same with real connections.

function edge(most: number) {
  const server = new EventEmitter();
  let drops = 0;
  const connections = limitConnections(server as unknown as Server, most, () => drops++);
  const connect = (): Socket => {
    const socket = Object.assign(new EventEmitter(), {
      destroyed: false,
      destroy() {
        socket.destroyed = true;
        // As Node.js does, later.
        setImmediate(() => socket.emit('close'));
      },
    });
    server.emit('connection', socket);
    return socket as unknown as Socket;
  };
  /** A request comes, at first perhaps only its beginning. */
  const serve = (socket: Socket, complete = true) => {
    const request = { socket, complete };
    connections.serve(request as IncomingMessage);
    return request;
  };
  return { rest: connections.release, serve, connect, drops: () => drops };
}

const destroyed = (sockets: Socket[]) => sockets.map((socket) => socket.destroyed);

test('the connection idle the longest since its last response is closed first', () => {
  const { connect, serve, rest, drops } = edge(3);
  const [a, b, c] = [connect(), connect(), connect()];
  serve(a);
  rest(a);
  const d = connect();
  assert.deepEqual(destroyed([a, b, c, d]), [false, true, false, false]);
  const e = connect();
  assert.deepEqual(destroyed([a, c, d, e]), [false, true, false, false]);
  connect();
  assert.deepEqual(destroyed([a, d, e]), [true, false, false]);
  assert.equal(drops(), 3);
});

test('a connection that is owed a response stays, and a new one is refused if all are being served', async () => {
  const { connect, serve, rest, drops } = edge(2);
  const [a, b] = [connect(), connect()];
  serve(a);
  serve(a);
  rest(a);
  serve(b);
  assert.deepEqual(destroyed([connect(), a, b]), [true, false, false]);
  rest(a);
  const c = connect();
  assert.deepEqual(destroyed([a, b, c]), [true, false, false]);
  assert.equal(drops(), 2);
});

test('an incomplete request does not keep its connection open, a complete one does', () => {
  const { connect, serve, rest } = edge(3);
  const [a, b, c] = [connect(), connect(), connect()];
  const [begun] = [serve(a, false), serve(b, false), serve(c), serve(c, false)];
  begun.complete = true;
  const d = connect();
  assert.deepEqual(destroyed([a, b, c, d]), [false, true, false, false]);
  serve(d);
  assert.deepEqual(destroyed([connect(), a, c, d]), [true, false, false, false]);
  rest(c);
  const e = connect();
  assert.deepEqual(destroyed([a, c, d, e]), [false, true, false, false]);
});

test('a connection is idle if its response was sent before the body arrived', () => {
  const { connect, serve, rest } = edge(1);
  const a = connect();
  const request = serve(a, false);
  rest(a);
  request.complete = true;
  assert.deepEqual(destroyed([connect(), a]), [false, true]);
});

test('a closed connection frees one place, even if its response ends later', async () => {
  const { connect, serve, rest, drops } = edge(2);
  const [a, b] = [connect(), connect()];
  serve(a);
  a.destroy();
  await new Promise((resolve) => a.once('close', resolve));
  rest(a);
  const c = connect();
  assert.deepEqual(destroyed([b, c]), [false, false]);
  const d = connect();
  assert.deepEqual(destroyed([b, c, d]), [true, false, false]);
  assert.equal(drops(), 1);
});
