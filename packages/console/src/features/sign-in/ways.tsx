import { Button, type ButtonProps } from '@mantine/core';
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiPath, basePath, call } from '../../api/call.ts';
import { RefusalNote } from '../../ui/refusal.tsx';

/** How one can sign in here. */
export const waysQuery = queryOptions({
  queryKey: ['ways'],
  queryFn: async ({ signal }): Promise<{ sso: boolean; demo: boolean }> =>
    (await fetch(`${apiPath}/Session/Ways`, { signal })).json(),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Leaves for the provider to sign in there; an invitation is accepted by it too, and never stands in an address. */
async function signInByProvider({ to = `${basePath}/`, invitation }: { to?: string | undefined; invitation?: string }) {
  const { location: provider } = await call('SsoBegin', { return_to: to, ...(invitation && { invitation }) });
  location.assign(provider);
}

const ssoTroubles: Record<string, string> = {
  sso_failed: 'The single sign-on did not succeed, or took too long. Begin again.',
  sso_refused: 'Your company account did not let you in.',
  sso_unknown: 'Your company account is known, but has no access here. Ask an admin for an invitation.',
  sso_unavailable: 'Single sign-on is not available at present.',
  invitation_not_valid: 'The invitation is not valid: it was used, replaced, or has expired.',
  unavailable: 'The service is not available at present. Try again in a moment.',
};

export const ssoTrouble = (error: string): string => ssoTroubles[error] ?? 'Single sign-on did not work.';

/** Of the demo data, and public. */
export const demoPassword = 'demo-staff-password';
export const demoPeople = [
  {
    email: 'manager@demo.example',
    name: 'Demo manager',
    about: 'Makes campaigns, gives free bets to lists, reads reports',
  },
  { email: 'second@demo.example', name: 'Second manager', about: 'Approves what the first has made; partner 1 only' },
  {
    email: 'support@demo.example',
    name: 'Demo support',
    about: 'Finds players, gives and cancels free bets; partner 1 only',
  },
  { email: 'admin@demo.example', name: 'Demo admin', about: 'Runs the service: partners, games, webhooks, people' },
  {
    email: 'auditor@demo.example',
    name: 'Demo auditor',
    about: 'Sees everything, and who did what and why; changes nothing',
  },
];

interface SsoButtonProps extends ButtonProps {
  to?: string | undefined;
  invitation?: string;
  children: ReactNode;
}

/** Leads to the provider of single sign-on, or says why it cannot. */
export function SsoButton({ to, invitation, children, ...button }: SsoButtonProps) {
  const leave = useMutation({ mutationFn: () => signInByProvider({ to, ...(invitation && { invitation }) }) });
  return (
    <>
      {leave.error && <RefusalNote error={leave.error} />}
      <Button {...button} loading={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        {children}
      </Button>
    </>
  );
}
