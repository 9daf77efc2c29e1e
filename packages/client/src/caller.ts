import { completed, restOf } from './batches.ts';
import { errorOf, FreebetsError, objectIn, withRequest } from './freebets-error.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { withRetries } from './retry.ts';
import { encoder, type SignedRequest, signerOf, signRequest } from './signing.ts';

// Calls the service as one partner or provider. A request is written once, with an id of its own where the service would make
// one, and every attempt sends the same body, or of a batch what is left of it: so whatever was lost on the way, nothing happens twice.
// What cannot be repeated safely is sent again only where nothing was done. The time that strict signing sends along is that of the attempt, since a late one would be refused
// with the time of the first.

/** How long a call may take, and how often it is tried. */
export interface CallOptions {
  /** How often a request is sent at most; 10 when absent. */
  attempts?: number | undefined;
  /** How long one attempt may take; 10 s when absent. */
  attemptTimeoutMs?: number | undefined;
  /** For all attempts of a call and the pauses between them; 30 s when absent. */
  deadlineMs?: number | undefined;
  /** Ends what is under way, and whatever is called later, with its own reason. */
  signal?: AbortSignal | undefined;
}

/** For all calls; each may have its own `CallOptions` beside. */
export interface ClientOptions extends CallOptions {
  /** Where the service is, with `/v3` at its end or without. */
  baseUrl: string;
  secret: string;
  /** `strict` signs the time and the path too, which every caller may do and some must; it needs a clock that is right. */
  signing?: 'plain' | 'strict' | undefined;
  fetch?: typeof fetch | undefined;
}

/** Who calls, as the field of the body that says so. */
export type Identity = { client_id: number } | { provider_id: string };

/** The answer; whatever else comes of it is thrown as a `FreebetsError`, but for the reason of an own `signal`. */
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
      answered = completed(answered, await attempt(send, base, signed, operation, ended));
      const rest = restOf(operation, sent, answered);
      if (rest === undefined) return answered;
      bytes = bytesOf(rest);
      throw new FreebetsError('unavailable', 'Some items could not be taken.', { status: 503 });
    }).catch((error) => {
      // What is left of a batch in the end has its place among the results.
      if (answered !== undefined && error instanceof FreebetsError) return answered;
      // Nobody else knows the ids that were made here.
      throw sent === asked ? error : withRequest(error, sent);
    });
  };
}

const bytesOf = (request: object) => encoder.encode(JSON.stringify(request));

/** What cannot work is said at once; otherwise every call would be tried, and the address repeated in its error. */
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
    // A redirect is not followed: it would turn the call into another one, or carry the signed bytes somewhere else.
    answer = await send(base + path, { method: 'POST', headers, body, signal, redirect: 'manual' });
    text = await answer.text();
  } catch (cause) {
    throw new FreebetsError('no_answer', `No answer came from ${base}.`, { cause });
  }
  const result = answer.status === 200 ? objectIn(text) : undefined;
  if (result === undefined || !isAnswer(operation, result)) throw errorOf(answer, text);
  return result;
}

/** Something else than the service may answer with an object too. What answers `{}` answers no more than that it was a dry run. */
const isAnswer = ({ has }: Operation, result: object): boolean =>
  has.length > 0 ? has.every((field) => field in result) : Object.keys(result).every((field) => field === 'dry_run');

/** Without an id of the caller the service makes one, and would make another with every attempt. What has all ids is left as it is. */
function withIds({ makes, each }: Operation, request: object): object {
  if (makes === undefined) return request;
  // An id that is null or empty was lost by the caller: the service says so, where another would hide it.
  const withId = (of: unknown) => {
    const isWhole = typeof of !== 'object' || of === null || (of as Record<string, unknown>)[makes] !== undefined;
    return isWhole ? of : { ...of, [makes]: crypto.randomUUID() };
  };
  if (each === undefined) return withId(request) as object;
  const items = (request as Record<string, unknown>)[each];
  const whole = Array.isArray(items) ? items.map(withId) : [];
  return whole.some((item, i) => item !== (items as unknown[])[i]) ? { ...request, [each]: whole } : request;
}
