import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { asksBeforeUnload } from '../api/call.ts';

interface Asked {
  /** Whether there is anything that may be lost. */
  isHere: boolean;
  /** Where that alone does not tell: whether it would be, by leaving at this moment. */
  asks?(): boolean;
  /** Where links lie behind it: only the way back or forward leads away, beside what it does itself. */
  isBackOnly?: boolean;
}

/** Holds whoever leaves for another screen until they have answered, with a LeaveDialog. */
export function useLeaving({ isHere, asks = () => isHere, isBackOnly = false }: Asked) {
  const latest = useRef<{ proceed?: (() => void) | undefined; reset?: (() => void) | undefined }>({});
  const leaving = useBlocker({
    shouldBlockFn: ({ action, current, next }) => {
      if (current.pathname === next.pathname) {
        // Back and then forward again: they have answered.
        latest.current.proceed?.();
        return false;
      }
      return asks() && !(isBackOnly && (action === 'PUSH' || action === 'REPLACE'));
    },
    enableBeforeUnload: () => !isBackOnly && asksBeforeUnload(asks()),
    disabled: !isHere,
    withResolver: true,
  });
  latest.current = leaving;
  // Whoever has not answered when there is nothing left to lose stays, and sees what came of it.
  useEffect(() => (isHere ? () => latest.current.reset?.() : undefined), [isHere]);
  return leaving;
}
