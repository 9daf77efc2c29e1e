import { Alert, Anchor, Button, Divider, PasswordInput, PinInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { CallError, call } from '../../api/call.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { DemoPeople } from './demo-people.tsx';
import { Door } from './door.tsx';
import { useEntering } from './entering.ts';
import { SsoButton } from './sso-button.tsx';
import { ssoTrouble, waysQuery } from './ways.ts';

const route = getRouteApi('/sign-in');

interface Given {
  email: string;
  password: string;
  code?: string;
}

/** E-mail and password, then the second factor where it is asked for. */
export function SignIn() {
  const { to, error: ssoError, ended } = route.useSearch();
  const [given, setGiven] = useState<Given>();
  const enter = useEntering(to);
  const { data: ways } = useQuery(waysQuery);
  const signIn = useMutation({ mutationFn: (given: Given) => call('SignIn', given), onSuccess: enter });
  const isCodeNeeded = signIn.error instanceof CallError && signIn.error.error === 'code_needed';
  const send = (next: Given) => {
    setGiven(next);
    signIn.mutate(next);
  };
  const refused = signIn.error && !isCodeNeeded ? <RefusalNote error={signIn.error} /> : null;
  if (given && (isCodeNeeded || given.code !== undefined)) {
    const back = () => {
      setGiven(undefined);
      signIn.reset();
    };
    return (
      <Door title="Second factor" about={given.email}>
        <CodeForm isSending={signIn.isPending} onCode={(code) => send({ ...given, code })} onBack={back} />
        {refused}
      </Door>
    );
  }
  return (
    <Door
      title="Sign in"
      beside={ways?.demo && <DemoPeople isBusy={signIn.isPending} onChoose={(person) => send(person)} />}
    >
      {ended && !signIn.error && <Alert color="blue">Your session has ended. Sign in to go on where you were.</Alert>}
      {ssoError && <Alert color="red" role="alert" title={ssoTrouble(ssoError)} />}
      <PasswordForm isSending={signIn.isPending} onGiven={send} refused={refused} />
      {ways?.sso && (
        <>
          <Divider label="or" />
          <SsoButton variant="default" to={to}>
            Sign in with your company account
          </SsoButton>
        </>
      )}
    </Door>
  );
}

interface PasswordFormProps {
  isSending: boolean;
  refused: React.ReactNode;
  onGiven(given: Given): void;
}

function PasswordForm({ isSending, refused, onGiven }: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onGiven({ email, password });
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
        {refused}
        <Button type="submit" loading={isSending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

function CodeForm({ isSending, onCode, onBack }: { isSending: boolean; onCode(code: string): void; onBack(): void }) {
  const [code, setCode] = useState('');
  const [isRecovery, setRecovery] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCode(code.trim());
      }}
    >
      <Stack>
        {isRecovery ? (
          <TextInput
            label="Recovery code"
            description="One of the ten that you were shown; each is good one time."
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        ) : (
          <>
            <Text size="sm">The six digits that your authenticator app shows.</Text>
            <PinInput
              length={6}
              type="number"
              oneTimeCode
              autoFocus
              aria-label="Code"
              getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1}` })}
              onChange={setCode}
              onComplete={onCode}
            />
          </>
        )}
        <Button type="submit" loading={isSending} disabled={code.trim().length < 6}>
          Go on
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code instead'}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Sign in as somebody else
        </Anchor>
      </Stack>
    </form>
  );
}
