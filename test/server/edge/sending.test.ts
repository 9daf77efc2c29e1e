import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import {
  discardBody,
  limitResponses,
  type Sending,
  sendAsMade,
  sendBody,
} from '../../../packages/server/src/edge/transfer.ts';
import { until } from '../../support/waiting.ts';

// Answers that are not read. The buffers of the system take a few megabytes, so these are larger.

const body = Buffer.alloc(16 * 1024 * 1024, 'x');
const opened: (Server | Socket)[] = [];
after(() => {
  for (const one of opened) 'destroy' in one ? one.destroy() : one.close();
});

async function serve(sending: Sending, isShared = false, whenGone = () => {}) {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    responses.push(response);
    response.setHeader('content-length', body.length);
    sendBody(sending, response, { body, isShared, whenGone });
  });
  opened.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, responses };
}

/** Asks, and does not read. */
async function ask(port: number, times = 1) {
  const socket = connect(port, '127.0.0.1').pause();
  opened.push(socket);
  let isClosed = false;
  let length = 0;
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times));
  const read = () =>
    socket
      .on('data', (chunk) => {
        length += chunk.length;
      })
      .resume();
  return { socket, read, length: () => length, isClosed: () => isClosed };
}

test('a large response arrives whole, each piece sent after the previous one was taken', async () => {
  const { port, responses } = await serve(limitResponses(10_000, 2 ** 30, () => {}));
  const caller = await ask(port);
  await until('the request', 5000, () => responses.length === 1);
  assert.ok(Number(responses[0]?.socket?.writableLength) < 1024 * 1024, 'what waits inside Node.js is small');
  caller.read();
  await until('all of it', 10_000, () => caller.length() > body.length);
});

for (const isShared of [false, true]) {
  test(`a server that closes sends the whole response first, shared: ${isShared}`, async () => {
    const { server, port, responses } = await serve(
      limitResponses(10_000, 2 ** 30, () => {}),
      isShared,
    );
    const caller = await ask(port);
    await until('the request', 5000, () => responses.length === 1);
    server.close();
    caller.read();
    await until('all of it', 10_000, () => caller.length() > body.length || caller.isClosed());
    assert.ok(caller.length() > body.length);
  });
}

test('many responses may wait on a connection without a warning', async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const { port, responses } = await serve(limitResponses(10_000, 2 ** 30, () => {}));
  const { socket } = await ask(port, 30);
  await until('the requests', 5000, () => responses.length === 30);
  socket.destroy();
  await until('their end', 5000, () => responses.every((response) => response.req.socket.destroyed));
  assert.deepEqual(warnings, []);
});

/** Answers without a bound, and which of them are under way. */
function sendingCounted() {
  const kept = new Set<ServerResponse>();
  const unread = {
    keep: (owner: ServerResponse) => void kept.add(owner),
    release: (owner: ServerResponse) => void kept.delete(owner),
  };
  return { kept, sending: { timeoutMs: 60_000, unread } };
}

test('a response to a closed connection takes no memory', async () => {
  const { kept, sending } = sendingCounted();
  let gone = 0;
  const server = createServer((request, response) => {
    request.socket.once('close', () => {
      setImmediate(() => sendBody(sending, response, { body, isShared: false, whenGone: () => gone++ }));
    });
  });
  opened.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const caller = await ask((server.address() as AddressInfo).port);
  setTimeout(() => caller.socket.destroy(), 20);
  await until('it is known', 5000, () => gone === 1);
  assert.equal(kept.size, 0);
});

test('a reader that stalls is disconnected, and one that reads is not', async () => {
  // So much has 256 seconds by its size; here it has three.
  const { port, responses } = await serve(limitResponses(-253_000, 2 ** 30, () => {}));
  const reading = await ask(port);
  reading.read();
  const stalled = await ask(port);
  await until('the end of one that stalls', 10_000, () => responses.some(({ destroyed }) => destroyed));
  await until('all of it for the other', 10_000, () => reading.length() > body.length);
  assert.equal(stalled.length(), 0);
});

test('beyond the limit of unread bytes the oldest response is dropped', async () => {
  let drops = 0;
  const { port, responses } = await serve(limitResponses(60_000, 3 * body.length, () => drops++));
  for (let i = 0; i < 6; i++) {
    await ask(port);
    await until('the request', 5000, () => responses.length === i + 1);
  }
  await until('three given up', 5000, () => responses.filter(({ destroyed }) => destroyed).length === 3);
  assert.deepEqual(
    responses.map(({ destroyed }) => destroyed),
    [true, true, true, false, false, false],
  );
  assert.equal(drops, 3);
});

/** Answers of 256 pieces that are sent while they are made; how many pieces of each were asked for, and who has ended. */
async function serveAsMade(sending: Sending) {
  const made: { pieces: number; hasEnded: boolean }[] = [];
  async function* make(state: { pieces: number; hasEnded: boolean }) {
    try {
      for (; state.pieces < 256; state.pieces++) yield body.subarray(0, 64 * 1024);
    } finally {
      state.hasEnded = true;
    }
  }
  const server = createServer((_request, response) => {
    const state = { pieces: 0, hasEnded: false };
    made.push(state);
    void sendAsMade(sending, response, make(state), () => response.writeHead(200));
  });
  opened.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, made };
}

test('of an answer that is sent while it is made a piece waits, and counts; who takes none has lost it, and what makes it ends', async () => {
  const room = 2 * 64 * 1024;
  const { port, made } = await serveAsMade(limitResponses(60_000, room, () => {}));
  for (let i = 0; i < 4; i++) {
    await ask(port);
    await until('its buffers are full', 5000, async () => {
      const before = made[i]?.pieces ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return before > 0 && made[i]?.pieces === before;
    });
  }
  await until('two given up', 5000, () => made.filter(({ hasEnded }) => hasEnded).length === 2);
  assert.deepEqual(
    made.map(({ hasEnded }) => hasEnded),
    [true, true, false, false],
  );
  const reading = await ask(port);
  reading.read();
  await until('all of it for who reads', 10_000, () => reading.length() > body.length);

  // A piece has a second by its size; here it has a third of one.
  const inTime = await serveAsMade(limitResponses(-667, 2 ** 30, () => {}));
  await ask(inTime.port);
  await until('the end of one that stalls', 5000, () => inTime.made[0]?.hasEnded === true);
  assert.ok(Number(inTime.made[0]?.pieces) < 256);
});

test('the size of a text is counted in bytes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const counted: number[] = [];
  const sending: Sending = { timeoutMs: 1000, unread: { keep: (_owner, bytes) => counted.push(bytes), release() {} } };
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const response = Object.assign(new EventEmitter(), { req: { socket }, socket: null, end() {} });
  sendBody(sending, response as unknown as ServerResponse, { body: '漢', isShared: false, whenGone() {} });
  assert.deepEqual(counted, [3]);
});

test('shared bytes do not count for each reader', async () => {
  const { port, responses } = await serve(
    limitResponses(60_000, body.length, () => {}),
    true,
  );
  for (let i = 0; i < 4; i++) await ask(port);
  await until('the requests', 5000, () => responses.length === 4);
  assert.ok(responses.every(({ destroyed }) => !destroyed));
});

test('pipelined responses count too', async () => {
  const { port, responses } = await serve(limitResponses(60_000, 2 * body.length, () => {}));
  const caller = await ask(port, 5);
  await until('the end', 5000, () => responses.some((response) => response.req.socket.destroyed));
  caller.read();
  await until('the end on this side', 5000, caller.isClosed);
});

test('pipelined responses whose reader disconnects leave nothing behind', async () => {
  const { kept, sending } = sendingCounted();
  let gone = 0;
  const { port, responses } = await serve(sending, false, () => gone++);
  const caller = await ask(port, 5);
  await until('the requests', 5000, () => responses.length === 5);
  assert.equal(kept.size, 5);
  caller.read();
  await until('the first, and a part of the second', 10_000, () => caller.length() > 1.2 * body.length);
  caller.socket.destroy();
  await until('all are gone', 5000, () => gone === 5);
  assert.equal(kept.size, 0);
});

/** A body that is thrown away, and what becomes of its connection. */
function discarded({ isAnswered = true } = {}) {
  const ends: string[] = [];
  const socket = { destroySoon: () => ends.push('behind the answer'), destroy: () => ends.push('at once') };
  const request = Object.assign(new EventEmitter(), { socket, complete: false });
  const response = Object.assign(new EventEmitter(), { writableFinished: isAnswered });
  discardBody(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return { request, response, ends };
}

test('a dropped body is limited in bytes and in pieces', () => {
  for (const [bytes, most] of [[1024 * 1024, 16] as const, [1, 16 * 1024] as const]) {
    const { request, ends } = discarded();
    const piece = Buffer.alloc(bytes);
    for (let i = 0; i < most; i++) request.emit('data', piece);
    assert.deepEqual(ends, []);
    for (let i = 0; i < 3; i++) request.emit('data', piece);
    assert.deepEqual(ends, ['behind the answer']);
    request.emit('close');
  }
});

test('and in time, behind its answer, which is not waited for without end either', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [answered, unanswered, unread, whole] = [
    discarded(),
    discarded({ isAnswered: false }),
    discarded({ isAnswered: false }),
    discarded(),
  ];
  whole.request.emit('end');
  t.mock.timers.tick(4999);
  const all = [answered, unanswered, unread, whole];
  assert.deepEqual(
    all.map(({ ends }) => ends),
    [[], [], [], []],
  );
  t.mock.timers.tick(1);
  assert.deepEqual(
    all.map(({ ends }) => ends),
    [['behind the answer'], [], [], []],
  );
  unanswered.response.emit('finish');
  assert.deepEqual(unanswered.ends, ['behind the answer']);
  t.mock.timers.tick(5000);
  assert.deepEqual(unread.ends, ['at once']);
  assert.deepEqual(whole.ends, []);
});
