import type { Exchange } from './exchange.ts';

// What every check is, whatever it checks: a rule under an id that stays, and how somebody finds out whether it holds.

export interface CheckHead {
  /** Reports and scripts name it, so it stays. What stands before the dot is its module. */
  id: string;
  /** What must hold, in one sentence. */
  rule: string;
  /** Where the guides tell it, below the address of the guides. */
  guide: `${'partners' | 'providers'}#${string}`;
  /** What to do where it does not hold. */
  advice: string;
}

export interface Check<Context> extends CheckHead {
  /** Throws `Broken` where the rule does not hold, and `NotChecked` where nobody can say. */
  run(context: Context): Promise<void>;
}

/** `skipped`: the rule does not concern what is checked. `unchecked`: it does, but what was given is not enough to tell. */
export type Verdict = 'passed' | 'failed' | 'skipped' | 'unchecked';

export interface Result extends Omit<CheckHead, 'guide'> {
  /** As an address. */
  guide: string;
  verdict: Verdict;
  /** Why, unless it has passed. */
  reason: string | null;
  duration_ms: number;
  /** Of a rule that does not hold: what shows it. */
  exchange: Exchange | null;
}

export const moduleOf = ({ id }: Pick<CheckHead, 'id'>): string => id.split('.')[0] ?? id;

export interface Report {
  /** What was checked. */
  target: string;
  kind: 'server' | 'webhook' | 'provider';
  started_at: string;
  /** What was chosen with --only; null where all rules were looked at. */
  only: readonly string[] | null;
  /** Every rule that concerns it was checked, and holds: never where some were left out. */
  certified: boolean;
  counts: Record<Verdict, number>;
  results: Result[];
}

/** A rule does not hold. */
export class Broken extends Error {
  readonly exchange: Exchange | null;

  constructor(reason: string, exchange: Exchange | null = null) {
    super(reason);
    this.exchange = exchange;
  }
}

/** Nobody can say whether a rule holds. */
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

/** Those whose id, or a beginning of it up to a dot, is named; all of them where nothing is. */
export function chosenAmong<C extends CheckHead>(checks: readonly C[], only: readonly string[] | undefined): C[] {
  const isNamed = ({ id }: CheckHead) => only?.some((name) => id === name || id.startsWith(`${name}.`)) ?? true;
  return checks.filter(isNamed);
}

/** One after the other: what one of them does must not be taken for what another has done. */
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

/** For scripts: 3 where a rule does not hold, 4 where something is left to be checked. */
export const exitCodeOf = ({ counts }: Report): number =>
  counts.failed > 0 ? 3 : counts.unchecked > 0 || counts.passed === 0 ? 4 : 0;
