import type { Person } from '@freebets/contract';
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { CallError } from './api/call.ts';
import { sessionQuery } from './api/session.ts';
import { NotFound } from './features/shell/lost.tsx';
import { assertNumber } from './ui/address-id.ts';

// What every screen stands in. Each feature adds its routes to `insideRoute` or `ofPartnerRoute`, and routes.tsx puts them together.

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

interface Coming {
  context: { queryClient: QueryClient };
  location: { publicHref: string; search: { error?: string } };
}

/** Who is signed in; whoever is not goes to the sign-in, and comes back from there. */
export async function signedIn({ context, location: { publicHref: to, search } }: Coming): Promise<Person> {
  try {
    return await context.queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 401) throw error;
    throw redirect({ to: '/sign-in', search: { to, ...(search.error && { error: search.error }) } });
  }
}

/** Below it somebody is signed in, and has the second factor that is asked for. */
export const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  async beforeLoad(coming) {
    const { must_set_up_second_factor: isNeeded } = await signedIn(coming);
    if (isNeeded) throw redirect({ to: '/second-factor', search: { to: coming.location.publicHref } });
  },
  component: lazyRouteComponent(() => import('./features/shell/shell.tsx'), 'Shell'),
});

/** Below it are the screens of one partner. */
export const ofPartnerRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId',
  loader: ({ params }) => assertNumber(params.clientId),
});

/** Without it the address of a partner alone would be an empty page. */
export const ofPartnerLostRoute = createRoute({ getParentRoute: () => ofPartnerRoute, path: '/', component: NotFound });

/** Any address that leads nowhere, beside the menu. */
export const lostRoute = createRoute({ getParentRoute: () => insideRoute, path: '$', component: NotFound });
