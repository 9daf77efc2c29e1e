import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session.ts';
import { rootRoute, signedIn } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';
import { wayOn } from './entering.ts';

interface Coming {
  context: { queryClient: QueryClient };
  search: { to?: string; error?: string; ended?: string };
}

/** Who is signed in already goes on, unless there is something to read. */
async function ledOn({ context, search: { to, error, ended } }: Coming): Promise<void> {
  if (error || ended) return;
  const person = await context.queryClient.ensureQueryData(sessionQuery).catch(() => undefined);
  if (person) throw redirect({ href: wayOn(to), replace: true });
}

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: wordsIn('to', 'error', 'ended'),
  beforeLoad: ledOn,
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});

const signOut = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-out',
  component: lazyRouteComponent(() => import('./sign-out.tsx'), 'SignOut'),
});

const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./invitation.tsx'), 'Invitation'),
});

const secondFactor = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  validateSearch: wordsIn('to'),
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('./second-factor.tsx'), 'SecondFactor'),
});

export const signInRoutes = [signIn, signOut, invitation, secondFactor] as const;
