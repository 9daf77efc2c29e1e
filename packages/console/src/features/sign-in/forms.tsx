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
import { ErrorNote } from '../../ui/error-note.tsx';

interface Given {
  email: string;
  password: string;
  code?: string;
}

/** Signs in with e-mail and password, then with the second factor if needed: `code` is its form, or undefined. */
export function useSignIn(onEntered: (person: Person) => void) {
  const [given, setGiven] = useState<Given>();
  const signIn = useMutation({
    mutationFn: (given: Given) => call('SignIn', given),
    onSuccess: onEntered,
    // The password must not stay in the cache.
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
  const refused = signIn.error && !isCodeNeeded ? <ErrorNote error={signIn.error} /> : null;
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
  /** Fixes the e-mail address if only one user can sign in. */
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
            description="One of your ten codes. Each works once."
            required
            autoFocus
            {...form.getInputProps('code')}
          />
        ) : (
          <>
            <Text size="sm">Enter the six digits from your authenticator app.</Text>
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
          Continue
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={switchKind}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code instead'}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Back to password
        </Anchor>
      </Stack>
    </form>
  );
}

export const newPasswordMin = 12;

export const NewPassword = (input: PasswordInputProps) => (
  <PasswordInput
    {...input}
    description={`At least ${newPasswordMin} characters. Common passwords and your own name are not allowed.`}
    autoComplete="new-password"
    required
    minLength={newPasswordMin}
    maxLength={256}
  />
);
