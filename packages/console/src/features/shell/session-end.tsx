import type { Person } from '@freebets/contract';
import { Alert, Anchor, Button, Portal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { basePath, CallError, call, isNotSignedIn, loadAnew } from '../../api/call.ts';
import { sessionQuery, usePerson } from '../../api/session.ts';
import { isAnythingHeld } from '../../ui/leaving.tsx';
import { Door } from '../sign-in/door.tsx';
import { PasswordForm, useSigningIn } from '../sign-in/signing-in.tsx';
import { demoPassword, demoPeople, waysQuery } from '../sign-in/ways.tsx';

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

interface LockedProps {
  onEntered(person: Person): void;
  /** Gives up what is held. */
  onLeave(): void;
}

let isLocked = false;
// Before any dialog below can hear it: it would close, and what was typed into it would be gone.
addEventListener('keydown', (event) => isLocked && event.key === 'Escape' && event.stopImmediatePropagation(), {
  capture: true,
});

/** Somebody whose role or partners are others by now is not shown what they saw before. */
const isSame = (one: Person, other: Person): boolean =>
  one.staff_id === other.staff_id && one.role === other.role && String(one.partners) === String(other.partners);

/** Stands in place of a screen that holds something, all of which is hidden (console.css), and goes away for the same person alone. */
export function Locked({ onEntered, onLeave }: LockedProps) {
  // As they were: what is known of them is read anew when they sign in.
  const [person] = useState(usePerson());
  const { email } = person;
  const enter = (entered: Person) =>
    isSame(person, entered) && !entered.must_set_up_second_factor ? onEntered(entered) : loadAnew();
  const { data: ways } = useQuery(waysQuery);
  const { send, isSending, refused, code } = useSigningIn(enter);
  useEffect(() => {
    isLocked = true;
    return () => {
      isLocked = false;
    };
  }, []);
  // They may have signed in in another window.
  const look = () => {
    if (!document.hidden) call('SessionGet', {}).then(enter, () => {});
  };
  useWindowEvent('focus', look);
  useWindowEvent('visibilitychange', look);
  return (
    <Portal reuseTargetNode={false} className="lock">
      <Door title={code ? 'Second factor' : 'Sign in again'} about={code && email}>
        {code ?? (
          <>
            <Alert color="blue">
              Your session has ended. What you have not saved is still here, for you alone, unless your role or partners
              have changed.
            </Alert>
            <PasswordForm {...{ email, isSending, refused }} onGiven={send} />
            {ways?.demo && demoPeople.some((each) => each.email === email) && (
              <Button variant="default" disabled={isSending} onClick={() => send({ email, password: demoPassword })}>
                This is a demo: go on with one click
              </Button>
            )}
            {ways?.sso && (
              <Anchor href={`${basePath}/sign-in`} target="_blank" size="sm">
                Sign in with your company account, in another tab
              </Anchor>
            )}
            <Anchor component="button" type="button" size="sm" onClick={onLeave}>
              Sign in as somebody else, and give up what is not saved
            </Anchor>
          </>
        )}
      </Door>
    </Portal>
  );
}
