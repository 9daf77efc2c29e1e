import { queryOptions } from '@tanstack/react-query';
import { apiPath, basePath } from '../../api/base.ts';

/** How one can sign in here. */
export const waysQuery = queryOptions({
  queryKey: ['ways'],
  queryFn: async ({ signal }): Promise<{ sso: boolean; demo: boolean }> =>
    (await fetch(`${apiPath}/Session/Ways`, { signal })).json(),
  staleTime: Number.POSITIVE_INFINITY,
});

export const ssoAddress = (to = basePath): string => `${apiPath}/Session/Sso?return_to=${encodeURIComponent(to)}`;

/** Of the demo data, and public. */
export const demoPassword = 'demo-staff-password';
export const demoPeople = [
  { email: 'admin@demo.example', about: 'runs the service' },
  { email: 'manager@demo.example', about: 'makes campaigns' },
  { email: 'second@demo.example', about: 'approves, partner 1 only' },
  { email: 'support@demo.example', about: 'helps players, partner 1 only' },
  { email: 'auditor@demo.example', about: 'sees everything, changes nothing' },
];
