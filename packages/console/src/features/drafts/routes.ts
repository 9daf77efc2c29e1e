import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute, ofPartnerRoute } from '../../frame.tsx';
import { assertUuid } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

/** Where no draft can be, for their ids are UUIDs; a campaign may have any id. */
const newCampaign = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/drafts/new',
  component: lazyRouteComponent(() => import('./new-campaign.tsx'), 'NewCampaign'),
});

const draft = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/drafts/$draftId',
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

export const draftRoutes = [newCampaign, draft] as const;
export const approvalRoutes = [approvals] as const;
