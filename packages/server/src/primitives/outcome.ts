import { type DetailBudget, type ErrorName, type FieldError, maxDetails, type Refusal } from '@freebets/contract';

/** The result of a command: the body of its response, or why it was refused. */
export type Outcome<T = object> = { ok: true; value: T } | ({ ok: false } & Refusal);

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });

export const refuse = (error: ErrorName, details?: FieldError[]): { ok: false } & Refusal =>
  details ? { ok: false, error, details } : { ok: false, error };

/**
 * Makes writes idempotent by id: a repeated request gets the same response, and other content under the same id is
 * refused.
 */
export function idempotently<T extends { contentHash: string }, Answer>(
  existing: T | undefined,
  command: { contentHash: string },
  answerAgain: (existing: T) => Answer,
  run: () => Outcome<Answer>,
): Outcome<Answer> {
  if (existing === undefined) return run();
  return existing.contentHash === command.contentHash ? done(answerAgain(existing)) : refuse('id_reused');
}

/**
 * Cuts the details of a refusal, such as one per unavailable game. Refusals that are stored together share a budget.
 */
export function withinBudget({ error, details }: Refusal, budget: DetailBudget): Refusal {
  if (details === undefined) return { error };
  const kept = details.slice(0, Math.max(1, Math.min(budget.left, maxDetails)));
  budget.left -= kept.length;
  return { error, details: kept };
}
