import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ofPartnerRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const campaigns = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/campaigns',
  validateSearch: wordsIn('search', 'status', 'sort'),
  component: lazyRouteComponent(() => import('./campaigns.tsx'), 'Campaigns'),
});

const campaign = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/campaigns/$campaignId',
  validateSearch: wordsIn('tab', 'range', 'currency', 'status'),
  component: lazyRouteComponent(() => import('./campaign.tsx'), 'Campaign'),
});

export const campaignRoutes = [campaigns, campaign] as const;
