import type {
  AuthenticationErrorName,
  ConflictErrorName,
  ErrorName,
  ItemError,
  NotFoundErrorName,
  RateLimitErrorName,
  ServerErrorName,
  ValidationErrorName,
} from './things.ts';

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
  docUrl?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * Why a call failed. The class is the kind of failure, and `error` the exact one.
 *
 * @example
 * ```ts
 * try {
 *   await partner.freeBets.issue({ campaign_id: 'weekend', player_id: 'player-7', currency: 'EUR' });
 * } catch (error) {
 *   if (error instanceof ConflictError && error.error === 'bonus_limit_reached') console.log(error.requestId);
 *   else throw error;
 * }
 * ```
 */
export class FreebetsError extends Error {
  /** The same as `error`, so that logs and stack traces show it. */
  declare readonly name: FreebetsErrorName;
  /** The HTTP status; undefined if there was no response. */
  declare readonly status: number | undefined;
  /** The numeric error code. */
  declare readonly code: number | undefined;
  /** The invalid fields. */
  declare readonly details: FieldError[];
  /** The ID of the request in the logs of the service. */
  declare readonly requestId: string | undefined;
  /** The documentation of this error. */
  declare readonly docUrl: string | undefined;
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
    this.docUrl = circumstances.docUrl;
    this.retryAfterMs = circumstances.retryAfterMs;
    this.mayHaveHappened =
      name === 'unreadable_answer' || (this.isRetryable && this.status !== 429 && !isUnsent(circumstances.cause));
  }

  /** The name of the error: `error` in the response, or a name that only the client uses. */
  get error(): this['name'] {
    return this.name;
  }

  /** Whether the same request may succeed later. */
  get isRetryable(): boolean {
    const { status } = this;
    return status === undefined || status < 300 || status === 408 || status === 429 || status >= 500;
  }
}

// The names make the types of the classes differ. Otherwise `instanceof` would narrow the other branch to `never`.

/** 400, 405, 413 and 415: the service can't accept this request. `details` lists the invalid fields. */
export class ValidationError extends FreebetsError {
  declare readonly name: ValidationErrorName;
}

/** 403: the service does not accept the signature, or the caller may not make this call. */
export class AuthenticationError extends FreebetsError {
  declare readonly name: AuthenticationErrorName;
}

/** 404: the free bet, campaign, job or bet does not exist. */
export class NotFoundError extends FreebetsError {
  declare readonly name: NotFoundErrorName;
}

/** 409: the current state does not allow the call, or the ID was used with other content. */
export class ConflictError extends FreebetsError {
  declare readonly name: ConflictErrorName | 'job_failed';
}

/** 429: too many requests. */
export class RateLimitError extends FreebetsError {
  declare readonly name: RateLimitErrorName;
}

/** 500 and 503: the service failed, or can't take the request now. */
export class ServerError extends FreebetsError {
  declare readonly name: ServerErrorName;
}

/** There was no response. `cause` is the error of `fetch`. */
export class ConnectionError extends FreebetsError {
  declare readonly name: 'no_answer';
}

/** There was no complete response within `timeoutMs` or `totalTimeoutMs`. */
export class TimeoutError extends ConnectionError {
  declare readonly cause: Error;
}

/** The response came from something other than the service, such as a proxy. */
export class UnexpectedResponseError extends FreebetsError {
  declare readonly name: 'unreadable_answer';
}

const classes: Record<number, typeof FreebetsError> = {
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

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
  const body = objectIn(text) as Partial<ItemError & { request_id: string; doc_url: string }> | undefined;
  if (status === 200 || typeof body?.error !== 'string' || typeof body.code !== 'number') {
    return new UnexpectedResponseError(
      'unreadable_answer',
      `The response with status ${status} is not from Freebets.`,
      circumstances,
    );
  }
  const { error, code, message, details, request_id: requestId, doc_url: docUrl } = body;
  const ErrorClass = classes[status] ?? (status < 500 ? ValidationError : ServerError);
  return new ErrorClass(error, textOf(message) ?? '', {
    ...circumstances,
    code,
    details: Array.isArray(details) ? details.filter(isFieldError) : [],
    requestId: textOf(requestId) ?? circumstances.requestId,
    docUrl: textOf(docUrl),
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
