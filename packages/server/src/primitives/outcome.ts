import { type DetailBudget, type ErrorName, type FieldError, maxDetails, type Refusal } from '@freebets/contract';

/** What became of a command: the body of its answer, or why it was refused. */
export type Outcome<T = object> = { ok: true; value: T } | ({ ok: false } & Refusal);

export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });

export const refuse = (error: ErrorName, details?: FieldError[]): { ok: false } & Refusal =>
  details ? { ok: false, error, details } : { ok: false, error };

/** Idempotency, for every write that makes something: what exists answers again, or refuses other content. */
export function idempotently<T extends { contentHash: string }, Answer>(
  existing: T | undefined,
  command: { contentHash: string },
  answerAgain: (existing: T) => Answer,
  run: () => Outcome<Answer>,
): Outcome<Answer> {
  if (existing === undefined) return run();
  return existing.contentHash === command.contentHash ? done(answerAgain(existing)) : refuse('id_reused');
}

/** Rules have details too: one for each game that is not on offer. Those of many refusals that are kept together share a budget. */
export function withinBudget({ error, details }: Refusal, budget: DetailBudget): Refusal {
  if (details === undefined) return { error };
  const kept = details.slice(0, Math.max(1, Math.min(budget.left, maxDetails)));
  budget.left -= kept.length;
  return { error, details: kept };
}
