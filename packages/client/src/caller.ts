import { mergeResults, remainingRequest } from './batches.ts';
import {
  ConnectionError,
  errorOf,
  FreebetsError,
  objectIn,
  ServerError,
  TimeoutError,
  withRequest,
} from './freebets-error.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { withRetries } from './retry.ts';
import { encoder, signerOf, signRequest } from './signing.ts';
import { userAgent } from './user-agent.ts';

// Calls the service as one partner or provider. The client serializes a request once, and adds an ID where the service
// would make one. Every attempt sends the same body, or the rest of a batch, so a lost response never causes a second
// effect. Requests that are not idempotent are sent again only if nothing was done. Strict signing uses the time of
// each attempt, because the service would refuse a late attempt with the time of the first.

/** Options of one call, or of all calls of a client. */
export interface CallOptions {
  /** How often a failed call is sent again; 2 if absent, 0 for never. */
  maxRetries?: number | undefined;
  /** The timeout of one attempt in milliseconds; 10,000 if absent. */
  timeoutMs?: number | undefined;
  /** The timeout of a call with all attempts and the pauses between them, in milliseconds; 30,000 if absent. */
  totalTimeoutMs?: number | undefined;
  /** Aborts running calls and later ones. They reject with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** More request headers, such as `traceparent`. The headers of the signature and the content type stay. */
  headers?: Record<string, string> | undefined;
}

/** An attempt that is about to be sent. It has no secret, signature or body, so that you can log it. */
export interface RequestLog {
  operation: OperationName;
  url: string;
  /** 1 for the first attempt. */
  attempt: number;
}

/** How an attempt ended. */
export interface ResponseLog extends RequestLog {
  durationMs: number;
  /** The HTTP status; undefined if there was no response. */
  status: number | undefined;
  requestId: string | undefined;
  /** Why the attempt failed. The client may retry after it. */
  error: FreebetsError | undefined;
}

/** Options for all calls. Each call may override the `CallOptions`. */
export interface ClientOptions extends CallOptions {
  /** The address of the service, with or without `/v3` at the end. */
  baseUrl: string;
  secret: string;
  /** `strict` also signs the time and the path. Every caller may use it, and some must. It needs a correct clock. */
  signing?: 'plain' | 'strict' | undefined;
  fetch?: typeof fetch | undefined;
  /** Called before each attempt. An error that it throws is ignored. */
  onRequest?: ((request: RequestLog) => unknown) | undefined;
  /** Called after each attempt. An error that it throws is ignored. */
  onResponse?: ((response: ResponseLog) => unknown) | undefined;
}

/**
 * A response with the ID of its request in the logs of the service. The property is not enumerable, so that the
 * response can be stored and compared as the service sent it. It is undefined where something hides the header.
 */
export type WithRequestId<Response> = Response & { readonly requestId?: string | undefined };

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
      maxRetries: given.maxRetries ?? options.maxRetries ?? 2,
      isOnce: operation.once === true,
      timeoutMs: given.timeoutMs ?? options.timeoutMs ?? 10_000,
      totalTimeoutMs: given.totalTimeoutMs ?? options.totalTimeoutMs ?? 30_000,
      signals: [options.signal, given.signal],
    };
    return withRetries(limits, async (signal, number) => {
      const signed = await signRequest(sign, name, bytes, signing === 'strict' ? Date.now() : undefined);
      const headers = mergedHeaders(userAgent, options.headers, given.headers, signed.headers);
      const log = { operation: name, url: base + signed.path, attempt: number };
      const [result, requestId] = await logged(options, log, () =>
        attempt(send, log.url, { headers, body: signed.body, signal }, operation),
      );
      answered = Object.defineProperty(mergeResults(answered, result), 'requestId', { value: requestId });
      const rest = remainingRequest(operation, sent, answered);
      if (rest === undefined) return answered;
      bytes = bytesOf(rest);
      throw new ServerError('unavailable', 'The service could not process some items.', { status: 503 });
    }).catch((error) => {
      // Items of a batch that are still open have their errors among the results.
      if (answered !== undefined && error instanceof FreebetsError) return answered;
      // Only the client knows the IDs that it made, so the error carries the request.
      throw sent === asked ? error : withRequest(error, sent);
    });
  };
}

/** A later value replaces an earlier one, in any case of its name. */
function mergedHeaders(...all: (Record<string, string> | undefined)[]): Headers {
  const headers = new Headers();
  for (const [name, value] of all.flatMap((some) => Object.entries(some ?? {}))) headers.set(name, value);
  return headers;
}

type Received = [result: object, requestId: string | undefined];

/** Calls the hooks of the user before and after an attempt. */
async function logged(
  { onRequest, onResponse }: ClientOptions,
  log: RequestLog,
  work: () => Promise<Received>,
): Promise<Received> {
  const startMs = performance.now();
  const end = (status?: number, requestId?: string, error?: FreebetsError) =>
    callHook(onResponse, { ...log, durationMs: performance.now() - startMs, status, requestId, error });
  callHook(onRequest, log);
  try {
    const received = await work();
    end(200, received[1]);
    return received;
  } catch (error) {
    const { status, requestId } = error as FreebetsError;
    end(status, requestId, error as FreebetsError);
    throw error;
  }
}

/** A failing hook must not change the result of a call. */
function callHook<Log>(hook: ((log: Log) => unknown) | undefined, log: Log): void {
  new Promise((resolve) => resolve(hook?.(log))).catch(() => {});
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

async function attempt(send: typeof fetch, url: string, init: object, operation: Operation): Promise<Received> {
  let answer: Response;
  let text: string;
  try {
    // Following a redirect could change the call or send the signed bytes to another server.
    answer = await send(url, { method: 'POST', redirect: 'manual', ...init });
    text = await answer.text();
  } catch (cause) {
    const isTimeout = (cause as Error | undefined)?.name === 'TimeoutError';
    throw new (isTimeout ? TimeoutError : ConnectionError)('no_answer', `No answer came from ${url}.`, { cause });
  }
  const result = answer.status === 200 ? objectIn(text) : undefined;
  if (result === undefined || !isAnswer(operation, result)) throw errorOf(answer, text);
  return [result, answer.headers.get('x-request-id') ?? undefined];
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
