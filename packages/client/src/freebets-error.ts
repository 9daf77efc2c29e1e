import type { ErrorName, ItemError } from './things.ts';

/** A row of the table of errors; or what only a client sees. */
export type FreebetsErrorName = ErrorName | 'no_answer' | 'unreadable_answer' | 'job_failed';

/** A field that is wrong, as a path such as `bet_amounts[1].amount`, and why. */
export type FieldError = NonNullable<ItemError['details']>[number];

interface Circumstances {
  /** Of the answer; undefined when none came. */
  status?: number;
  code?: number;
  details?: FieldError[];
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Why a call has failed, for programs by `name`. */
export class FreebetsError extends Error {
  declare readonly name: FreebetsErrorName;
  declare readonly status: number | undefined;
  /** The number of the error. */
  declare readonly code: number | undefined;
  /** Every field that is wrong. */
  declare readonly details: FieldError[];
  declare readonly requestId: string | undefined;
  /** How long the service asks to wait. */
  declare readonly retryAfterMs: number | undefined;
  /**
   * Whether any attempt of the call may have been carried out: one that was sent and got no answer, a response from something other
   * than the service, or a fault. A refusal after such an attempt does not change this.
   */
  declare readonly mayHaveHappened: boolean;
  /** Where the client has made ids: the request with them, to call again with. Without them it would be another call. */
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

/** Node.js shows by its code that no connection was made. Errors of other runtimes do not, and count as sent. */
const isUnsent = (error: unknown): boolean =>
  /^(ECONNREF|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT|CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS_CERT)/.test(
    (error as { cause?: { code?: string } } | undefined)?.cause?.code ?? '',
  );

/** The error of a call, with what to call with again: not enumerable, so that no log has whole requests by itself. */
export function withRequest(error: unknown, request: object): unknown {
  // One that a call within the list has thrown has its own.
  if (!(error instanceof FreebetsError) || error.request !== undefined) return error;
  const isTried = 'dry_run' in request && request.dry_run === true;
  if (error.mayHaveHappened && !isTried) error.message += ` ${howToRepeat}`;
  return Object.defineProperty(error, 'request', { value: request });
}

const howToRepeat = "It may have been carried out: to call again, give this error's request, which has the ids.";

/** What the service says of a refusal; something between the two, such as a proxy, may have answered in its place. */
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

/** The object that a text holds as JSON, if it does. */
export function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds, or a date, which begins with the day of the week: what else a parser takes for one is none. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null || !/^(\d+$|[A-Z][a-z]+,? .+:)/.test(value)) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
