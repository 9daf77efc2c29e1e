import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedIn } from '../../frame.tsx';
import { wordsIn } from '../../ui/search.ts';

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: wordsIn('to', 'error', 'ended'),
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});

const signOut = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-out',
  component: lazyRouteComponent(() => import('./sign-out.tsx'), 'SignOut'),
});

const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./invitation.tsx'), 'Invitation'),
});

const secondFactor = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  validateSearch: wordsIn('to'),
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('./second-factor.tsx'), 'SecondFactor'),
});

export const signInRoutes = [signIn, signOut, invitation, secondFactor] as const;
