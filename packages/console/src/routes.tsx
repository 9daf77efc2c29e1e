import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { basePath } from './api/base.ts';
import { CallError } from './api/call.ts';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { Crashed, NotFound } from './features/shell/lost.tsx';

// Every screen has an address. What is loaded first is the frame and the sign-in; each screen comes when it is opened.

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: Crashed,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string; error?: string } => ({
    ...(typeof search.to === 'string' && { to: search.to }),
    ...(typeof search.error === 'string' && { error: search.error }),
  }),
  component: lazyRouteComponent(() => import('./features/sign-in/sign-in.tsx'), 'SignIn'),
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

const overviewRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./features/overview/overview.tsx'), 'Overview'),
});

const routeTree = rootRoute.addChildren([signInRoute, insideRoute.addChildren([overviewRoute])]);

export const router = createRouter({
  routeTree,
  basepath: basePath,
  context: { queryClient },
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
