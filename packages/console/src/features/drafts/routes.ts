import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { assertUuid } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const newCampaign = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/campaigns/new',
  component: lazyRouteComponent(() => import('./new-campaign.tsx'), 'NewCampaign'),
});

const draft = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/drafts/$draftId',
  loader: ({ params }) => assertUuid(params.draftId),
  validateSearch: wordsIn('step'),
  component: lazyRouteComponent(() => import('./draft.tsx'), 'Draft'),
});

const approvals = createRoute({
  getParentRoute: () => insideRoute,
  path: '/approvals',
  validateSearch: wordsIn('show', 'state'),
  component: lazyRouteComponent(() => import('./approvals.tsx'), 'Approvals'),
});

export const draftRoutes = [newCampaign, draft, approvals] as const;
