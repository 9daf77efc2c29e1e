import { Alert, Avatar, Divider, Group, Loader, Stack, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call, isNotSignedIn, setSignedInAs } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { errorText } from '../../ui/error-words.ts';
import { PasswordForm, useSignIn } from './forms.tsx';
import { demoPassword, demoPeople, SsoButton, signInMethodsQuery } from './methods.tsx';
import { SignInFrame, useAfterSignIn } from './sign-in-frame.tsx';

const route = getRouteApi('/sign-in');

/** E-mail and password, then the second factor if the account has one. */
export function SignIn() {
  const { to, error: ssoError, ended } = route.useSearch();
  const { data: methods } = useQuery(signInMethodsQuery);
  const { send, isSending, refused, code, email } = useSignIn(useAfterSignIn(to));
  if (code) {
    return (
      <SignInFrame title="Second factor" about={email}>
        {code}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Sign in"
      below={methods?.demo && <DemoPeople isBusy={isSending} onChoose={(person) => send(person)} />}
    >
      {ended && !refused && <Alert color="blue">Your session has ended. Sign in to continue where you were.</Alert>}
      {ssoError && <Alert color="red" role="alert" title={errorText(ssoError)} />}
      <PasswordForm isSending={isSending} onGiven={send} refused={refused} />
      {methods?.sso && (
        <>
          <Divider label="or" />
          <SsoButton variant="default" to={to}>
            Sign in with your company account
          </SsoButton>
        </>
      )}
    </SignInFrame>
  );
}

/** A screen of its own, so that signing out asks about unsaved work like any other link. */
export function SignOut() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, error } = useMutation({
    mutationFn: () => call('SignOut', {}).catch(unlessOver),
    async onSuccess() {
      setSignedInAs(undefined);
      queries.clear();
      await navigate({ to: '/sign-in', replace: true });
    },
  });
  useEffect(() => mutate(), [mutate]);
  return (
    <SignInFrame title="Signing out">
      {error ? <ErrorNote error={error} onRetry={() => mutate()} /> : <Loader size="sm" aria-label="Signing out" />}
    </SignInFrame>
  );
}

/** The session has already ended. */
function unlessOver(error: unknown): void {
  if (!isNotSignedIn(error)) throw error;
}

interface DemoPeopleProps {
  isBusy: boolean;
  onChoose(person: { email: string; password: string }): void;
}

const DemoPeople = ({ isBusy, onChoose }: DemoPeopleProps) => (
  <Stack gap="xs" component="section" aria-label="Demo users">
    <Divider label="This is a demo. Sign in with one click as" />
    {demoPeople.map(({ email, name, about }) => (
      <UnstyledButton
        key={email}
        className="panel panel-link"
        p="xs"
        disabled={isBusy}
        onClick={() => onChoose({ email, password: demoPassword })}
      >
        <Group gap="sm" wrap="nowrap">
          <Avatar name={name} size={32} color="accent" aria-hidden />
          <div>
            <Text size="sm" fw={600}>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </div>
        </Group>
      </UnstyledButton>
    ))}
  </Stack>
);
