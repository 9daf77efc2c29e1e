import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { partnerRoute } from '../../frame.tsx';

const clock = createRoute({
  getParentRoute: () => partnerRoute,
  path: '/clock',
  component: lazyRouteComponent(() => import('./clock.tsx'), 'SandboxClock'),
});

export const sandboxRoutes = [clock] as const;
