import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ofPartnerRoute } from '../../frame.tsx';
import { assertUuid } from '../../ui/address-id.ts';

const freeBet = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/free-bets/$issueId',
  loader: ({ params }) => assertUuid(params.issueId),
  component: lazyRouteComponent(() => import('./free-bet.tsx'), 'FreeBet'),
});

export const freeBetRoutes = [freeBet] as const;
