import { isUtf8 } from 'node:buffer';

// A request and its response as they were on the wire, so that a reader of a failure can send the request again.

export interface Exchange {
  request: Sent;
  /** Null if there was no response. */
  answer: Answered | null;
  /** Why there was no response. */
  fault: string | null;
}

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** As text, or as base64 if it is not valid UTF-8. */
  body: string;
  encoding: 'utf8' | 'base64';
}

export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: string;
  duration_ms: number;
}

export interface ToSend {
  method: string;
  url: string;
  headers: Record<string, string>;
  bytes: Uint8Array;
}

export function sentOf({ bytes, ...head }: ToSend): Sent {
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { ...head, body: Buffer.from(bytes).toString(encoding), encoding };
}

/** Sends these bytes unchanged, once, and records the response. Never throws: no response is a result too. */
export async function exchangeOf(toSend: ToSend, timeoutMs: number, stopped?: AbortSignal): Promise<Exchange> {
  const { url, method, headers, bytes } = toSend;
  const request = sentOf(toSend);
  const startedAt = performance.now();
  try {
    const body = method === 'GET' ? null : (bytes as Uint8Array<ArrayBuffer>);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped]);
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
    const text = await response.text();
    const duration_ms = Math.round(performance.now() - startedAt);
    const answer = { status: response.status, headers: Object.fromEntries(response.headers), body: text, duration_ms };
    return { request, answer, fault: null };
  } catch (error) {
    return { request, answer: null, fault: faultIn(error, timeoutMs) };
  }
}

function faultIn(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response within ${timeoutMs / 1000} s`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Longer bodies are not practical to paste. */
const longestBody = 8192;

/** A shell command that sends the same bytes again. */
export function curlLine({ method, url, headers, body, encoding }: Sent): string {
  const sent = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const start = ['curl', '-sS', '-i', `-X ${method}`, quoted(url), ...sent];
  if (method === 'GET') return start.join(' ');
  if (body.length > longestBody) return [...start, '--data-binary @body.json'].join(' ');
  if (encoding === 'base64')
    return `printf %s ${quoted(body)} | base64 -d | ${[...start, '--data-binary @-'].join(' ')}`;
  return [...start, `--data-binary ${quoted(body)}`].join(' ');
}

/** Cuts long text for display, and adds its length. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;

/** The request as sent, with this much of the body. */
export function sentLines({ method, url, headers, body }: Sent, length: number): string[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', shortened(body, length)];
}

export const answerText = ({ answer, fault }: Exchange): string =>
  answer === null ? `no response: ${fault}` : `${answer.status} ${answer.body}`;

/** Escapes control characters of received text, so that it can't move the cursor or change colours. */
export const harmless = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (sign) => JSON.stringify(sign).slice(1, -1));

type Body = Record<string, unknown>;

/** Null if the body is not a JSON object. */
export function bodyIn({ answer }: Exchange): Body | null {
  try {
    const value: unknown = JSON.parse(answer?.body ?? '');
    return typeof value === 'object' && value !== null ? (value as Body) : null;
  } catch {
    return null;
  }
}
