import type { LiveMessages } from '@freebets/contract';
import { apiPath } from './call.ts';

// The stream of what happens. All windows that somebody has open in a browser share one, because it keeps a connection, of which a
// browser has six: whichever window holds the lock has the stream, and tells the others. When it is closed, the next one in the
// queue gets the lock. A window that the browser has suspended keeps the lock and tells nothing: when nothing was heard
// for a while, not even that nothing happens, another window takes the lock from it. The one that lost it queues again when it wakes.

type Messages = { [K in keyof LiveMessages]: (message: LiveMessages[K]) => void } & {
  /** There is no stream at present. */
  broken(message: Record<never, never>): void;
};
type Listener = Omit<Messages, 'ping'>;

/** The server says something every 15 seconds. */
const silenceMs = 45_000;
/** Not all windows at the same time. */
const spreadMs = 5000;

/** Where the page did not come over HTTPS or from this machine, windows cannot agree on one, and each has its own. */
export function listenTogether(staffId: string, listener: Listener): () => void {
  const own: Messages = { ...listener, ping() {} };
  if (!('locks' in navigator)) return listen(own, false);
  const name = `live ${apiPath} ${staffId}`;
  const ended = new AbortController();
  const { signal } = ended;
  const others = new BroadcastChannel(name);
  let isLeading = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const waitForMore = () => {
    clearTimeout(silence);
    if (isLeading || signal.aborted) return;
    silence = setTimeout(() => lead({ steal: true }, true).catch(reportError), silenceMs + Math.random() * spreadMs);
  };
  others.addEventListener('message', ({ data: [what, message] }) => {
    waitForMore();
    own[what as keyof Messages](message);
  });
  const telling = eachOf(own, (what, take) => (message) => {
    others.postMessage([what, message]);
    take(message);
  });
  /** As long as it has the lock; answers when it has none. */
  const lead = async (options: LockOptions, hasMissed: boolean): Promise<void> => {
    let stop = () => {};
    const begin = (lock: Lock | null): Promise<void> | undefined => {
      if (lock === null || signal.aborted) return;
      isLeading = true;
      waitForMore();
      telling.ping({});
      stop = listen(telling, hasMissed);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    try {
      await navigator.locks.request(name, options, begin);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof DOMException) || error.name !== 'AbortError') throw error;
      // It was taken by another window, and what happened meanwhile is not known.
      own.reset({});
    } finally {
      stop();
      isLeading = false;
      waitForMore();
    }
  };
  lead({ ifAvailable: true }, false)
    .then(async () => {
      while (!signal.aborted) await lead({ signal }, true);
    })
    .catch(reportError);
  return () => {
    ended.abort();
    clearTimeout(silence);
    others.close();
  };
}

function eachOf(
  messages: Messages,
  wrap: (what: string, take: (message: unknown) => void) => (message: unknown) => void,
): Messages {
  const wrapped = Object.entries(messages).map(([what, take]) => [what, wrap(what, take as never)]);
  return Object.fromEntries(wrapped) as Messages;
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
    const hearing = eachOf(messages, (_what, take) => (message) => {
      waitForMore();
      take(message);
    });
    for (const [name, take] of Object.entries(hearing)) {
      stream.addEventListener(name, ({ data }: MessageEvent<string>) =>
        (take as (message: unknown) => void)(JSON.parse(data)),
      );
    }
  };
  open(hasMissed);
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}
