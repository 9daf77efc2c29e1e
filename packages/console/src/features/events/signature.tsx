import {
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useEffect, useState } from 'react';
import { Page } from '../../ui/page.tsx';
import { check, type Signed, type Verdict } from './signature-check.ts';

const nothing: Signed = {
  kind: 'request',
  secret: '',
  body: '',
  signature: '',
  time: '',
  path: '',
  webhookId: '',
  webhookTimestamp: '',
};

/** Always of what stands in the fields. */
function useVerdict(signed: Signed): Verdict | null {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  useEffect(() => {
    let isStale = false;
    check(signed).then((found) => {
      if (!isStale) setVerdict(found);
    }, reportError);
    return () => {
      isStale = true;
    };
  }, [signed]);
  return verdict;
}

/** For a partner's engineer: is this signature right, and what should it be? */
export function Signature() {
  const [signed, setSigned] = useState(nothing);
  const set = (changes: Partial<Signed>) => setSigned((before) => ({ ...before, ...changes }));
  return (
    <Page
      title="Check a signature"
      about="Everything is computed in this page. The secret is not sent anywhere, nor kept."
    >
      {globalThis.crypto.subtle === undefined ? (
        <Alert color="orange">The browser signs only on a page that came over HTTPS.</Alert>
      ) : (
        <Stack gap="md" maw={760}>
          <SegmentedControl
            aria-label="Kind of signature"
            data={[
              { value: 'request', label: 'X-REQUEST-SIGN' },
              { value: 'webhook', label: 'webhook-signature' },
            ]}
            value={signed.kind}
            onChange={(value) => set({ kind: value === 'webhook' ? 'webhook' : 'request' })}
          />
          <Fields signed={signed} set={set} />
          <Answer signed={signed} />
        </Stack>
      )}
    </Page>
  );
}

function Fields({ signed, set }: { signed: Signed; set(changes: Partial<Signed>): void }) {
  const isWebhook = signed.kind === 'webhook';
  const field = (name: Exclude<keyof Signed, 'kind'>) => ({
    value: signed[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
    spellCheck: false,
    autoComplete: 'off',
  });
  return (
    <>
      <Textarea
        label="Body"
        description="The exact bytes, as they came or were sent."
        autosize
        minRows={4}
        maxRows={16}
        {...field('body')}
      />
      <PasswordInput label="Secret" {...field('secret')} autoComplete="new-password" />
      <Group grow align="flex-start">
        {isWebhook ? (
          <>
            <TextInput label="webhook-id" {...field('webhookId')} />
            <TextInput label="webhook-timestamp" {...field('webhookTimestamp')} />
          </>
        ) : (
          <>
            <TextInput label="X-REQUEST-TIME" description="Only with strict signing." {...field('time')} />
            <TextInput label="Path" description="Such as /v3/FreeBets/Issue." {...field('path')} />
          </>
        )}
      </Group>
      <TextInput label={isWebhook ? 'webhook-signature' : 'X-REQUEST-SIGN'} {...field('signature')} />
    </>
  );
}

function Answer({ signed }: { signed: Signed }) {
  const verdict = useVerdict(signed);
  if (verdict === null) return <Text c="dimmed">Give a body and a secret.</Text>;
  const { expected, isRight, hint } = verdict;
  const isGiven = signed.signature.trim() !== '';
  const title = !isGiven ? 'It should be' : isRight ? 'The signature is right' : 'The signature is wrong';
  return (
    <Alert color={!isGiven ? 'gray' : isRight ? 'green' : 'red'} title={title} role="status">
      {hint && <Text size="sm">{hint}</Text>}
      {isGiven && !isRight && <Text size="sm">It should be</Text>}
      <Group gap="sm">
        <Code>{expected}</Code>
        <CopyButton value={expected}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Alert>
  );
}
