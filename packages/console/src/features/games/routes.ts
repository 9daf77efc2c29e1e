import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const games = createRoute({
  getParentRoute: () => insideRoute,
  path: '/games',
  validateSearch: wordsIn('view', 'partner', 'search', 'provider', 'currency', 'free_bets'),
  component: lazyRouteComponent(() => import('./games.tsx'), 'Games'),
});

export const gameRoutes = [games] as const;
