import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after } from 'node:test';
import { consolePath, type LiveMessages, live } from '@freebets/contract';
import type { Staff } from './staff.ts';
import { until } from './waiting.ts';

// A client of the console's live stream, like a browser.

export type Message = { [N in keyof LiveMessages]: { name: N; id: string; data: LiveMessages[N] } }[keyof LiveMessages];

export interface LiveStream {
  messages: Message[];
  of<N extends keyof LiveMessages>(name: N): LiveMessages[N][];
  /** Waits for such a message. */
  has(what: string, is: (message: Message) => boolean): Promise<number>;
  lastId(): string;
  close(): void;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
}

export interface LiveWanted {
  clientId?: number;
  lastId?: string;
}

export async function requestLive(
  url: string,
  { cookie }: Partial<Staff>,
  { clientId, lastId }: LiveWanted = {},
  signal?: AbortSignal,
): Promise<Response> {
  const query = clientId === undefined ? '' : `?client_id=${clientId}`;
  return fetch(url + consolePath + live.path + query, {
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(cookie !== undefined && { cookie }),
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    ...(signal && { signal }),
  });
}

export async function listenLive(url: string, who: Staff, wanted: LiveWanted = {}): Promise<LiveStream> {
  const closing = new AbortController();
  after(() => closing.abort());
  const answer = await requestLive(url, who, wanted, closing.signal);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const messages: Message[] = [];
  const ended = read(answer, messages).catch((error) => {
    if (error.name !== 'AbortError') throw error;
  });
  // The stream has all later messages.
  await until('the first message', 5000, () => messages.length > 0);
  return {
    messages,
    of: (name) => messages.flatMap((message) => (message.name === name ? [message.data as never] : [])),
    has: (what, is) => until(what, 5000, () => messages.some(is)),
    lastId: () => messages.at(-1)?.id ?? '',
    close: () => closing.abort(),
    ended,
  };
}

async function read(answer: Response, messages: Message[]): Promise<void> {
  let rest = '';
  for await (const chunk of Readable.fromWeb(answer.body as never).setEncoding('utf8')) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() as string;
    for (const frame of frames) {
      const [, id, name, data] = /^id: (\S+)\nevent: (\w+)\ndata: (.*)$/.exec(frame) ?? assert.fail(frame);
      messages.push({ name, id, data: JSON.parse(data as string) } as Message);
    }
  }
}
