import { createRouter } from '@tanstack/react-router';
import { basePath } from './api/base.ts';
import { queryClient } from './api/query-client.ts';
import { accountRoutes } from './features/account/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { campaignRoutes } from './features/campaigns/routes.ts';
import { approvalRoutes, draftRoutes } from './features/drafts/routes.ts';
import { eventRoutes } from './features/events/routes.ts';
import { freeBetRoutes } from './features/free-bets/routes.ts';
import { gameRoutes } from './features/games/routes.ts';
import { listRoutes } from './features/lists/routes.ts';
import { overviewRoutes } from './features/overview/routes.ts';
import { partnerRoutes } from './features/partners/routes.ts';
import { playerRoutes } from './features/players/routes.ts';
import { providerRoutes } from './features/providers/routes.ts';
import { reportRoutes } from './features/reports/routes.ts';
import { sandboxRoutes } from './features/sandbox/routes.ts';
import { Crashed, NotFound } from './features/shell/lost.tsx';
import { signInRoutes } from './features/sign-in/routes.ts';
import { staffRoutes } from './features/staff/routes.ts';
import { systemRoutes } from './features/system/routes.ts';
import { insideRoute, lostRoute, ofPartnerLostRoute, ofPartnerRoute, rootRoute } from './frame.tsx';
import { plainSearch } from './ui/search.ts';

// Every screen has an address. What is loaded first is the frame and the sign-in; each screen comes when it is opened.

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  insideRoute.addChildren([
    ...overviewRoutes,
    ofPartnerRoute.addChildren([
      ...campaignRoutes,
      ...playerRoutes,
      ...draftRoutes,
      ...freeBetRoutes,
      ...sandboxRoutes,
      ...listRoutes,
      ...eventRoutes,
      ofPartnerLostRoute,
    ]),
    ...approvalRoutes,
    ...reportRoutes,
    ...gameRoutes,
    ...systemRoutes,
    ...accountRoutes,
    ...partnerRoutes,
    ...providerRoutes,
    ...staffRoutes,
    ...auditRoutes,
    lostRoute,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: basePath,
  context: { queryClient },
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: plainSearch,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Crashed,
  defaultPreload: 'intent',
  // What is open for one partner, or one thing, is not open for another.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
