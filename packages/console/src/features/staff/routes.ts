import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { assertUuid } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const staff = createRoute({
  getParentRoute: () => insideRoute,
  path: '/staff',
  validateSearch: wordsIn('search'),
  component: lazyRouteComponent(() => import('./staff.tsx'), 'Staff'),
});

const member = createRoute({
  getParentRoute: () => insideRoute,
  path: '/staff/$staffId',
  loader: ({ params }) => assertUuid(params.staffId),
  component: lazyRouteComponent(() => import('./member.tsx'), 'StaffMember'),
});

export const staffRoutes = [staff, member] as const;
