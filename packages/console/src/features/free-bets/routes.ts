import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';

const freeBet = createRoute({
  getParentRoute: () => insideRoute,
  path: '/p/$clientId/free-bets/$issueId',
  component: lazyRouteComponent(() => import('./free-bet.tsx'), 'FreeBet'),
});

export const freeBetRoutes = [freeBet] as const;
