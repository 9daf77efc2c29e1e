import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const campaigns = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/campaigns',
  validateSearch: wordsIn('status'),
  component: lazyRouteComponent(() => import('./campaigns.tsx'), 'Campaigns'),
});

export const campaignRoutes = [campaigns] as const;
