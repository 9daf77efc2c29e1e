import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { RefusalNote } from '../../ui/refusal.tsx';
import { signInByProvider } from './ways.ts';

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
