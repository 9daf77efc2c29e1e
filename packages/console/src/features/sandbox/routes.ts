import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';

const clock = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/clock',
  component: lazyRouteComponent(() => import('./clock.tsx'), 'SandboxClock'),
});

export const sandboxRoutes = [clock] as const;
