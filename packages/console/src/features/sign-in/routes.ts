import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: wordsIn('to', 'error'),
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});

export const signInRoutes = [signIn] as const;
