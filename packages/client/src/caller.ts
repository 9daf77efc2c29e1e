import { mergeResults, remainingRequest } from './batches.ts';
import { errorOf, FreebetsError, objectIn, withRequest } from './freebets-error.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { withRetries } from './retry.ts';
import { encoder, type SignedRequest, signerOf, signRequest } from './signing.ts';

// Calls the service as one partner or provider. The client serializes a request once, and adds an ID where the service
// would make one. Every attempt sends the same body, or the rest of a batch, so a lost response never causes a second
// effect. Requests that are not idempotent are sent again only if nothing was done. Strict signing uses the time of
// each attempt, because the service would refuse a late attempt with the time of the first.

/** The time limits and the number of attempts of a call. */
export interface CallOptions {
  /** The maximum number of attempts; 10 if absent. */
  attempts?: number | undefined;
  /** The timeout of one attempt; 10 s if absent. */
  attemptTimeoutMs?: number | undefined;
  /** The timeout of all attempts of a call and the pauses between them; 30 s if absent. */
  deadlineMs?: number | undefined;
  /** Aborts running calls and later ones. They reject with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** Options for all calls. Each call may override the `CallOptions`. */
export interface ClientOptions extends CallOptions {
  /** The address of the service, with or without `/v3` at the end. */
  baseUrl: string;
  secret: string;
  /** `strict` also signs the time and the path. Every caller may use it, and some must. It needs a correct clock. */
  signing?: 'plain' | 'strict' | undefined;
  fetch?: typeof fetch | undefined;
}

/** The caller, as the field of the body that identifies it. */
export type Identity = { client_id: number } | { provider_id: string };

/** Returns the response. Throws a `FreebetsError`, or the reason of a `signal` that you gave. */
export type Call = (name: OperationName, request?: object, options?: CallOptions) => Promise<object>;

export function callerOf(options: ClientOptions, identity: Identity): Call {
  const { baseUrl, secret, signing } = options;
  const send = options.fetch ?? fetch;
  const base = baseOf(baseUrl);
  const sign = signerOf(secret);
  return async (name, request = {}, given = {}) => {
    const operation: Operation = operations[name];
    const asked = { ...identity, ...request };
    const sent = withIds(operation, asked);
    let bytes = bytesOf(sent);
    let answered: object | undefined;
    const limits = {
      attempts: given.attempts ?? options.attempts ?? 10,
      isOnce: operation.once === true,
      attemptTimeoutMs: given.attemptTimeoutMs ?? options.attemptTimeoutMs ?? 10_000,
      deadlineMs: given.deadlineMs ?? options.deadlineMs ?? 30_000,
      signals: [options.signal, given.signal],
    };
    return withRetries(limits, async (ended) => {
      const signed = await signRequest(sign, name, bytes, signing === 'strict' ? Date.now() : undefined);
      answered = mergeResults(answered, await attempt(send, base, signed, operation, ended));
      const rest = remainingRequest(operation, sent, answered);
      if (rest === undefined) return answered;
      bytes = bytesOf(rest);
      throw new FreebetsError('unavailable', 'Some items could not be taken.', { status: 503 });
    }).catch((error) => {
      // Items of a batch that are still open have their errors among the results.
      if (answered !== undefined && error instanceof FreebetsError) return answered;
      // Only the client knows the IDs that it made, so the error carries the request.
      throw sent === asked ? error : withRequest(error, sent);
    });
  };
}

const bytesOf = (request: object) => encoder.encode(JSON.stringify(request));

/** Rejects an unusable address at once. Otherwise every call would retry, and its error would repeat the address. */
function baseOf(baseUrl: string): string {
  const { protocol, username, password, search, href } = URL.canParse(baseUrl)
    ? new URL(baseUrl)
    : ({} as Partial<URL>);
  if (href === undefined || !/^https?:$/.test(protocol ?? '') || username || password || search) {
    throw new TypeError('baseUrl must be an address such as https://example.com, no user or query.');
  }
  return href.replace(/#.*$/, '').replace(/\/+$/, '').replace(/\/v3$/, '');
}

async function attempt(
  send: typeof fetch,
  base: string,
  request: SignedRequest,
  operation: Operation,
  signal: AbortSignal,
): Promise<object> {
  const { path, headers, body } = request;
  let answer: Response;
  let text: string;
  try {
    // Following a redirect could change the call or send the signed bytes to another server.
    answer = await send(base + path, { method: 'POST', headers, body, signal, redirect: 'manual' });
    text = await answer.text();
  } catch (cause) {
    throw new FreebetsError('no_answer', `No answer came from ${base}.`, { cause });
  }
  const result = answer.status === 200 ? objectIn(text) : undefined;
  if (result === undefined || !isAnswer(operation, result)) throw errorOf(answer, text);
  return result;
}

/** Something other than the service may return an object too. An empty response may have only the field `dry_run`. */
const isAnswer = ({ has }: Operation, result: object): boolean =>
  has.length > 0 ? has.every((field) => field in result) : Object.keys(result).every((field) => field === 'dry_run');

/**
 * Adds missing IDs, because the service would make a new one for every attempt. A request with all IDs stays unchanged.
 */
function withIds({ makes, each }: Operation, request: object): object {
  if (makes === undefined) return request;
  // A null or empty ID is a bug of the caller. The service reports it; a new ID would hide it.
  const withId = (of: unknown) => {
    const isWhole = typeof of !== 'object' || of === null || (of as Record<string, unknown>)[makes] !== undefined;
    return isWhole ? of : { ...of, [makes]: crypto.randomUUID() };
  };
  if (each === undefined) return withId(request) as object;
  const items = (request as Record<string, unknown>)[each];
  const whole = Array.isArray(items) ? items.map(withId) : [];
  return whole.some((item, i) => item !== (items as unknown[])[i]) ? { ...request, [each]: whole } : request;
}
