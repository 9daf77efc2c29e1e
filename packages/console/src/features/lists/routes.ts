import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ofPartnerRoute } from '../../frame.tsx';
import { assertUuid } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const lists = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/lists',
  validateSearch: wordsIn('status'),
  component: lazyRouteComponent(() => import('./lists.tsx'), 'Lists'),
});

const newList = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/lists/new',
  validateSearch: wordsIn('campaign', 'job', 'terms', 'like'),
  component: lazyRouteComponent(() => import('./new-list.tsx'), 'NewList'),
});

const list = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/lists/$jobId',
  loader: ({ params }) => assertUuid(params.jobId),
  component: lazyRouteComponent(() => import('./list.tsx'), 'List'),
});

export const listRoutes = [lists, newList, list] as const;
