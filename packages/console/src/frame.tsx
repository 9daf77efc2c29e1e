import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { CallError } from './api/call.ts';
import { sessionQuery } from './api/session.ts';
import { Crashed, NotFound } from './features/shell/lost.tsx';

// What every screen stands in. Each feature adds its routes to `insideRoute`, and routes.tsx puts them together.

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: Crashed,
});

/** Below it somebody is signed in. */
export const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  async beforeLoad({ context, location }) {
    try {
      await context.queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
  component: lazyRouteComponent(() => import('./features/shell/shell.tsx'), 'Shell'),
});
