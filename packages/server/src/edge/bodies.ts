import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Refusal } from '@freebets/contract';
import { type BytesUnderWay, boundBytes } from './under-way.ts';

// A body is gathered in one buffer that grows with the bytes that have arrived, not with the announced length. Most bodies arrive as
// one piece of the announced length, and are that piece.

export const maxBodyBytes = 1024 * 1024;

export function isJson(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  const type = headers['content-type'];
  return encoding === 'identity' && (type === 'application/json' || /^application\/json\s*(;|$)/i.test(type ?? ''));
}

/** Bodies up to this size are never refused for lack of room, so that large bodies can't keep small ones out. */
export const smallBytes = 16 * 1024;
const firstBytes = 1024;

// A piece costs Node.js 1 µs or more, even with one byte in it, and one connection may deliver 300,000 pieces before another has its
// turn. So pieces must have 64 bytes on average, beyond a number that a slow network can reach.
const freePieces = 1000;
const pieceBytes = 64;

const tooLarge: Refusal = { error: 'body_too_large' };
const crowdedOut: Refusal = { error: 'unavailable' };
const tooManyPieces: Refusal = {
  error: 'invalid_request',
  details: [{ field: '', reason: 'must not come in so many small pieces' }],
};

export type BodiesUnderWay = BytesUnderWay<() => void>;

export const boundBodies = (bound: number, onDrop: () => void): BodiesUnderWay =>
  boundBytes(bound, (giveWay: () => void) => {
    giveWay();
    onDrop();
  });

const nothing = Buffer.alloc(0);

/** Calls back once, with the body or with the reason to refuse it. It does not call back if the body is cut off. */
export function gatherBody(
  request: IncomingMessage,
  bodies: BodiesUnderWay,
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
    if (isCounted) bodies.release(giveWay);
    answer(body);
  };
  const giveWay = () => end(crowdedOut);
  request.on('data', (piece: Buffer) => {
    if (isOver) return;
    const start = length;
    length += piece.length;
    pieces += 1;
    if (length > mostBytes) end(tooLarge);
    else if (pieces > freePieces + length / pieceBytes) end(tooManyPieces);
    else if (piece.length === announced) bytes = piece;
    else {
      if (length > bytes.length) {
        bytes = grown(bytes, start, Math.min(announced, fitting(length)));
        if (bytes.length > smallBytes) {
          if (!isCounted) request.once('close', () => bodies.release(giveWay));
          isCounted = true;
          bodies.keep(giveWay, bytes.length);
        }
      }
      piece.copy(bytes, start);
    }
  });
  request.on('end', () => {
    if (!isOver) end(bytes.length === length ? bytes : bytes.subarray(0, length));
  });
}

/** Twice as large each time. */
const fitting = (length: number): number => Math.max(firstBytes, 2 ** Math.ceil(Math.log2(length)));

function grown(bytes: Buffer, length: number, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger, 0, 0, length);
  return larger;
}
