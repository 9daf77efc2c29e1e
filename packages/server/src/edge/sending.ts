import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pieceBytes } from '../calls/call.ts';
import { type BytesUnderWay, boundBytes } from './under-way.ts';

// Responses go out in pieces, each after the one before has been taken, so that few bytes wait inside Node.js. A caller that does not
// read loses its connection: after a time that grows with the response, or sooner if too many bytes wait.

export interface Sending {
  timeoutMs: number;
  /** Unread responses, without those whose bytes all callers share. */
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
  /** All callers share the bytes, so they are not counted for each of them. */
  isShared: boolean;
  /** Called when the body has been taken, or the connection has closed. */
  whenGone(): void;
}

export function sendBody(sending: Sending, response: ServerResponse, outgoing: Outgoing): void {
  const { body, isShared, whenGone } = outgoing;
  // A closed connection emits no second `close`.
  if (isGone(response)) return void whenGone();
  if (body.length === 0) response.end();
  // Shared bytes take no more memory while they wait.
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
  // A response that waits behind another one gets no `close` of its own when the connection ends.
  const end = () => {
    clearTimeout(timer);
    response.off('close', end);
    socket.off('close', end);
    unread.release(response);
    whenGone();
  };
  response.once('close', end);
  // Many responses may wait on one connection, each with a listener. Otherwise Node.js would warn of a leak.
  socket.setMaxListeners(0).once('close', end);
  if (!isShared) unread.keep(response, bytes);
}

/**
 * Sends a response while it is made, without its length: each piece after the one before has been taken. `begin` sends the headers, when the
 * first piece is there or the response turns out to be empty. If the caller hangs up, the generator of the pieces is ended.
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

/** Resolves when the piece has been taken, or the connection has closed. */
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

/** The operating system has all of it. */
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
/** The cost of a small piece. */
const pieceCostBytes = 1024;
export const lastWordsMs = 1000;

interface Discarding {
  request: IncomingMessage;
  endSoon(): void;
}

const discarding = new WeakMap<Socket, Discarding>();

/**
 * Reads and drops an unwanted body, up to a limit in bytes and in time. Beyond the limit, `stop` ends the connection after its
 * response, and soon after that the connection is destroyed.
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
 * For a dropped body that turns out broken; false if there is none. Its request has a response, but the end of the body can't be
 * found any more, so the connection ends soon.
 */
export function endDiscarding(socket: Socket): boolean {
  const found = discarding.get(socket);
  if (found === undefined || found.request.complete) return false;
  found.endSoon();
  return true;
}

/** For a body that the response does not depend on. */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  const close = () => request.socket.destroySoon();
  discard(request, () => {
    if (response.writableFinished) close();
    else response.once('finish', close);
  });
}

/**
 * Responds at once, and reads and drops the rest of the body for a while before it ends the connection. If a connection is closed
 * with unread bytes, its last response is lost.
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
