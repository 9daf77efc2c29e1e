import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';

const providers = createRoute({
  getParentRoute: () => insideRoute,
  path: '/providers',
  component: lazyRouteComponent(() => import('./providers.tsx'), 'Providers'),
});

const provider = createRoute({
  getParentRoute: () => insideRoute,
  path: '/providers/$providerId',
  component: lazyRouteComponent(() => import('./provider.tsx'), 'Provider'),
});

export const providerRoutes = [providers, provider] as const;
