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
  const form = useForm({ initialValues: nothing });
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

// What a partner's engineer checks by hand: whether a signature fits a body, and what it should be. It is computed here, in the
// browser; the secret goes nowhere.

export interface Signed {
  kind: 'request' | 'webhook';
  secret: string;
  body: string;
  signature: string;
  /** `X-REQUEST-TIME` and the path, where signing is strict. */
  time: string;
  path: string;
  /** `webhook-id` and `webhook-timestamp`. */
  webhookId: string;
  webhookTimestamp: string;
}

export interface Verdict {
  expected: string;
  isRight: boolean;
  /** What may be the matter. */
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

/** Changes that are easily made without noticing; where one of them makes it right, that is what is the matter. */
const slips: [string, (signed: Signed) => Signed][] = [
  ['It fits the body without the line end behind it.', (it) => ({ ...it, body: it.body.replace(/\n+$/, '') })],
  ['It fits the body with a line end behind it.', (it) => ({ ...it, body: `${it.body}\n` })],
  ['It fits the body with line ends of Windows.', (it) => ({ ...it, body: it.body.replaceAll('\n', '\r\n') })],
  ['It fits the secret without blanks around it.', (it) => ({ ...it, secret: it.secret.trim() })],
  [
    'It fits the body written anew as compact JSON: sign the bytes as they came, not what a parser made of them.',
    (it) => ({ ...it, body: JSON.stringify(JSON.parse(it.body)) }),
  ],
  ['It fits the body alone: the time and the path are not signed with it.', (it) => ({ ...it, time: '', path: '' })],
];

async function hintFor(signed: Signed): Promise<string | undefined> {
  for (const [hint, change] of slips) {
    try {
      const changed = change(signed);
      if (changed.secret !== '' && isEqual(signed, await signatureOf(changed))) return hint;
    } catch {
      // A body that is no JSON is not written anew.
    }
  }
  const given = signed.signature.trim();
  if (signed.kind === 'request' && !/^[0-9a-f]{64}$/i.test(given)) return 'It is not 64 hexadecimal digits.';
  if (signed.kind === 'webhook' && !given.startsWith('v1,')) return 'It does not begin with “v1,”.';
  return undefined;
}

/** Null while there is nothing to check. */
async function check(signed: Signed): Promise<Verdict | null> {
  if (signed.secret === '' || signed.body === '') return null;
  const expected = await signatureOf(signed);
  const isRight = isEqual(signed, expected);
  return { expected, isRight, hint: isRight || signed.signature.trim() === '' ? undefined : await hintFor(signed) };
}
