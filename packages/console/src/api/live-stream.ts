import type { LiveMessages } from '@freebets/contract';
import { apiPath } from './call.ts';

// The live stream of a page. Only visible pages open one, because each keeps a connection and HTTP/1.1 browsers open
// six per host.

type Messages = { [K in keyof LiveMessages]: (message: LiveMessages[K]) => void } & {
  /** The stream was lost. */
  broken(message: Record<never, never>): void;
};
type Listener = Omit<Messages, 'ping'>;

/** The server sends a ping every 15 seconds. */
const silenceMs = 45_000;

/** Calls `reset` if events could have been missed before the stream opened. */
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
 * Browsers reconnect a stream that was cut, but not one that was refused, such as during a server restart, and not one
 * that is silently dead.
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
    // Events may have been missed. When the browser reconnects on its own, the server sends `reset`.
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
