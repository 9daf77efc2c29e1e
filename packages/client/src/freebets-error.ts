import type { ErrorName, ItemError } from './things.ts';

/** An error of the service, or one that only the client reports. */
export type FreebetsErrorName = ErrorName | 'no_answer' | 'unreadable_answer' | 'job_failed';

/** An invalid field, as a path such as `bet_amounts[1].amount`, and the reason. */
export type FieldError = NonNullable<ItemError['details']>[number];

interface Circumstances {
  /** The HTTP status; undefined if there was no response. */
  status?: number;
  code?: number;
  details?: FieldError[];
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Why a call failed. Programs compare `name`. */
export class FreebetsError extends Error {
  declare readonly name: FreebetsErrorName;
  declare readonly status: number | undefined;
  /** The numeric error code. */
  declare readonly code: number | undefined;
  /** The invalid fields. */
  declare readonly details: FieldError[];
  declare readonly requestId: string | undefined;
  /** How long the service asks you to wait before a retry. */
  declare readonly retryAfterMs: number | undefined;
  /**
   * Whether any attempt of the call may have been carried out. That is an attempt without a response, with a response
   * from something other than the service, or with a server error. A refusal after such an attempt does not change
   * this.
   */
  declare readonly mayHaveHappened: boolean;
  /**
   * If the client made IDs: the request with them. Repeat the call with it, because new IDs would make another call.
   */
  declare readonly request: object | undefined;

  constructor(name: FreebetsErrorName, message: string, circumstances: Circumstances) {
    super(message, 'cause' in circumstances ? { cause: circumstances.cause } : {});
    this.name = name;
    this.status = circumstances.status;
    this.code = circumstances.code;
    this.details = circumstances.details ?? [];
    this.requestId = circumstances.requestId;
    this.retryAfterMs = circumstances.retryAfterMs;
    this.mayHaveHappened =
      name === 'unreadable_answer' || (this.isRetryable && this.status !== 429 && !isUnsent(circumstances.cause));
  }

  /** Whether the same request may succeed later. */
  get isRetryable(): boolean {
    const { status } = this;
    return status === undefined || status < 300 || status === 408 || status === 429 || status >= 500;
  }
}

/** In Node.js, these error codes mean that there was no connection. Errors of other runtimes count as sent. */
const isUnsent = (error: unknown): boolean =>
  /^(ECONNREF|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT|CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS_CERT)/.test(
    (error as { cause?: { code?: string } } | undefined)?.cause?.code ?? '',
  );

/**
 * Adds the request to the error of a call. The property is not enumerable, so that logs do not print whole requests.
 */
export function withRequest(error: unknown, request: object): unknown {
  // An error of a nested call already has its request.
  if (!(error instanceof FreebetsError) || error.request !== undefined) return error;
  const isDryRun = 'dry_run' in request && request.dry_run === true;
  if (error.mayHaveHappened && !isDryRun) error.message += ` ${howToRepeat}`;
  return Object.defineProperty(error, 'request', { value: request });
}

const howToRepeat = "It may have been carried out: to call again, give this error's request, which has the ids.";

/** Reads an error response, which may come from the service or from a proxy in between. */
export function errorOf(answer: Response, text: string): FreebetsError {
  const { status, headers } = answer;
  const circumstances = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  };
  const body = objectIn(text) as Partial<ItemError & { request_id: string }> | undefined;
  if (status === 200 || typeof body?.error !== 'string' || typeof body.code !== 'number') {
    return new FreebetsError(
      'unreadable_answer',
      `What answered with status ${status} is not Freebets.`,
      circumstances,
    );
  }
  const { error, code, message, details, request_id: requestId } = body;
  return new FreebetsError(error as ErrorName, textOf(message) ?? '', {
    ...circumstances,
    code,
    details: Array.isArray(details) ? details.filter(isFieldError) : [],
    requestId: textOf(requestId) ?? circumstances.requestId,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isFieldError = (one: Partial<FieldError> | null): one is FieldError =>
  textOf(one?.field) !== undefined && textOf(one?.reason) !== undefined;

/** Parses a JSON object; undefined for anything else. */
export function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads seconds, or a date that begins with a weekday. `Date.parse` would accept other text too. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null || !/^(\d+$|[A-Z][a-z]+,? .+:)/.test(value)) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
