import type { OperationName, RequestOf, ResponseOf } from '@freebets/contract';
import { errorOf, FreebetsError, objectIn } from './freebets-error.ts';
import { withRetries } from './retry.ts';
import { type SignedRequest, signerOf, signRequest } from './signing.ts';

// Calls the service as one partner or provider. A request is written once, with an id of its own where the service would make
// one, and every attempt sends the same body: so whatever was lost on the way, nothing happens twice. What cannot be repeated
// safely is sent one time. The time that strict signing sends along is that of the attempt, since a late one would be refused
// with the time of the first.

export interface ClientOptions {
  /** Where the service is, without `/v3`. */
  baseUrl: string;
  secret: string;
  /** `strict` signs the time and the path too, which every caller may do and some must; it needs a clock that is right. */
  signing?: 'plain' | 'strict' | undefined;
  fetch?: typeof fetch | undefined;
  /** How often a request is sent at most. */
  attempts?: number | undefined;
  attemptTimeoutMs?: number | undefined;
  /** For all attempts of a call and the pauses between them. */
  deadlineMs?: number | undefined;
  /** Ends what is under way, and whatever is called later. */
  signal?: AbortSignal | undefined;
}

export interface Client {
  /** The answer; whatever else comes of it is thrown as a `FreebetsError`, but for the reason of an own `signal`. */
  call<N extends OperationName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>>;
}

export function createClient(options: ClientOptions): Client {
  const { attempts = 5, attemptTimeoutMs = 10_000, deadlineMs = 30_000, signal } = options;
  const send = options.fetch ?? fetch;
  const base = new URL(options.baseUrl).href.replace(/\/+$/, '');
  const sign = signerOf(options.secret);
  return {
    async call<N extends OperationName>(name: N, request: RequestOf<N>) {
      const bytes = new TextEncoder().encode(JSON.stringify(withIds(name, request)));
      const limits = { attempts: isRepeatable(name) ? attempts : 1, attemptTimeoutMs, deadlineMs, signal };
      return withRetries(limits, async (ended) => {
        const signed = await signRequest(sign, name, bytes, options.signing === 'strict' ? Date.now() : undefined);
        return attempt(send, base, signed, ended);
      }) as Promise<ResponseOf<N>>;
    },
  };
}

async function attempt(send: typeof fetch, base: string, request: SignedRequest, signal: AbortSignal): Promise<object> {
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
  if (result === undefined) throw errorOf(answer, text);
  return result;
}

/** A round of a sandbox has no id that would tell a repeated one from another. */
const isRepeatable = (name: OperationName): boolean => name !== 'SandboxRound';

/** Without an id of the caller the service makes one, and would make another with every attempt. */
function withIds(name: OperationName, request: object): object {
  switch (name) {
    case 'CampaignCreate':
      return withId('campaign_id', request);
    case 'Issue':
      return withId('issue_id', request);
    case 'IssueBatch': {
      const { items } = request as RequestOf<'IssueBatch'>;
      return { ...request, items: items.map((item) => withId('issue_id', item as object)) };
    }
    default:
      return request;
  }
}

const withId = (field: 'campaign_id' | 'issue_id', request: { campaign_id?: unknown; issue_id?: unknown }): object => ({
  ...request,
  [field]: request[field] ?? crypto.randomUUID(),
});
