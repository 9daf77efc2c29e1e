import { awakeForMs } from '../../background/sql/due.ts';

// Which partners this process has woken for the work in the background, and so need not be woken again with every batch: for half of the
// time for which they then stay awake. The other half is more than a transaction may take from here to its end, so that it is
// committed while its partner is awake.

export interface Waking {
  isAwake(clientId: number): boolean;
  /** By a transaction that is committed, and whose statements were sent at that time. */
  woken(clientIds: readonly number[], sentAt: number): void;
  /** What takes over from a database that is gone may lack the last of what was committed. */
  forget(): void;
}

const rememberedMs = awakeForMs / 2;

export function rememberWoken(now: () => number = () => performance.now()): Waking {
  /** The longest ago at the front. */
  const wokenAt = new Map<number, number>();
  const isOver = (at: number) => now() - at >= rememberedMs;
  return {
    isAwake(clientId) {
      const at = wokenAt.get(clientId);
      return at !== undefined && !isOver(at);
    },
    woken(clientIds, sentAt) {
      for (const clientId of clientIds) {
        wokenAt.delete(clientId);
        wokenAt.set(clientId, sentAt);
      }
      for (const [clientId, at] of wokenAt) {
        if (!isOver(at)) break;
        wokenAt.delete(clientId);
      }
    },
    forget: () => wokenAt.clear(),
  };
}
