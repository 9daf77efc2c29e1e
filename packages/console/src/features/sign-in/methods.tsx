import { Button, type ButtonProps } from '@mantine/core';
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiPath, basePath, call } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';

/** The available sign-in methods. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: async ({ signal }): Promise<{ sso: boolean; demo: boolean }> =>
    (await fetch(`${apiPath}/Session/Ways`, { signal })).json(),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Redirects to the OpenID provider. The invitation token is sent in the body, so that it never is in an address. */
async function signInByProvider({ to = `${basePath}/`, invitation }: { to?: string | undefined; invitation?: string }) {
  const { location: provider } = await call('SsoBegin', { return_to: to, ...(invitation && { invitation }) });
  location.assign(provider);
}

/** The password of the demo users; it is public. */
export const demoPassword = 'demo-staff-password';
export const demoPeople = [
  {
    email: 'manager@demo.example',
    name: 'Demo manager',
    about: 'Creates campaigns, starts bulk awards, reads reports',
  },
  {
    email: 'second@demo.example',
    name: 'Second manager',
    about: 'Approves drafts of the first manager; partner 1 only',
  },
  {
    email: 'support@demo.example',
    name: 'Demo support',
    about: 'Finds players, issues and cancels free bets; partner 1 only',
  },
  { email: 'admin@demo.example', name: 'Demo admin', about: 'Manages partners, games, webhooks and staff' },
  {
    email: 'auditor@demo.example',
    name: 'Demo auditor',
    about: 'Reads everything, including the audit log; changes nothing',
  },
];

interface SsoButtonProps extends ButtonProps {
  to?: string | undefined;
  invitation?: string;
  children: ReactNode;
}

/** Redirects to single sign-on, or shows why it failed. */
export function SsoButton({ to, invitation, children, ...button }: SsoButtonProps) {
  const leave = useMutation({ mutationFn: () => signInByProvider({ to, ...(invitation && { invitation }) }) });
  return (
    <>
      {leave.error && <ErrorNote error={leave.error} />}
      <Button {...button} loading={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        {children}
      </Button>
    </>
  );
}
