import {
  Alert,
  Anchor,
  Button,
  Code,
  CopyButton,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { useSecretCall } from '../../api/queries.ts';
import { usePerson } from '../../api/session.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useSavedConfirmation } from '../../ui/shown-once.tsx';
import { SignInFrame, useAfterSignIn } from './sign-in-frame.tsx';

const route = getRouteApi('/second-factor');
const proof = {};

/** If the service requires a second factor, nothing else is accessible before it is set up. */
export function SecondFactor() {
  const { email } = usePerson();
  const enter = useAfterSignIn(route.useSearch().to);
  return (
    <SignInFrame title="Set up a second factor" about={`${email} · required, takes about a minute.`}>
      <SecondFactorSteps proof={proof} onDone={() => call('SessionGet', {}).then(enter).catch(reportError)} />
    </SignInFrame>
  );
}

/** Proof of identity, required to replace an existing second factor. */
interface Proof {
  password?: string;
  code?: string;
}

/** Shows the secret for the app, asks for a code, then shows the recovery codes once. */
export function SecondFactorSteps({ proof, onDone }: { proof: Proof; onDone(): void }) {
  const begun = useSecretCall('SecondFactorBegin', proof);
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (begun.error) return <ErrorNote error={begun.error} />;
  if (!begun.data) return <Skeleton height={200} />;
  const { secret, uri } = begun.data;
  return (
    <Stack>
      <Text size="sm">1. Add an account with this secret in an authenticator app or password manager.</Text>
      <Group gap="xs">
        <Code fz="sm" data-testid="secret">
          {secret.replace(/(.{4})(?=.)/g, '$1 ')}
        </Code>
        <Copy value={secret} label="Copy the secret" />
        <Anchor href={uri} size="sm">
          Open in an app on this device
        </Anchor>
      </Group>
      <Text size="sm">2. Enter the six digits that the app shows.</Text>
      <ConfirmForm onCodes={setCodes} />
    </Stack>
  );
}

function ConfirmForm({ onCodes }: { onCodes(codes: string[]): void }) {
  const form = useForm({ initialValues: { code: '' } });
  const change = useChange('session');
  const confirm = useMutation({
    mutationFn: () => change('SecondFactorConfirm', { code: form.values.code.trim() }),
    onSuccess: ({ recovery_codes }) => onCodes(recovery_codes),
  });
  return (
    <form onSubmit={form.onSubmit(() => confirm.mutate())}>
      <Stack>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          minLength={6}
          maxLength={7}
          {...form.getInputProps('code')}
        />
        {confirm.error && <ErrorNote error={confirm.error} />}
        <Button type="submit" loading={confirm.isPending}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}

export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { question, done } = useSavedConfirmation(onDone);
  return (
    <Stack>
      {question}
      <Alert color="orange" title="Save these recovery codes">
        They are shown only once. Each code replaces the authenticator app once, in case you lose it.
      </Alert>
      <SimpleGrid cols={2} spacing="xs" component="ul" p={0} m={0} aria-label="Recovery codes">
        {codes.map((code) => (
          <Code key={code} component="li" fz="sm" ta="center">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Copy value={codes.join('\n')} label="Copy all" />
        <Button onClick={done}>I have saved them</Button>
      </Group>
    </Stack>
  );
}

const Copy = ({ value, label }: { value: string; label: string }) => (
  <CopyButton value={value}>
    {({ copied, copy }) => (
      <Button size="compact-sm" variant="default" onClick={copy}>
        {copied ? 'Copied' : label}
      </Button>
    )}
  </CopyButton>
);
