import type { Operation } from './operations.ts';

// A batch is answered 200 also where the service could not take some of its items. These may have been carried out all the same, and
// their confirmation lost. So they are sent again as a whole call would be, alone and under the same ids.

type Result = { error?: { error?: unknown } } | null | undefined;

/** Something else than the service may have answered. */
const resultsOf = (answer: object): Result[] => [(answer as { results: Result[] | null }).results].flat();

const isOpen = (result: Result): boolean => ['unavailable', 'internal_error'].includes(result?.error?.error as string);

/** The request for the items that an answer leaves open, if there are any. A dry run does nothing, and is decided as a whole. */
export function restOf({ each }: Operation, request: object, answer: object): object | undefined {
  const { [each ?? '']: items, dry_run } = request as Record<string, unknown>;
  if (each === undefined || !Array.isArray(items) || dry_run) return undefined;
  const results = resultsOf(answer);
  const open = items.filter((_, i) => isOpen(results[i]));
  return open.length === 0 ? undefined : { ...request, [each]: open };
}

/** An answer with the results of the next one in the places that it left open. */
export function completed(answer: object | undefined, next: object): object {
  if (answer === undefined) return next;
  const later = resultsOf(next).values();
  return { ...answer, results: resultsOf(answer).map((one) => (isOpen(one) ? (later.next().value ?? one) : one)) };
}
