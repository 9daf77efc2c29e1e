import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';

const staff = createRoute({
  getParentRoute: () => insideRoute,
  path: '/staff',
  component: lazyRouteComponent(() => import('./staff.tsx'), 'Staff'),
});

const member = createRoute({
  getParentRoute: () => insideRoute,
  path: '/staff/$staffId',
  component: lazyRouteComponent(() => import('./member.tsx'), 'StaffMember'),
});

export const staffRoutes = [staff, member] as const;
