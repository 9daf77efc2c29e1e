import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pieceBytes } from '../calls/call.ts';
import { type BytesUnderWay, boundBytes } from './under-way.ts';

// Answers go out in pieces, each when the one before has been taken, so that what waits inside Node.js is small. Who does
// not read has its connection closed: after a time that grows with the answer, or sooner when too many wait.

export interface Sending {
  timeoutMs: number;
  /** Answers that were made for one caller, and have not been read yet. */
  unread: BytesUnderWay<ServerResponse>;
}

export const boundAnswers = (timeoutMs: number, bound: number, onDrop: () => void): Sending => ({
  timeoutMs,
  unread: boundBytes(bound, (response) => {
    drop(response);
    onDrop();
  }),
});

const slowestBytesPerS = 64 * 1024;

export interface Outgoing {
  body: string | Buffer;
  /** All callers share it, such as a list in memory, so it is not counted for each of them. */
  isShared: boolean;
  /** It has been taken, or cannot be any more. */
  whenGone(): void;
}

export function sendBody(sending: Sending, response: ServerResponse, outgoing: Outgoing): void {
  const { body, isShared, whenGone } = outgoing;
  // Who has hung up meanwhile will close no second time.
  if (isGone(response)) return void whenGone();
  if (body.length === 0) response.end();
  // Bytes that all callers share take up no more memory when they wait.
  else if (isShared || body.length <= pieceBytes) response.end(body);
  else sendPieces(response, typeof body === 'string' ? Buffer.from(body) : body);
  if (isTaken(response)) return void whenGone();
  awaitReader(sending, response, { bytes: Buffer.byteLength(body), isShared, whenGone });
}

interface Awaited extends Omit<Outgoing, 'body'> {
  bytes: number;
}

function awaitReader({ timeoutMs, unread }: Sending, response: ServerResponse, awaited: Awaited): void {
  const { bytes, isShared, whenGone } = awaited;
  const { socket } = response.req;
  const timer = setTimeout(drop, timeoutMs + (bytes / slowestBytesPerS) * 1000, response);
  // An answer that waits behind another on its connection is not closed by the connection's end.
  const end = () => {
    clearTimeout(timer);
    response.off('close', end);
    socket.off('close', end);
    unread.release(response);
    whenGone();
  };
  response.once('close', end);
  // Many may wait on one connection, each with its own: that is no leak, of which Node.js would warn.
  socket.setMaxListeners(0).once('close', end);
  if (!isShared) unread.keep(response, bytes);
}

/**
 * An answer that is sent while it is made, so that nobody knows its length: each piece when the one before has been taken. `begin` sends
 * its head, once there is something to send, or is known to be nothing. What makes it ends with it, or when it cannot be sent any more.
 */
export async function sendAsMade(
  sending: Sending,
  response: ServerResponse,
  pieces: AsyncIterable<Buffer>,
  begin: () => void,
): Promise<void> {
  for await (const piece of pieces) {
    if (isGone(response)) return;
    if (!response.headersSent) begin();
    await sendPiece(sending, response, piece);
    if (isGone(response)) return;
  }
  if (!response.headersSent) begin();
  response.end();
}

const isGone = (response: ServerResponse): boolean => response.destroyed || response.req.socket.destroyed;

/** Until it is taken, or cannot be any more. */
function sendPiece({ timeoutMs, unread }: Sending, response: ServerResponse, piece: Buffer): Promise<void> {
  const { socket } = response.req;
  return new Promise((resolve) => {
    const timer = setTimeout(drop, timeoutMs + (piece.length / slowestBytesPerS) * 1000, response);
    const end = () => {
      clearTimeout(timer);
      socket.off('close', end);
      unread.release(response);
      resolve();
    };
    socket.once('close', end);
    response.write(piece, end);
    unread.keep(response, piece.length);
  });
}

/** By the system, which will pass it on. */
const isTaken = (response: ServerResponse): boolean =>
  response.writableEnded && response.socket !== null && response.socket.writableLength === 0;

function drop(response: ServerResponse): void {
  response.req.socket.destroy();
}

function sendPieces(response: ServerResponse, bytes: Buffer): void {
  let at = 0;
  const sendNext = () => {
    for (;;) {
      const piece = bytes.subarray(at, at + pieceBytes);
      at += pieceBytes;
      if (at >= bytes.length) return void response.end(piece);
      if (!response.write(piece)) return void response.once('drain', sendNext);
    }
  };
  sendNext();
}

const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 5000;
/** What a piece costs, however small it is. */
const pieceCostBytes = 1024;
export const lastWordsMs = 1000;

interface Discarding {
  request: IncomingMessage;
  endSoon(): void;
}

const discarding = new WeakMap<Socket, Discarding>();

/**
 * What comes of a body that is not wanted is thrown away, up to a bound in bytes and in time. Beyond it `stop` ends the
 * connection behind its answer, which is not waited for much longer.
 */
function discard(request: IncomingMessage, stop: () => void): void {
  const { socket } = request;
  if (discarding.get(socket)?.request === request) return;
  let left = lingerBytes;
  let brokenTimer: NodeJS.Timeout | undefined;
  const over = () => {
    stop();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
  const timer = setTimeout(over, lingerMs);
  const endSoon = () => {
    brokenTimer ??= setTimeout(over, lastWordsMs);
  };
  const end = () => {
    clearTimeout(timer);
    clearTimeout(brokenTimer);
  };
  request.once('end', end).once('close', end);
  request.on('data', (piece: Buffer) => {
    const wasWithin = left >= 0;
    left -= Math.max(piece.length, pieceCostBytes);
    if (wasWithin && left < 0) over();
  });
  discarding.set(socket, { request, endSoon });
}

/**
 * For a body that is thrown away and turns out broken; false where there is none. Its request has an answer, whatever is
 * wrong with the rest; but where the rest would end cannot be known any more, so the connection ends soon.
 */
export function endDiscarding(socket: Socket): boolean {
  const found = discarding.get(socket);
  if (found === undefined || found.request.complete) return false;
  found.endSoon();
  return true;
}

/** For a body that the answer does not depend on. */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  const close = () => request.socket.destroySoon();
  discard(request, () => {
    if (response.writableFinished) close();
    else response.once('finish', close);
  });
}

/**
 * For a body that is not wanted. The answer goes out at once, and what still comes is read and thrown away for a while:
 * a connection that is closed over unread bytes takes its last answer with it.
 */
export function sendBeforeEnd(request: IncomingMessage, response: ServerResponse, body: string | Buffer): void {
  response.write(body);
  const close = () => {
    if (!response.writableEnded) response.end();
  };
  if (request.readableEnded) return void close();
  discard(request, close);
  request.once('end', close).once('close', close);
}
