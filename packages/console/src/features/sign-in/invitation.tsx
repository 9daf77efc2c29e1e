import { Anchor, Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useRef } from 'react';
import { type CallResponse, call } from '../../api/call.ts';
import { useSecretCall } from '../../api/queries.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { NewPassword, newPasswordMin } from './forms.tsx';
import { SsoButton } from './methods.tsx';
import { SignInFrame, useAfterSignIn } from './sign-in-frame.tsx';

/** The token is in the hash of the address, so that it never reaches a server or a log. */
export function Invitation() {
  const token = useLocation().hash.replace(/^#/, '');
  // After accepting, the address changes before this screen unmounts, so keep the token.
  const latest = useRef(token);
  if (token !== '') latest.current = token;
  return <Invited key={latest.current} token={latest.current} />;
}

function Invited({ token }: { token: string }) {
  const { data: invited, error } = useSecretCall('InvitationGet', { token });
  if (error) {
    return (
      <SignInFrame title="Invitation">
        <ErrorNote error={error} />
        <Anchor component={Link} to="/sign-in" size="sm">
          Sign in instead
        </Anchor>
      </SignInFrame>
    );
  }
  if (!invited) {
    return (
      <SignInFrame title="Invitation">
        <Skeleton height={160} />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={`Welcome, ${invited.name}`} about={`${invited.email} · ${invited.role}`}>
      {invited.sso ? (
        <SsoButton invitation={token}>Accept with your company account</SsoButton>
      ) : (
        <AcceptForm token={token} invited={invited} />
      )}
    </SignInFrame>
  );
}

function AcceptForm({ token, invited }: { token: string; invited: CallResponse<'InvitationGet'> }) {
  const form = useForm({ initialValues: { name: invited.name, password: '' } });
  const { name, password } = form.values;
  const enter = useAfterSignIn(undefined);
  const accept = useMutation({
    mutationFn: () => call('InvitationAccept', { token, name: name.trim(), password }),
    onSuccess: enter,
  });
  return (
    <form onSubmit={form.onSubmit(() => accept.mutate())}>
      <Stack>
        <TextInput
          label="Your name"
          description="Shown to your colleagues."
          autoComplete="name"
          required
          maxLength={128}
          {...form.getInputProps('name')}
        />
        <input type="email" autoComplete="username" value={invited.email} readOnly hidden />
        <NewPassword label="Password" {...form.getInputProps('password')} />
        {accept.error && <ErrorNote error={accept.error} />}
        <Button type="submit" loading={accept.isPending} disabled={password.length < newPasswordMin || !name.trim()}>
          Accept invitation
        </Button>
      </Stack>
    </form>
  );
}
