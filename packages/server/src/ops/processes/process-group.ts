import type { EndedSessions } from '../../people/sessions.ts';
import { leasedLimiter, type RateLimiter, rateLimiter } from '../../primitives/rate-limit.ts';
import type { Conversation, Message } from './messages.ts';

// The connection of a serving process to the other processes of the same server. A single process uses `singleProcess`.

export interface ProcessGroup {
  /** Whether all other processes are ready. */
  areOthersReady(): boolean;
  /** Reports that this process has become ready or unready. */
  setReady(isReady: boolean): void;
  openLimiter(limit: number, burst: number): RateLimiter | undefined;
  /** The metrics of all processes as text; undefined for a single process. */
  metricsText: (() => Promise<string>) | undefined;
  /** Whether this process serves the probes; otherwise the first process does. */
  hasProbes: boolean;
  /** Reports that this process has committed a change of a partner. */
  committed(clientId: number): void;
  /** Reports that this process may have ended sessions. */
  sessionsEnded(ended: EndedSessions): void;
}

export const singleProcess: ProcessGroup = {
  areOthersReady: () => true,
  setReady() {},
  openLimiter: rateLimiter,
  metricsText: undefined,
  hasProbes: true,
  committed() {},
  sessionsEnded() {},
};

/** Commits within this time are reported in one message. */
const reportMs = 10;

export function processGroupOf(
  conversation: Conversation,
  send: (message: Message) => void,
  { processes, ...known }: { processes: number } & Pick<ProcessGroup, 'hasProbes' | 'areOthersReady'>,
): ProcessGroup {
  const committed = new Set<number>();
  const report = () => {
    send({ kind: 'committed', clientIds: [...committed] });
    committed.clear();
  };
  return {
    ...known,
    setReady: (isReady) => send({ kind: 'ready', isReady }),
    openLimiter: (limit, burst) =>
      leasedLimiter(limit, burst, processes, (caller, least, most) =>
        conversation.ask('tokens', { limit, burst, caller, least, most }),
      ),
    metricsText: () => conversation.ask('metricsText', undefined),
    committed(clientId) {
      if (committed.size === 0) setTimeout(report, reportMs).unref();
      committed.add(clientId);
    },
    sessionsEnded: (ended) => send({ kind: 'sessionsEnded', ended }),
  };
}
