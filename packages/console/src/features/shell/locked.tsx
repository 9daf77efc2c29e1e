import type { Person } from '@freebets/contract';
import { Alert, Anchor, Button, Portal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { basePath } from '../../api/base.ts';
import { call, loadAnew } from '../../api/call.ts';
import { usePerson } from '../../api/session.ts';
import { Door } from '../sign-in/door.tsx';
import { PasswordForm, useSigningIn } from '../sign-in/signing-in.tsx';
import { demoPassword, demoPeople, waysQuery } from '../sign-in/ways.ts';

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
