import { Loader } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { actAs, call, isNotSignedIn } from '../../api/call.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Door } from './door.tsx';

/** A screen of its own, so that signing out leaves what was on the screen as any link does: not before it is saved. */
export function SignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, error } = useMutation({
    mutationFn: () => call('SignOut', {}).catch(unlessOver),
    async onSuccess() {
      actAs(undefined);
      queries.clear();
      await navigate({ to: '/sign-in', replace: true });
    },
  });
  useEffect(() => mutate(), [mutate]);
  return (
    <Door title="Signing out">
      {error ? <RefusalNote error={error} onRetry={() => mutate()} /> : <Loader size="sm" aria-label="Signing out" />}
    </Door>
  );
}

/** A session that has ended already needs no end. */
function unlessOver(error: unknown): void {
  if (!isNotSignedIn(error)) throw error;
}
