import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const campaigns = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/campaigns',
  validateSearch: wordsIn('search', 'status', 'sort'),
  component: lazyRouteComponent(() => import('./campaigns.tsx'), 'Campaigns'),
});

const campaign = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/campaigns/$campaignId',
  validateSearch: wordsIn('tab', 'range', 'currency', 'status'),
  component: lazyRouteComponent(() => import('./campaign.tsx'), 'Campaign'),
});

export const campaignRoutes = [campaigns, campaign] as const;
