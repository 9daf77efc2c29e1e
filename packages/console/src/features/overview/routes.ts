import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const overview = createRoute({
  getParentRoute: () => insideRoute,
  path: '/',
  validateSearch: wordsIn('partner', 'sandboxes', 'measure', 'currency'),
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
});

export const overviewRoutes = [overview] as const;
