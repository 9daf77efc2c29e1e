import { createRouter } from '@tanstack/react-router';
import { basePath } from './api/base.ts';
import { queryClient } from './api/query-client.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { campaignRoutes } from './features/campaigns/routes.ts';
import { overviewRoutes } from './features/overview/routes.ts';
import { partnerRoutes } from './features/partners/routes.ts';
import { playerRoutes } from './features/players/routes.ts';
import { providerRoutes } from './features/providers/routes.ts';
import { signInRoutes } from './features/sign-in/routes.ts';
import { staffRoutes } from './features/staff/routes.ts';
import { insideRoute, rootRoute } from './frame.tsx';

// Every screen has an address. What is loaded first is the frame and the sign-in; each screen comes when it is opened.

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  insideRoute.addChildren([
    ...overviewRoutes,
    ...campaignRoutes,
    ...playerRoutes,
    ...partnerRoutes,
    ...providerRoutes,
    ...staffRoutes,
    ...auditRoutes,
  ]),
]);

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
