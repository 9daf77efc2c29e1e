import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { CallError } from '../../api/call.ts';

const isEnd = (error: unknown): boolean =>
  error instanceof CallError && (error.error === 'not_signed_in' || error.error === 'second_factor_needed');

/** A session that ends while one works leads to the sign-in, and from there back to the same screen. */
export function useSessionEnd(): void {
  const queries = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      const to = router.state.location.publicHref;
      const search = { to, ended: 'yes' };
      void router.navigate({ to: '/sign-in', search, ignoreBlocker: true }).then(() => queries.clear());
    };
    const endings = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error' && isEnd(event.action.error)) leave();
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error' && isEnd(event.action.error)) leave();
      }),
    ];
    return () => {
      for (const end of endings) end();
    };
  }, [queries, router]);
}
