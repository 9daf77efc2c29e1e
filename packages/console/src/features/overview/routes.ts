import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';

const overview = createRoute({
  getParentRoute: () => insideRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
});

export const overviewRoutes = [overview] as const;
