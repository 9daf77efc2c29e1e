import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from '@freebets/contract';
import { pieceBytes } from '../calls/call.ts';

// Transfers bytes: request bodies are gathered whole, responses are sent as fast as callers read them.

// Memory held while waiting for callers: incomplete bodies and unread responses. Each kind has a limit for the whole
// process. Beyond the limit, the oldest owner is dropped. Healthy callers finish within milliseconds, so the oldest
// owner is a stalled caller.

export interface ByteBudget<T> {
  /** Sets the number of bytes that the owner holds. This may evict the owner itself. */
  keep(owner: T, bytes: number): void;
  release(owner: T): void;
}

function openByteBudget<T>(bound: number, evict: (owner: T) => void): ByteBudget<T> {
  const kept = new Map<T, number>();
  let total = 0;
  const release = (owner: T) => {
    total -= kept.get(owner) ?? 0;
    kept.delete(owner);
  };
  return {
    release,
    keep(owner, bytes) {
      total += bytes - (kept.get(owner) ?? 0);
      kept.set(owner, bytes);
      for (const longest of kept.keys()) {
        if (total <= bound) break;
        release(longest);
        evict(longest);
      }
    },
  };
}

// A body is gathered in one buffer that grows with the received bytes, not with the announced length. Most bodies
// arrive as one piece of the announced length, and that piece is used without a copy.

export const maxBodyBytes = 1024 * 1024;

export function isJson(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  const type = headers['content-type'];
  return encoding === 'identity' && (type === 'application/json' || /^application\/json\s*(;|$)/i.test(type ?? ''));
}

/** Bodies up to this size are never refused for lack of room, so that large bodies can't keep small ones out. */
export const smallBytes = 16 * 1024;
const firstBytes = 1024;

// A piece costs Node.js 1 µs or more, even with one byte in it, and one connection may deliver 300,000 pieces before
// another has its turn. So pieces must have 64 bytes on average, beyond a number that a slow network can reach.
const freePieces = 1000;
const leastPieceBytes = 64;

const tooLarge: Refusal = { error: 'body_too_large' };
const crowdedOut: Refusal = { error: 'unavailable' };
const tooManyPieces: Refusal = {
  error: 'invalid_request',
  details: [{ field: '', reason: 'must not arrive in this many small pieces' }],
};

export type BodyBudget = ByteBudget<() => void>;

export const limitBodies = (bound: number, onDrop: () => void): BodyBudget =>
  openByteBudget(bound, (evict: () => void) => {
    evict();
    onDrop();
  });

const nothing = Buffer.alloc(0);

/** Calls back once, with the body or with the reason to refuse it. It does not call back if the body is cut off. */
export function gatherBody(
  request: IncomingMessage,
  bodies: BodyBudget,
  answer: (body: Buffer | Refusal) => void,
  mostBytes = maxBodyBytes,
): void {
  const announced = Number(request.headers['content-length'] ?? mostBytes);
  let bytes: Buffer = nothing;
  let length = 0;
  let pieces = 0;
  let isOver = false;
  let isCounted = false;
  const end = (body: Buffer | Refusal) => {
    isOver = true;
    bytes = nothing;
    if (isCounted) bodies.release(evict);
    answer(body);
  };
  const evict = () => end(crowdedOut);
  request.on('data', (piece: Buffer) => {
    if (isOver) return;
    const start = length;
    length += piece.length;
    pieces += 1;
    if (length > mostBytes) end(tooLarge);
    else if (pieces > freePieces + length / leastPieceBytes) end(tooManyPieces);
    else if (piece.length === announced) bytes = piece;
    else {
      if (length > bytes.length) {
        bytes = grown(bytes, start, Math.min(announced, fitting(length)));
        if (bytes.length > smallBytes) {
          if (!isCounted) request.once('close', () => bodies.release(evict));
          isCounted = true;
          bodies.keep(evict, bytes.length);
        }
      }
      piece.copy(bytes, start);
    }
  });
  request.on('end', () => {
    if (!isOver) end(bytes.length === length ? bytes : bytes.subarray(0, length));
  });
}

/** The next power of two. */
const fitting = (length: number): number => Math.max(firstBytes, 2 ** Math.ceil(Math.log2(length)));

function grown(bytes: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger, 0, 0, length);
  return larger;
}

// Responses are sent in pieces, each after the previous one has been taken, so that Node buffers few bytes. The
// connection of a caller that does not read is closed after a time that grows with the response, or sooner if the
// process buffers too many bytes.

export interface Sending {
  timeoutMs: number;
  /** Unread responses, without those whose bytes all callers share. */
  unread: ByteBudget<ServerResponse>;
}

export const limitResponses = (timeoutMs: number, bound: number, onDrop: () => void): Sending => ({
  timeoutMs,
  unread: openByteBudget(bound, (response) => {
    drop(response);
    onDrop();
  }),
});

const slowestBytesPerS = 64 * 1024;

export interface Outgoing {
  body: string | Buffer;
  /** All callers share the bytes, so they do not count for each caller. */
  isShared: boolean;
  /** Called when the body has been taken, or the connection has closed. */
  whenGone(): void;
}

export function sendBody(sending: Sending, response: ServerResponse, outgoing: Outgoing): void {
  const { body, isShared, whenGone } = outgoing;
  // A closed connection emits no second `close`.
  if (isGone(response)) return void whenGone();
  if (body.length === 0) response.end();
  else if (body.length <= pieceBytes) response.end(body);
  // Shared bytes need no extra memory while they wait.
  else sendPieces(response, typeof body === 'string' ? Buffer.from(body) : body, isShared ? body.length : pieceBytes);
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
 * Streams a response of unknown length, each piece after the previous one has been taken. Calls `begin` to send the
 * headers when the first piece is available or the response is empty. Ends the generator of the pieces if the caller
 * disconnects.
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

/** The operating system has taken all bytes. */
const isTaken = (response: ServerResponse): boolean =>
  response.writableEnded && response.socket !== null && response.socket.writableLength === 0;

function drop(response: ServerResponse): void {
  response.req.socket.destroy();
}

/** Ends after the last piece has been taken, because a closing server destroys the connections of ended responses. */
function sendPieces(response: ServerResponse, bytes: Buffer, size: number): void {
  let at = 0;
  const sendNext = () => {
    while (at < bytes.length) {
      const piece = bytes.subarray(at, at + size);
      at += size;
      if (!response.write(piece)) return void response.once('drain', sendNext);
    }
    response.end();
  };
  sendNext();
}

const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 5000;
/** Small pieces count as this many bytes. */
const pieceCostBytes = 1024;
export const lastWordsMs = 1000;

interface Discarding {
  request: IncomingMessage;
  endSoon(): void;
}

const discarding = new WeakMap<Socket, Discarding>();

/**
 * Reads and drops an unwanted body, up to a limit in bytes and time. Beyond the limit, `stop` ends the connection after
 * its response, and the connection is destroyed soon after.
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
 * Handles a parse error within a body that is being dropped; returns false if there is none. The request has its
 * response, but the end of the body can't be found, so the connection ends soon.
 */
export function endDiscarding(socket: Socket): boolean {
  const found = discarding.get(socket);
  if (found === undefined || found.request.complete) return false;
  found.endSoon();
  return true;
}

/** Drops a body that the response does not depend on. */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  const close = () => request.socket.destroySoon();
  discard(request, () => {
    if (response.writableFinished) close();
    else response.once('finish', close);
  });
}

/**
 * Responds at once, then reads and drops the rest of the body for a while before it ends the connection. Otherwise the
 * response would be lost: closing a connection with unread bytes resets it.
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
