import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { frameOf } from './frame.ts';
import type { Hub, Listener } from './hub.ts';
import { missedFrames } from './missed.ts';
import { readPositions } from './positions.ts';
import type { LiveSource } from './reading.ts';

// One stream: its head, what was missed, and then whatever the hub tells. What comes while the missed is still being sent is held
// back until then. Who reads too slowly has the connection closed, and comes back by the last message that was read.

/** That wait for the other side. Most are of the same bytes for many streams. */
const mostWaitingBytes = 512 * 1024;

export interface Wanted {
  /** Null for all. */
  partners: readonly number[] | null;
  /** Of the last message that was read; undefined where there was none. */
  lastId: string | undefined;
}

/** Resolves when the stream has begun; it ends by itself, when the other side hangs up, and by `end` of the listener. */
export async function openStream(
  hub: Hub,
  source: LiveSource,
  response: ServerResponse,
  { partners, lastId }: Wanted,
): Promise<void> {
  let held: Buffer[] | undefined = [];
  let heldBytes = 0;
  const drop = () => response.destroy();
  const isOver = () => response.destroyed || response.writableEnded;
  const write = (frame: Buffer) => {
    if (response.writableLength + frame.length > mostWaitingBytes) drop();
    else if (!isOver()) response.write(frame);
  };
  const listener: Listener = {
    send(frame) {
      if (held === undefined) return write(frame);
      heldBytes += frame.length;
      if (heldBytes > mostWaitingBytes) drop();
      else held.push(frame);
    },
    end: () => response.end(),
  };
  const { positions, leave } = await hub.join(partners, listener);
  response.once('close', leave);
  if (isOver()) return leave();
  if (lastId === undefined) write(frameOf('ping', {}, positions));
  else {
    for await (const frame of missedFrames(source, readPositions(lastId), positions)) {
      if (isOver()) return;
      if (!response.write(frame)) await drained(response);
    }
  }
  for (const frame of held) write(frame);
  held = undefined;
}

async function drained(response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  const close = () => closed.abort();
  response.once('close', close);
  await once(response, 'drain', { signal: closed.signal }).catch(() => {});
  response.off('close', close);
}
