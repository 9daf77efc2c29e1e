import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ofPartnerRoute } from '../../frame.tsx';
import { assertNumber } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const events = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/events',
  validateSearch: wordsIn('view', 'type', 'state', 'from', 'to', 'player', 'campaign', 'since', 'until'),
  component: lazyRouteComponent(() => import('./events.tsx'), 'Events'),
});

const event = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/events/$sequence',
  loader: ({ params }) => assertNumber(params.sequence),
  // The links to the events beside it keep the focus.
  remountDeps: ({ params }) => params.clientId,
  component: lazyRouteComponent(() => import('./event.tsx'), 'Event'),
});

const signature = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/events/signature',
  component: lazyRouteComponent(() => import('./signature.tsx'), 'Signature'),
});

export const eventRoutes = [events, event, signature] as const;
