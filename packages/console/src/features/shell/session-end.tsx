import type { Person } from '@freebets/contract';
import { Alert, Anchor, Button, Portal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { basePath, CallError, call, isNotSignedIn, reloadPage } from '../../api/call.ts';
import { sessionQuery, usePerson } from '../../api/session.ts';
import { hasUnsavedWork } from '../../ui/leave-guard.tsx';
import { PasswordForm, useSignIn } from '../sign-in/forms.tsx';
import { demoPassword, demoPeople, signInMethodsQuery } from '../sign-in/methods.tsx';
import { SignInFrame } from '../sign-in/sign-in-frame.tsx';

const isSecondFactorNeeded = (error: unknown): boolean =>
  error instanceof CallError && error.error === 'second_factor_needed';

/** Restores the focus after the lock. */
function useFocusKept(isLocked: boolean): void {
  const latest = useRef<Element>(null);
  // The lock takes the focus when it opens.
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
 * When the session ends, leads to the sign-in and from there back to the same screen. If the screen has unsaved work,
 * locks it instead, until the same user has signed in again.
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
      if (isNotSignedIn(error) && hasUnsavedWork()) return setLocked(true);
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
  // Back must not lead from the lock to screens that were open before. The blocker is always registered, so that it
  // runs before those of unsaved work.
  const locked = useRef(isLocked);
  locked.current = isLocked;
  const isBlocked = useCallback(() => locked.current, []);
  useBlocker({ shouldBlockFn: isBlocked, enableBeforeUnload: false });
  const resume = (person: Person) => {
    queries.setQueryData(sessionQuery.queryKey, person);
    setLocked(false);
    void queries.invalidateQueries();
  };
  return { isLocked, leave, resume };
}

interface LockedProps {
  onEntered(person: Person): void;
  /** Discards the unsaved work. */
  onLeave(): void;
}

let isLocked = false;
// Captures Escape before dialogs below the lock, which would close and lose their input.
addEventListener('keydown', (event) => isLocked && event.key === 'Escape' && event.stopImmediatePropagation(), {
  capture: true,
});

/**
 * The screen stays locked if the role or the partners have changed, because the user may not be allowed to see it now.
 */
const hasSameRights = (one: Person, other: Person): boolean =>
  one.staff_id === other.staff_id && one.role === other.role && String(one.partners) === String(other.partners);

/** Covers a screen with unsaved work, which console.css hides, until the same user signs in. */
export function Locked({ onEntered, onLeave }: LockedProps) {
  // The user before the lock: signing in reads the session again.
  const [person] = useState(usePerson());
  const { email } = person;
  const enter = (entered: Person) =>
    hasSameRights(person, entered) && !entered.must_set_up_second_factor ? onEntered(entered) : reloadPage();
  const { data: methods } = useQuery(signInMethodsQuery);
  const { send, isSending, refused, code } = useSignIn(enter);
  useEffect(() => {
    isLocked = true;
    return () => {
      isLocked = false;
    };
  }, []);
  // The user may have signed in in another window.
  const checkSession = () => {
    if (!document.hidden) call('SessionGet', {}).then(enter, () => {});
  };
  useWindowEvent('focus', checkSession);
  useWindowEvent('visibilitychange', checkSession);
  return (
    <Portal reuseTargetNode={false} className="lock">
      <SignInFrame title={code ? 'Second factor' : 'Sign in again'} about={code && email}>
        {code ?? (
          <>
            <Alert color="blue">
              Your session has ended. Sign in to continue; your unsaved changes are still here, unless your role or
              partners have changed.
            </Alert>
            <PasswordForm {...{ email, isSending, refused }} onGiven={send} />
            {methods?.demo && demoPeople.some((each) => each.email === email) && (
              <Button variant="default" disabled={isSending} onClick={() => send({ email, password: demoPassword })}>
                Continue as this demo user
              </Button>
            )}
            {methods?.sso && (
              <Anchor href={`${basePath}/sign-in`} target="_blank" size="sm">
                Sign in with your company account (new tab)
              </Anchor>
            )}
            <Anchor component="button" type="button" size="sm" onClick={onLeave}>
              Discard unsaved changes and sign in as another user
            </Anchor>
          </>
        )}
      </SignInFrame>
    </Portal>
  );
}
