import { Alert, Button, Center, Divider, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { CallError, call } from '../../api/call.ts';
import { sessionQuery } from '../../api/session.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { demoPassword, demoPeople, ssoAddress, waysQuery } from './ways.ts';

const route = getRouteApi('/sign-in');

interface Given {
  email: string;
  password: string;
  code?: string;
}

/** E-mail and password; the second factor when it is asked for. */
export function SignIn() {
  const { to, error: ssoError } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const queries = useQueryClient();
  const router = useRouter();
  const { data: ways } = useQuery(waysQuery);
  const signIn = useMutation({
    mutationFn: (given: Given) => call('SignIn', given),
    onSuccess: (person) => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, person);
      router.history.push(to?.startsWith('/') && !to.startsWith('//') ? to : (router.options.basepath ?? '/'));
    },
  });
  const isCodeNeeded = signIn.error instanceof CallError && signIn.error.error === 'code_needed';
  const isAskingForCode = isCodeNeeded || code !== '';
  return (
    <Center mih="100vh" p="md">
      <Stack w={360} maw="100%" gap="lg">
        <Title order={1} ta="center">
          Freebets
        </Title>
        {ssoError && (
          <Alert color="red" role="alert">
            Single sign-on did not work: {ssoError.replaceAll('_', ' ')}.
          </Alert>
        )}
        <Paper withBorder p="lg">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              signIn.mutate({ email, password, ...(isAskingForCode && { code: code.trim() }) });
            }}
          >
            <Stack>
              <TextInput
                label="E-mail"
                type="email"
                autoComplete="username"
                required
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
              />
              <PasswordInput
                label="Password"
                autoComplete="current-password"
                required
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
              {isAskingForCode && (
                <TextInput
                  label="Code"
                  description="From your authenticator, or one of your recovery codes."
                  autoComplete="one-time-code"
                  required
                  autoFocus
                  value={code}
                  onChange={(event) => setCode(event.currentTarget.value)}
                />
              )}
              {signIn.error && !isCodeNeeded && <RefusalNote error={signIn.error} />}
              <Button type="submit" loading={signIn.isPending}>
                Sign in
              </Button>
              {ways?.sso && (
                <Button component="a" variant="default" href={ssoAddress(to)}>
                  Sign in with your company account
                </Button>
              )}
            </Stack>
          </form>
        </Paper>
        {ways?.demo && (
          <Stack gap="xs">
            <Divider label="Demo: sign in with one click" />
            {demoPeople.map(({ email, about }) => (
              <Button
                key={email}
                variant="default"
                justify="space-between"
                rightSection={
                  <Text size="xs" c="dimmed">
                    {about}
                  </Text>
                }
                onClick={() => signIn.mutate({ email, password: demoPassword })}
              >
                {email.split('@')[0]}
              </Button>
            ))}
          </Stack>
        )}
      </Stack>
    </Center>
  );
}
