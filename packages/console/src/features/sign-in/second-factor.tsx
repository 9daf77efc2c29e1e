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
import { RefusalNote } from '../../ui/refusal.tsx';
import { useKeeping } from '../../ui/shown-one-time.tsx';
import { Door, useEntering } from './door.tsx';

const route = getRouteApi('/second-factor');
const proof = {};

/** Where it is asked for, nothing else can be used before it is set up. */
export function SecondFactor() {
  const { email } = usePerson();
  const enter = useEntering(route.useSearch().to);
  return (
    <Door title="Set up a second factor" about={`${email} · it is needed here, and takes a minute.`}>
      <SecondFactorSteps proof={proof} onDone={() => call('SessionGet', {}).then(enter).catch(reportError)} />
    </Door>
  );
}

/** What proves that it is the person who asks, of one who has a second factor already. */
interface Proof {
  password?: string;
  code?: string;
}

/** The secret for the app, a code of it, then the recovery codes, which are shown this one time. */
export function SecondFactorSteps({ proof, onDone }: { proof: Proof; onDone(): void }) {
  const begun = useSecretCall('SecondFactorBegin', proof);
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (begun.error) return <RefusalNote error={begun.error} />;
  if (!begun.data) return <Skeleton height={200} />;
  const { secret, uri } = begun.data;
  return (
    <Stack>
      <Text size="sm">
        1. Add an account in an authenticator app, such as the one of your password manager, with this secret.
      </Text>
      <Group gap="xs">
        <Code fz="sm" data-testid="secret">
          {secret.replace(/(.{4})(?=.)/g, '$1 ')}
        </Code>
        <Copy value={secret} label="Copy the secret" />
        <Anchor href={uri} size="sm">
          Open in an app on this device
        </Anchor>
      </Group>
      <Text size="sm">2. Type the six digits that the app shows.</Text>
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
        {confirm.error && <RefusalNote error={confirm.error} />}
        <Button type="submit" loading={confirm.isPending}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}

export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const { question, done } = useKeeping(onDone);
  return (
    <Stack>
      {question}
      <Alert color="orange" title="Keep these recovery codes">
        They are shown this one time. Each stands in for the authenticator app one time, should you lose it.
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
        <Button onClick={done}>I have kept them</Button>
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
