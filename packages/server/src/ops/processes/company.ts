import type { EndedSessions } from '../../people/sessions.ts';
import { leasedLimiter, type RateLimiter, rateLimiter } from '../../primitives/rate-limit.ts';
import type { Conversation, Message } from './messages.ts';

// What a server has in common with other processes that serve as the same one. Alone, it has all of it for itself.

export interface Company {
  /** Whether all others are ready. */
  areOthersReady(): boolean;
  /** Whether this one is has changed. */
  readyIs(isReady: boolean): void;
  openLimiter(limit: number, burst: number): RateLimiter | undefined;
  /** Of all together, as text; undefined where this process has all there is. */
  metricsText: (() => Promise<string>) | undefined;
  /** Whether it answers the probes; else they are answered elsewhere. */
  hasProbes: boolean;
  /** This process has committed something of a partner. */
  committed(clientId: number): void;
  /** Sessions may have ended by what this process did. */
  sessionsEnded(ended: EndedSessions): void;
}

export const alone: Company = {
  areOthersReady: () => true,
  readyIs() {},
  openLimiter: rateLimiter,
  metricsText: undefined,
  hasProbes: true,
  committed() {},
  sessionsEnded() {},
};

/** What is committed meanwhile is told together. */
const tellMs = 10;

export function companyOf(
  conversation: Conversation,
  send: (message: Message) => void,
  { processes, ...known }: { processes: number } & Pick<Company, 'hasProbes' | 'areOthersReady'>,
): Company {
  const committed = new Set<number>();
  const tell = () => {
    send({ kind: 'committed', clientIds: [...committed] });
    committed.clear();
  };
  return {
    ...known,
    readyIs: (isReady) => send({ kind: 'ready', isReady }),
    openLimiter: (limit, burst) =>
      leasedLimiter(limit, burst, processes, (caller, least, most) =>
        conversation.ask('tokens', { limit, burst, caller, least, most }),
      ),
    metricsText: () => conversation.ask('metricsText', undefined),
    committed(clientId) {
      if (committed.size === 0) setTimeout(tell, tellMs).unref();
      committed.add(clientId);
    },
    sessionsEnded: (ended) => send({ kind: 'sessionsEnded', ended }),
  };
}
