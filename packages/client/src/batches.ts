import type { Operation } from './operations.ts';

// The service returns 200 for a batch even if it could not process some items. Those items may have been carried out
// and their confirmation lost. So the client sends them again, alone and with the same IDs, as it retries a whole call.

type Result = { error?: { error?: unknown } } | null | undefined;

/** Does not trust the shape of `results`: the response may come from something other than the service. */
const resultsOf = (answer: object): Result[] => [(answer as { results: Result[] | null }).results].flat();

const isOpen = (result: Result): boolean => ['unavailable', 'internal_error'].includes(result?.error?.error as string);

/**
 * The request for the items that a response leaves open, if any. A dry run changes nothing, so it is never repeated.
 */
export function remainingRequest({ each }: Operation, request: object, answer: object): object | undefined {
  const { [each ?? '']: items, dry_run } = request as Record<string, unknown>;
  if (each === undefined || !Array.isArray(items) || dry_run) return undefined;
  const results = resultsOf(answer);
  const open = items.filter((_, i) => isOpen(results[i]));
  return open.length === 0 ? undefined : { ...request, [each]: open };
}

/** Fills the open results of a response with the results of the next one. */
export function mergeResults(answer: object | undefined, next: object): object {
  if (answer === undefined) return next;
  const later = resultsOf(next).values();
  return { ...answer, results: resultsOf(answer).map((one) => (isOpen(one) ? (later.next().value ?? one) : one)) };
}
