import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ofPartnerRoute } from '../../frame.tsx';

const clock = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/clock',
  component: lazyRouteComponent(() => import('./clock.tsx'), 'SandboxClock'),
});

export const sandboxRoutes = [clock] as const;
