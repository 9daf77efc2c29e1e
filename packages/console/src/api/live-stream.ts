import type { LiveMessages } from '@freebets/contract';
import { apiPath } from './call.ts';

// The live stream of a page. Only visible pages have one: each keeps a connection, and over HTTP/1.1 a browser opens six to a host.

type Messages = { [K in keyof LiveMessages]: (message: LiveMessages[K]) => void } & {
  /** There is no stream at present. */
  broken(message: Record<never, never>): void;
};
type Listener = Omit<Messages, 'ping'>;

/** The server says something every 15 seconds. */
const silenceMs = 45_000;

/** Reports `reset` if something may have happened before the stream was open. */
export function listenWhileVisible(listener: Listener): () => void {
  let hasMissed = document.hidden;
  let stop: (() => void) | undefined;
  const follow = () => {
    if (!document.hidden) stop ??= listen({ ...listener, ping() {} }, hasMissed);
    else {
      stop?.();
      stop = undefined;
      hasMissed = true;
    }
  };
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    stop?.();
  };
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/**
 * A browser takes a stream up again that was cut, but not one that was refused, as by a server that is restarted, nor
 * one that nobody has cut and on which nothing comes any more.
 */
function listen(messages: Messages, hasMissed: boolean): () => void {
  let stream: EventSource;
  let pause = firstPauseMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const openAgain = () => {
    clearTimeout(timer);
    stream.close();
    messages.broken({});
    timer = setTimeout(() => open(true), pause);
    pause = Math.min(pause * 2, longestPauseMs);
  };
  const waitForMore = () => {
    clearTimeout(timer);
    timer = setTimeout(openAgain, silenceMs);
  };
  const open = (isAnother: boolean) => {
    stream = new EventSource(`${apiPath}/Live`);
    waitForMore();
    stream.addEventListener('open', () => (pause = firstPauseMs));
    // What was missed meanwhile is not known; when the browser reconnects, the server sends `reset`.
    if (isAnother) stream.addEventListener('open', () => messages.reset({}), { once: true });
    stream.addEventListener('error', () => {
      if (stream.readyState === EventSource.CLOSED) openAgain();
    });
    for (const [name, take] of Object.entries(messages)) {
      stream.addEventListener(name, ({ data }: MessageEvent<string>) => {
        waitForMore();
        (take as (message: unknown) => void)(JSON.parse(data));
      });
    }
  };
  open(hasMissed);
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}
