import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { RefusalNote } from '../../ui/refusal.tsx';
import { RecoveryCodes, SecondFactorSteps } from '../sign-in/second-factor.tsx';

type Doing = 'nothing' | 'proving' | { password: string; code?: string } | 'codes';

/** One's own: set up, replaced, and new recovery codes. */
export function OwnSecondFactor() {
  const [doing, setDoing] = useState<Doing>('nothing');
  const finish = () => setDoing('nothing');
  if (doing === 'proving') return <ProofForm onProof={setDoing} onCancel={finish} />;
  if (doing === 'codes') return <NewCodes onDone={finish} />;
  if (doing !== 'nothing') {
    return (
      <Stack>
        <SecondFactorSteps proof={doing} onDone={finish} />
        <Button variant="subtle" onClick={finish}>
          Close
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        A code of an authenticator app, beside your password. Setting one up ends your other sessions, and replaces one
        that you have.
      </Text>
      <Group>
        <Button variant="default" onClick={() => setDoing('proving')}>
          Set up or replace
        </Button>
        <Button variant="default" onClick={() => setDoing('codes')}>
          New recovery codes
        </Button>
      </Group>
    </Stack>
  );
}

function ProofForm({
  onProof,
  onCancel,
}: {
  onProof(proof: { password: string; code?: string }): void;
  onCancel(): void;
}) {
  const form = useForm({
    initialValues: { password: '', code: '' },
    transformValues: ({ password, code }) => ({ password, ...(code.trim() !== '' && { code: code.trim() }) }),
  });
  return (
    <form onSubmit={form.onSubmit(onProof)}>
      <Stack>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
        <TextInput
          label="Code of the present second factor"
          description="If you have one."
          autoComplete="one-time-code"
          {...form.getInputProps('code')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit">Go on</Button>
        </Group>
      </Stack>
    </form>
  );
}

function NewCodes({ onDone }: { onDone(): void }) {
  const form = useForm({ initialValues: { code: '' } });
  const make = useMutation({ mutationFn: () => call('RecoveryCodes', { code: form.values.code.trim() }) });
  if (make.data) return <RecoveryCodes codes={make.data.recovery_codes} onDone={onDone} />;
  return (
    <form onSubmit={form.onSubmit(() => make.mutate())}>
      <Stack>
        <TextInput
          label="Code"
          description="Of your authenticator app. The recovery codes that you have end with it."
          autoComplete="one-time-code"
          required
          minLength={6}
          {...form.getInputProps('code')}
        />
        {make.error && <RefusalNote error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make new codes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
