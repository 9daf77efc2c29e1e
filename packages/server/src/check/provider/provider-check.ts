import { chosenAmong, type HowToCheck, type Report, type Result, reportOf } from '../check.ts';
import { players } from './players.ts';
import { type Judgement, type ProviderRule, providerRules } from './provider-rules.ts';
import { type ProviderToCheck, type SeenCall, startProviderService } from './provider-service.ts';

export interface WatchOptions extends HowToCheck {
  onListening(url: string): void;
  onCall(call: SeenCall): void;
  /** How often the rules are evaluated. */
  everyMs: number;
}

/** Ends when every rule has been seen to hold, or on the signal. A broken rule stays broken. */
export async function checkProvider(toCheck: ProviderToCheck, how: WatchOptions): Promise<Report> {
  const started_at = new Date().toISOString();
  const startedAt = performance.now();
  const rules = chosenAmong(providerRules, how.only);
  const service = await startProviderService(toCheck, how.onCall);
  try {
    how.onListening(service.url);
    await allSeen(rules, service.calls, how);
    const nowMs = performance.now();
    // Judges as of a minute later, so that calls that are still awaited count as missing.
    const results = rules.map((rule) => ({
      ...resultOf(rule, rule.judge(service.calls, nowMs + 60_000), nowMs - startedAt),
      guide: how.guideAt(rule.guide),
    }));
    for (const result of results) how.onResult(result);
    return reportOf({ target: service.url, kind: 'provider', started_at }, how.only, results);
  } finally {
    service.close();
  }
}

function allSeen(rules: ProviderRule[], calls: SeenCall[], { signal, everyMs }: WatchOptions): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(timer);
      resolve();
    };
    const isOpen = (rule: ProviderRule) => ['unseen', 'waiting'].includes(rule.judge(calls, performance.now()).state);
    const timer = setInterval(() => {
      if (signal.aborted || !rules.some(isOpen)) end();
    }, everyMs);
    signal.addEventListener('abort', end);
  });
}

function resultOf({ judge: _, player, ...head }: ProviderRule, judgement: Judgement, ms: number): Result {
  const duration_ms = Math.round(ms);
  if (judgement.state === 'held') return { ...head, verdict: 'passed', reason: null, duration_ms, exchange: null };
  if (judgement.state === 'unseen') {
    const { id, task } = players[player];
    const reason = `It was not seen. As the player ${id}: ${task}.`;
    return { ...head, verdict: 'unchecked', reason, duration_ms, exchange: null };
  }
  const { reason, call } = judgement;
  return { ...head, verdict: 'failed', reason, duration_ms, exchange: call?.exchange ?? null };
}
