import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ofPartnerRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const players = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/players',
  validateSearch: wordsIn('find'),
  component: lazyRouteComponent(() => import('./players.tsx'), 'Players'),
});

const player = createRoute({
  getParentRoute: () => ofPartnerRoute,
  path: '/players/$playerId',
  validateSearch: wordsIn('status'),
  component: lazyRouteComponent(() => import('./player.tsx'), 'Player'),
});

export const playerRoutes = [players, player] as const;
