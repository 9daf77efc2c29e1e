import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { assertNumber } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const partners = createRoute({
  getParentRoute: () => insideRoute,
  path: '/partners',
  validateSearch: wordsIn('search'),
  component: lazyRouteComponent(() => import('./partners.tsx'), 'Partners'),
});

const newPartner = createRoute({
  getParentRoute: () => insideRoute,
  path: '/partners/new',
  component: lazyRouteComponent(() => import('./new-partner.tsx'), 'NewPartner'),
});

const partner = createRoute({
  getParentRoute: () => insideRoute,
  path: '/partners/$clientId',
  loader: ({ params }) => assertNumber(params.clientId),
  component: lazyRouteComponent(() => import('./partner.tsx'), 'Partner'),
});

export const partnerRoutes = [partners, newPartner, partner] as const;
