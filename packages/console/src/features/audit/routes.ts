import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { insideRoute } from '../../frame.tsx';
import { assertNumber } from '../../ui/address-id.ts';
import { wordsIn } from '../../ui/search.ts';

const audit = createRoute({
  getParentRoute: () => insideRoute,
  path: '/audit',
  validateSearch: wordsIn('partner', 'who', 'action', 'kind', 'id', 'from', 'until'),
  component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
});

const record = createRoute({
  getParentRoute: () => insideRoute,
  path: '/audit/$chain/$sequence',
  loader({ params: { chain, sequence } }) {
    if (chain !== 'none') assertNumber(chain);
    assertNumber(sequence);
  },
  validateSearch: wordsIn('at'),
  component: lazyRouteComponent(() => import('./record.tsx'), 'AuditRecordScreen'),
});

export const auditRoutes = [audit, record] as const;
