import { signerOf } from '@freebets/client';
import { timedPrefix } from '@freebets/contract/paths';

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
export async function check(signed: Signed): Promise<Verdict | null> {
  if (signed.secret === '' || signed.body === '') return null;
  const expected = await signatureOf(signed);
  const isRight = isEqual(signed, expected);
  return { expected, isRight, hint: isRight || signed.signature.trim() === '' ? undefined : await hintFor(signed) };
}
