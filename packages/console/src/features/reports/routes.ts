import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const reports = createRoute({
  getParentRoute: () => insideRoute,
  path: '/reports',
  validateSearch: wordsIn('partner', 'sandboxes', 'campaign', 'from', 'to', 'by', 'measure', 'currency'),
  component: lazyRouteComponent(() => import('./reports.tsx'), 'Reports'),
});

export const reportRoutes = [reports] as const;
