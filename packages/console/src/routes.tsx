import type { Person } from '@freebets/contract';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { basePath, CallError } from './api/call.ts';
import { queryClient } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { Crashed, NotFound } from './features/shell/error-screens.tsx';
import { returnPath } from './features/sign-in/sign-in-frame.tsx';
import { assertNumber, assertUuid, plainSearch, textParams } from './ui/address.ts';

// Every screen has an address. The shell and the sign-in load first; each screen loads when it is opened.

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

interface Visit {
  context: { queryClient: QueryClient };
  location: { publicHref: string; search: { error?: string } };
}

/** Returns who is signed in. Without a session, redirects to the sign-in, which leads back. */
async function requireSession({ context, location: { publicHref: to, search } }: Visit): Promise<Person> {
  try {
    return await context.queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 401) throw error;
    throw redirect({ to: '/sign-in', search: { to, ...(search.error && { error: search.error }) } });
  }
}

interface SignInVisit {
  context: { queryClient: QueryClient };
  search: { to?: string; error?: string; ended?: string };
}

/** Leads people who are signed in past the sign-in, unless it shows them an error or why their session ended. */
async function skipSignIn({ context, search: { to, error, ended } }: SignInVisit): Promise<void> {
  if (error || ended) return;
  const person = await context.queryClient.ensureQueryData(sessionQuery).catch(() => undefined);
  if (person) throw redirect({ href: returnPath(to), replace: true });
}

const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: textParams('to', 'error', 'ended'),
    beforeLoad: skipSignIn,
    component: lazyRouteComponent(() => import('./features/sign-in/sign-in.tsx'), 'SignIn'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-out',
    component: lazyRouteComponent(() => import('./features/sign-in/sign-in.tsx'), 'SignOut'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./features/sign-in/invitation.tsx'), 'Invitation'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/second-factor',
    validateSearch: textParams('to'),
    beforeLoad: requireSession,
    component: lazyRouteComponent(() => import('./features/sign-in/second-factor.tsx'), 'SecondFactor'),
  }),
] as const;

/** The screens below it need a session, and the second factor if the service asks for one. */
const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  async beforeLoad(visit) {
    const { must_set_up_second_factor: isNeeded } = await requireSession(visit);
    if (isNeeded) throw redirect({ to: '/second-factor', search: { to: visit.location.publicHref } });
  },
  component: lazyRouteComponent(() => import('./features/shell/shell.tsx'), 'Shell'),
});

const insideRoutes = [
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/',
    validateSearch: textParams('partner', 'sandboxes', 'measure', 'currency'),
    component: lazyRouteComponent(() => import('./features/overview/overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/approvals',
    validateSearch: textParams('show', 'state'),
    component: lazyRouteComponent(() => import('./features/drafts/approvals.tsx'), 'Approvals'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/reports',
    validateSearch: textParams('partner', 'sandboxes', 'campaign', 'from', 'to', 'by', 'measure', 'currency'),
    component: lazyRouteComponent(() => import('./features/reports/reports.tsx'), 'Reports'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/games',
    validateSearch: textParams('view', 'partner', 'search', 'provider', 'currency', 'free_bets'),
    component: lazyRouteComponent(() => import('./features/games/games.tsx'), 'Games'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/system',
    component: lazyRouteComponent(() => import('./features/system/system.tsx'), 'System'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('./features/account/account.tsx'), 'Account'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/partners',
    validateSearch: textParams('search'),
    component: lazyRouteComponent(() => import('./features/partners/partners.tsx'), 'Partners'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/partners/new',
    component: lazyRouteComponent(() => import('./features/partners/new-partner.tsx'), 'NewPartner'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/partners/$clientId',
    loader: ({ params }) => assertNumber(params.clientId),
    component: lazyRouteComponent(() => import('./features/partners/partner.tsx'), 'Partner'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/providers',
    component: lazyRouteComponent(() => import('./features/providers/providers.tsx'), 'Providers'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/providers/$providerId',
    component: lazyRouteComponent(() => import('./features/providers/provider.tsx'), 'Provider'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/staff',
    validateSearch: textParams('search'),
    component: lazyRouteComponent(() => import('./features/staff/staff.tsx'), 'Staff'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/staff/$staffId',
    loader: ({ params }) => assertUuid(params.staffId),
    component: lazyRouteComponent(() => import('./features/staff/member.tsx'), 'StaffMember'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/audit',
    validateSearch: textParams('partner', 'who', 'action', 'kind', 'id', 'from', 'until'),
    component: lazyRouteComponent(() => import('./features/audit/audit.tsx'), 'Audit'),
  }),
  createRoute({
    getParentRoute: () => insideRoute,
    path: '/audit/$chain/$sequence',
    loader({ params: { chain, sequence } }) {
      if (chain !== 'none') assertNumber(chain);
      assertNumber(sequence);
    },
    validateSearch: textParams('at'),
    component: lazyRouteComponent(() => import('./features/audit/record.tsx'), 'AuditRecordScreen'),
  }),
  // Every other address shows the menu and an error.
  createRoute({ getParentRoute: () => insideRoute, path: '$', component: NotFound }),
] as const;

/** The screens of one partner. */
const partnerRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId',
  loader: ({ params }) => assertNumber(params.clientId),
});

const partnerRoutes = [
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/campaigns',
    validateSearch: textParams('search', 'status', 'sort'),
    component: lazyRouteComponent(() => import('./features/campaigns/campaigns.tsx'), 'Campaigns'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/campaigns/$campaignId',
    validateSearch: textParams('tab', 'range', 'currency', 'status'),
    component: lazyRouteComponent(() => import('./features/campaigns/campaign.tsx'), 'Campaign'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/players',
    validateSearch: textParams('find'),
    component: lazyRouteComponent(() => import('./features/players/players.tsx'), 'Players'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/players/$playerId',
    validateSearch: textParams('status'),
    component: lazyRouteComponent(() => import('./features/players/player.tsx'), 'Player'),
  }),
  // Not below /campaigns: a campaign can have the ID "new", a draft only a UUID.
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/drafts/new',
    component: lazyRouteComponent(() => import('./features/drafts/new-campaign.tsx'), 'NewCampaign'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/drafts/$draftId',
    loader: ({ params }) => assertUuid(params.draftId),
    validateSearch: textParams('step'),
    component: lazyRouteComponent(() => import('./features/drafts/draft.tsx'), 'Draft'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/free-bets/$issueId',
    loader: ({ params }) => assertUuid(params.issueId),
    component: lazyRouteComponent(() => import('./features/free-bets/free-bet.tsx'), 'FreeBet'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/clock',
    component: lazyRouteComponent(() => import('./features/sandbox/clock.tsx'), 'SandboxClock'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/lists',
    validateSearch: textParams('status'),
    component: lazyRouteComponent(() => import('./features/lists/lists.tsx'), 'Lists'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/lists/new',
    validateSearch: textParams('campaign', 'job', 'terms', 'like'),
    component: lazyRouteComponent(() => import('./features/lists/new-list.tsx'), 'NewList'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/lists/$jobId',
    loader: ({ params }) => assertUuid(params.jobId),
    component: lazyRouteComponent(() => import('./features/lists/list.tsx'), 'List'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/events',
    validateSearch: textParams('view', 'type', 'state', 'from', 'to', 'player', 'campaign', 'since', 'until'),
    component: lazyRouteComponent(() => import('./features/events/events.tsx'), 'Events'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/events/$sequence',
    loader: ({ params }) => assertNumber(params.sequence),
    // The links to the previous and the next event keep the focus.
    remountDeps: ({ params }) => params.clientId,
    component: lazyRouteComponent(() => import('./features/events/event.tsx'), 'Event'),
  }),
  createRoute({
    getParentRoute: () => partnerRoute,
    path: '/events/signature',
    component: lazyRouteComponent(() => import('./features/events/signature.tsx'), 'Signature'),
  }),
  // Without it, the address of a partner alone would be an empty page.
  createRoute({ getParentRoute: () => partnerRoute, path: '/', component: NotFound }),
] as const;

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...signInRoutes,
    insideRoute.addChildren([...insideRoutes, partnerRoute.addChildren([...partnerRoutes])]),
  ]),
  basepath: basePath,
  context: { queryClient },
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: plainSearch,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Crashed,
  defaultPreload: 'intent',
  // A dialog or a typed field of one partner or campaign does not stay open on another.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
