import type { Person } from '@freebets/contract';
import {
  Anchor,
  Button,
  PasswordInput,
  type PasswordInputProps,
  PinInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CallError, call } from '../../api/call.ts';
import { RefusalNote } from '../../ui/refusal.tsx';

interface Given {
  email: string;
  password: string;
  code?: string;
}

/** E-mail and password, then the second factor where it is asked for: `code` is its form then. */
export function useSigningIn(onEntered: (person: Person) => void) {
  const [given, setGiven] = useState<Given>();
  const signIn = useMutation({
    mutationFn: (given: Given) => call('SignIn', given),
    onSuccess: onEntered,
    // What it was given is a secret.
    gcTime: 0,
  });
  const isCodeNeeded = signIn.error instanceof CallError && signIn.error.error === 'code_needed';
  const send = (next: Given) => {
    setGiven(next);
    signIn.mutate(next);
  };
  const back = () => {
    setGiven(undefined);
    signIn.reset();
  };
  const refused = signIn.error && !isCodeNeeded ? <RefusalNote error={signIn.error} /> : null;
  const isCode = given && (isCodeNeeded || given.code !== undefined);
  const code = isCode && (
    <>
      <CodeForm isSending={signIn.isPending} onCode={(code) => send({ ...given, code })} onBack={back} />
      {refused}
    </>
  );
  return { send, isSending: signIn.isPending, refused, code, email: given?.email };
}

interface PasswordFormProps {
  /** Of the only one who can sign in. */
  email?: string;
  isSending: boolean;
  refused: ReactNode;
  onGiven(given: Given): void;
}

export function PasswordForm({ email: only, isSending, refused, onGiven }: PasswordFormProps) {
  const form = useForm<Given>({ initialValues: { email: only ?? '', password: '' } });
  return (
    <form onSubmit={form.onSubmit(onGiven)}>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          readOnly={only !== undefined}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          autoFocus={only !== undefined}
          {...form.getInputProps('password')}
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
  const form = useForm({ initialValues: { code: '' } });
  const [isRecovery, setRecovery] = useState(false);
  const switchKind = () => {
    form.reset();
    setRecovery(!isRecovery);
  };
  return (
    <form onSubmit={form.onSubmit(({ code }) => onCode(code.trim()))}>
      <Stack>
        {isRecovery ? (
          <TextInput
            label="Recovery code"
            description="One of the ten that you were shown; each is good one time."
            required
            autoFocus
            {...form.getInputProps('code')}
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
              onChange={(code) => form.setFieldValue('code', code)}
              onComplete={onCode}
            />
          </>
        )}
        <Button type="submit" loading={isSending} disabled={form.values.code.trim().length < 6}>
          Go on
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={switchKind}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code instead'}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Back to the password
        </Anchor>
      </Stack>
    </form>
  );
}

export const newPasswordMin = 12;

export const NewPassword = (input: PasswordInputProps) => (
  <PasswordInput
    {...input}
    description={`At least ${newPasswordMin} characters of any kind; no common password, and not your own name.`}
    autoComplete="new-password"
    required
    minLength={newPasswordMin}
    maxLength={256}
  />
);
