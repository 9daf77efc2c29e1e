import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { RecoveryCodes, SecondFactorSteps } from '../sign-in/second-factor.tsx';

type Step = 'start' | 'identify' | { password: string; code?: string } | 'codes';

/** Sets up or replaces the user's own second factor, and creates new recovery codes. */
export function OwnSecondFactor() {
  const [step, setStep] = useState<Step>('start');
  const finish = () => setStep('start');
  if (step === 'identify') return <ProofForm onProof={setStep} onCancel={finish} />;
  if (step === 'codes') return <NewCodes onDone={finish} />;
  if (step !== 'start') {
    return (
      <Stack>
        <SecondFactorSteps proof={step} onDone={finish} />
        <Button variant="subtle" onClick={finish}>
          Close
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        A code from an authenticator app, in addition to your password. Setting it up ends your other sessions and
        replaces your current second factor.
      </Text>
      <Group>
        <Button variant="default" onClick={() => setStep('identify')}>
          Set up or replace
        </Button>
        <Button variant="default" onClick={() => setStep('codes')}>
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
          label="Code from your current second factor"
          description="Only if you have one."
          autoComplete="one-time-code"
          {...form.getInputProps('code')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit">Continue</Button>
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
          description="From your authenticator app. Your current recovery codes stop working."
          autoComplete="one-time-code"
          required
          minLength={6}
          {...form.getInputProps('code')}
        />
        {make.error && <ErrorNote error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Create new codes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
