import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { assertUuid } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const lists = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/lists',
  validateSearch: wordsIn('status'),
  component: lazyRouteComponent(() => import('./lists.tsx'), 'Lists'),
});

const newList = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/lists/new',
  validateSearch: wordsIn('campaign', 'job', 'terms', 'like'),
  component: lazyRouteComponent(() => import('./new-list.tsx'), 'NewList'),
});

const list = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/lists/$jobId',
  loader: ({ params }) => assertUuid(params.jobId),
  component: lazyRouteComponent(() => import('./list.tsx'), 'List'),
});

export const listRoutes = [lists, newList, list] as const;
