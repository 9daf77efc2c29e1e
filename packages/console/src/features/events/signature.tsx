import { signerOf } from '@freebets/client';
import { timedPrefix } from '@freebets/contract/paths';
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
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { Page } from '../../ui/page.tsx';

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

/** The result for the current fields. */
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

/** For a partner's engineer: whether a signature is correct, and what it should be. */
export function Signature() {
  const form = useForm({ initialValues: nothing });
  return (
    <Page title="Check a signature" about="Computed in your browser. The secret is neither sent nor stored.">
      {globalThis.crypto.subtle === undefined ? (
        <Alert color="orange">Browsers can compute signatures only on pages loaded over HTTPS.</Alert>
      ) : (
        <Stack gap="md" maw={760}>
          <SegmentedControl
            aria-label="Kind of signature"
            data={[
              { value: 'request', label: 'X-REQUEST-SIGN' },
              { value: 'webhook', label: 'webhook-signature' },
            ]}
            {...form.getInputProps('kind')}
          />
          <Fields form={form} />
          <Answer signed={form.values} />
        </Stack>
      )}
    </Page>
  );
}

function Fields({ form }: { form: UseFormReturnType<Signed> }) {
  const isWebhook = form.values.kind === 'webhook';
  const field = (name: Exclude<keyof Signed, 'kind'>) => ({
    ...form.getInputProps(name),
    spellCheck: false,
    autoComplete: 'off',
  });
  return (
    <>
      <Textarea
        label="Body"
        description="The exact bytes as sent or received."
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
            <TextInput label="X-REQUEST-TIME" description="Only for strict signing." {...field('time')} />
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
  if (verdict === null) return <Text c="dimmed">Enter a body and a secret.</Text>;
  const { expected, isRight, hint } = verdict;
  const isGiven = signed.signature.trim() !== '';
  const title = !isGiven ? 'Expected signature' : isRight ? 'The signature is correct' : 'The signature is wrong';
  return (
    <Alert color={!isGiven ? 'gray' : isRight ? 'green' : 'red'} title={title} role="status">
      {hint && <Text size="sm">{hint}</Text>}
      {isGiven && !isRight && <Text size="sm">Expected signature</Text>}
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

// The check runs in the browser, so that the secret is never sent.

export interface Signed {
  kind: 'request' | 'webhook';
  secret: string;
  body: string;
  signature: string;
  /** `X-REQUEST-TIME` and the path, for strict signing. */
  time: string;
  path: string;
  /** `webhook-id` and `webhook-timestamp`. */
  webhookId: string;
  webhookTimestamp: string;
}

export interface Verdict {
  expected: string;
  isRight: boolean;
  /** The likely mistake. */
  hint: string | undefined;
}

const encoder = new TextEncoder();

const base64Of = (hex: string): string =>
  btoa(String.fromCharCode(...(hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));

async function signatureOf(signed: Signed): Promise<string> {
  const { kind, secret, body, time, path, webhookId, webhookTimestamp } = signed;
  const sign = signerOf(secret);
  if (kind === 'webhook') {
    return `v1,${base64Of(await sign(encoder.encode(`${webhookId}.${webhookTimestamp}.${body}`)))}`;
  }
  return sign(encoder.encode((time === '' ? '' : timedPrefix(time, path)) + body));
}

const isEqual = ({ kind, signature }: Signed, expected: string): boolean =>
  kind === 'webhook' ? signature.trim().split(/\s+/).includes(expected) : signature.trim().toLowerCase() === expected;

/** Common mistakes. If correcting one of them gives the signature, it is the likely cause. */
const commonMistakes: [string, (signed: Signed) => Signed][] = [
  ['It matches the body without its final line break.', (it) => ({ ...it, body: it.body.replace(/\n+$/, '') })],
  ['It matches the body with a final line break.', (it) => ({ ...it, body: `${it.body}\n` })],
  ['It matches the body with Windows line breaks.', (it) => ({ ...it, body: it.body.replaceAll('\n', '\r\n') })],
  ['It matches the secret without the spaces around it.', (it) => ({ ...it, secret: it.secret.trim() })],
  [
    'It matches the body re-serialised as compact JSON. Sign the original bytes, not the output of a JSON serialiser.',
    (it) => ({ ...it, body: JSON.stringify(JSON.parse(it.body)) }),
  ],
  [
    'It matches the body alone: the time and the path are missing from the signature.',
    (it) => ({ ...it, time: '', path: '' }),
  ],
];

async function hintFor(signed: Signed): Promise<string | undefined> {
  for (const [hint, change] of commonMistakes) {
    try {
      const changed = change(signed);
      if (changed.secret !== '' && isEqual(signed, await signatureOf(changed))) return hint;
    } catch {
      // The body is not JSON, so this mistake is ruled out.
    }
  }
  const given = signed.signature.trim();
  if (signed.kind === 'request' && !/^[0-9a-f]{64}$/i.test(given)) return 'It does not have 64 hexadecimal digits.';
  if (signed.kind === 'webhook' && !given.startsWith('v1,')) return 'It does not start with “v1,”.';
  return undefined;
}

/** Null without a secret or a body. */
async function check(signed: Signed): Promise<Verdict | null> {
  if (signed.secret === '' || signed.body === '') return null;
  const expected = await signatureOf(signed);
  const isRight = isEqual(signed, expected);
  return { expected, isRight, hint: isRight || signed.signature.trim() === '' ? undefined : await hintFor(signed) };
}
