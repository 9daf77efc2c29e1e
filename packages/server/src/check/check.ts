import type { Exchange } from './exchange.ts';

// What all checks have in common: a rule with a stable id, and a function that tests it.

export interface CheckHead {
  /** Stable, because reports and scripts use it. The part before the dot is the module. */
  id: string;
  /** The rule, in one sentence. */
  rule: string;
  /** The section of the guide, relative to the address of the guides. */
  guide: `${string}/${string}#${string}`;
  /** What to do if the rule is broken. */
  advice: string;
}

export interface Check<Context> extends CheckHead {
  /** Throws `Broken` if the rule is broken, and `NotChecked` if that can't be determined. */
  run(context: Context): Promise<void>;
}

/**
 * `skipped`: the rule does not apply to the target. `unchecked`: it applies, but the given options are not enough to
 * check it.
 */
export type Verdict = 'passed' | 'failed' | 'skipped' | 'unchecked';

export interface Result extends Omit<CheckHead, 'guide'> {
  /** The full URL of the section. */
  guide: string;
  verdict: Verdict;
  /** The reason for the verdict; null if passed. */
  reason: string | null;
  duration_ms: number;
  /** The exchange that shows how a rule is broken. */
  exchange: Exchange | null;
}

export const moduleOf = ({ id }: Pick<CheckHead, 'id'>): string => id.split('.')[0] ?? id;

export interface Report {
  /** The checked URL. */
  target: string;
  kind: 'server' | 'webhook' | 'provider';
  started_at: string;
  /** The rules chosen with --only; null if all were checked. */
  only: readonly string[] | null;
  /** Whether every rule that applies was checked and holds. False if rules were left out. */
  certified: boolean;
  counts: Record<Verdict, number>;
  results: Result[];
}

/** The rule is broken. */
export class Broken extends Error {
  readonly exchange: Exchange | null;

  constructor(reason: string, exchange: Exchange | null = null) {
    super(reason);
    this.exchange = exchange;
  }
}

/** The rule can't be checked. */
export class NotChecked extends Error {
  readonly verdict: 'skipped' | 'unchecked';

  constructor(verdict: 'skipped' | 'unchecked', reason: string) {
    super(reason);
    this.verdict = verdict;
  }
}

export interface HowToCheck {
  guideAt(guide: CheckHead['guide']): string;
  only: readonly string[] | undefined;
  onResult(result: Result): void;
  signal: AbortSignal;
}

/** The checks whose id, or a prefix of it up to a dot, is in `only`; all checks if `only` is undefined. */
export function chosenAmong<C extends CheckHead>(checks: readonly C[], only: readonly string[] | undefined): C[] {
  const isNamed = ({ id }: CheckHead) => only?.some((name) => id === name || id.startsWith(`${name}.`)) ?? true;
  return checks.filter(isNamed);
}

/** Runs the checks one by one, so that their effects are not confused. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
  { guideAt, onResult, signal }: HowToCheck,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    signal.throwIfAborted();
    const result = await resultOf(check, context, guideAt);
    signal.throwIfAborted();
    results.push(result);
    onResult(result);
  }
  return results;
}

async function resultOf<Context>(
  { run, ...head }: Check<Context>,
  context: Context,
  guideAt: HowToCheck['guideAt'],
): Promise<Result> {
  const startedAt = performance.now();
  const result = (verdict: Verdict, reason: string | null, exchange: Exchange | null = null): Result => ({
    ...head,
    guide: guideAt(head.guide),
    verdict,
    reason,
    duration_ms: Math.round(performance.now() - startedAt),
    exchange,
  });
  try {
    await run(context);
    return result('passed', null);
  } catch (error) {
    if (error instanceof Broken) return result('failed', error.message, error.exchange);
    if (error instanceof NotChecked) return result(error.verdict, error.message);
    throw error;
  }
}

type About = Pick<Report, 'target' | 'kind' | 'started_at'>;

export function reportOf(about: About, only: readonly string[] | undefined, results: Result[]): Report {
  const counts = { passed: 0, failed: 0, skipped: 0, unchecked: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  const certified = only === undefined && counts.failed + counts.unchecked === 0 && counts.passed > 0;
  return { ...about, only: only ?? null, certified, counts, results };
}

/** For scripts: 3 if a rule is broken, 4 if something remains unchecked. */
export const exitCodeOf = ({ counts }: Report): number =>
  counts.failed > 0 ? 3 : counts.unchecked > 0 || counts.passed === 0 ? 4 : 0;
