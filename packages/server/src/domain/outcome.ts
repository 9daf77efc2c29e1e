import type { ErrorName, FieldError, Refusal } from '@freebets/contract';

/** What became of a command: the body of its answer, or why it was refused. */
export type Outcome<T = object> = { ok: true; value: T } | ({ ok: false } & Refusal);

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });

export const refuse = (error: ErrorName, details?: FieldError[]): { ok: false } & Refusal =>
  details ? { ok: false, error, details } : { ok: false, error };
