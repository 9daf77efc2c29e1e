import type { Person } from '@freebets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { CallError, isNotSignedIn } from '../../api/call.ts';
import { sessionQuery } from '../../api/session.ts';
import { isAnythingHeld } from '../../ui/held.ts';

const isSecondFactorNeeded = (error: unknown): boolean =>
  error instanceof CallError && error.error === 'second_factor_needed';

/** Whoever goes on does so where they were. */
function useFocusKept(isLocked: boolean): void {
  const latest = useRef<Element>(null);
  // The lock takes it while it is put in place.
  if (!isLocked) latest.current = null;
  else latest.current ??= document.activeElement;
  useEffect(() => {
    if (!isLocked) return;
    const before = latest.current;
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [isLocked]);
}

/**
 * A session that ends while one works leads to the sign-in, and from there back to the same screen. Where that would take something that
 * is held there, the screen is locked instead, until the same person has signed in.
 */
export function useSessionEnd() {
  const queries = useQueryClient();
  const router = useRouter();
  const [isLocked, setLocked] = useState(false);
  const leave = useCallback(() => {
    const search = { to: router.state.location.publicHref, ended: 'yes' };
    router
      .navigate({ to: '/sign-in', search, ignoreBlocker: true })
      .then(() => queries.clear())
      .catch(reportError);
  }, [queries, router]);
  useEffect(() => {
    let hasLeft = false;
    const notice = (error: unknown) => {
      if (isNotSignedIn(error) && isAnythingHeld()) return setLocked(true);
      if (hasLeft || !(isNotSignedIn(error) || isSecondFactorNeeded(error))) return;
      hasLeft = true;
      leave();
    };
    const endings = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error') notice(event.action.error);
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error') notice(event.action.error);
      }),
    ];
    return () => {
      for (const end of endings) end();
    };
  }, [queries, leave]);
  useFocusKept(isLocked);
  // The way back would lead from the lock to what was read before.
  // Always here, and so asked before those of what is held.
  const locked = useRef(isLocked);
  locked.current = isLocked;
  const isBlocked = useCallback(() => locked.current, []);
  useBlocker({ shouldBlockFn: isBlocked, enableBeforeUnload: false });
  const goOn = (person: Person) => {
    queries.setQueryData(sessionQuery.queryKey, person);
    setLocked(false);
    void queries.invalidateQueries();
  };
  return { isLocked, leave, goOn };
}
