import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';

const system = createRoute({
  getParentRoute: () => insideRoute,
  path: '/system',
  component: lazyRouteComponent(() => import('./system.tsx'), 'System'),
});

export const systemRoutes = [system] as const;
