import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const events = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/events',
  validateSearch: wordsIn('view', 'type', 'state', 'from', 'to', 'player', 'campaign', 'since', 'until'),
  component: lazyRouteComponent(() => import('./events.tsx'), 'Events'),
});

const event = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/events/$sequence',
  component: lazyRouteComponent(() => import('./event.tsx'), 'Event'),
});

const signature = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/events/signature',
  component: lazyRouteComponent(() => import('./signature.tsx'), 'Signature'),
});

export const eventRoutes = [events, event, signature] as const;
