import assert from 'node:assert/strict';
import type { BetAnswer, FreeBetBody } from '@freebets/contract';
import type { PoolClient } from 'pg';
import { moveSandboxClock, readSandboxClock, setNewClock } from '../engine/clock.ts';
import { planByKeyFromHere } from '../engine/planning.ts';
import { ask } from '../engine/statement.ts';
import type { PartnerProfile } from '../partners/profile.ts';
import { type Instant, parseInstant } from '../primitives/amounts.ts';
import type { Outcome } from '../primitives/outcome.ts';
import { businessNowOf } from '../primitives/sandbox-clock.ts';
import { runBatchWithin } from '../promo/batch/batch.ts';
import type { Command } from '../promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../promo/campaigns/sql/definitions.ts';
import { type PlannedCommand, planHistory } from './history-plan.ts';

// Runs the demo's history through the real rules. The clock of the sandbox is set back and moved forward from batch to
// batch. All of it runs in the transaction that adds the partner and ends with the clock at world time, so no reader
// sees a clock that is behind.

/** All commands of a batch get the same time. Smaller batches are more realistic but slower. */
const batchSize = 60;
const longestMs = 2 * 60 * 60_000;

export async function writeHistory(connection: PoolClient, clientId: number, partner: PartnerProfile): Promise<void> {
  const clock = await ask(connection, readSandboxClock(clientId));
  assert(clock, 'the partner is a sandbox');
  await ask(connection, planByKeyFromHere());
  const context = { connection, definitions: cacheCampaignDefinitions(1024 * 1024) };
  const expiries = trackExpiries();
  for (const planned of inBatches(planHistory(businessNowOf(clock), (gameId) => partner.providerOf(gameId) ?? ''))) {
    const { at } = planned.at(-1) as PlannedCommand;
    const expired = expiries.takeUntil(at);
    const commands = [...expired, ...planned.map(({ command }) => command)];
    const { outcomes } = await runBatchWithin(context, [setNewClock(clientId, at)], { clientId, partner, commands });
    for (const [i, each] of planned.entries()) expiries.note(each, outcomes[expired.length + i] as Outcome);
  }
  await ask(connection, moveSandboxClock(clientId, { worldNow: clock.worldNow, aheadMs: 0, setTo: null }));
}

/** Groups commands that are close in time: few by night, many in the evening. */
function inBatches(plan: PlannedCommand[]): PlannedCommand[][] {
  const batches: PlannedCommand[][] = [];
  for (const each of plan) {
    const last = batches.at(-1);
    const first = last?.[0];
    if (last && first && last.length < batchSize && each.at - first.at < longestMs) last.push(each);
    else batches.push([each]);
  }
  return batches;
}

/**
 * Tracks when free bets with bets left expire, as the sweeper would find them. The expiry of other free bets emits no
 * event, so they are left to the sweeper.
 */
function trackExpiries() {
  const expiries = new Map<string, Instant>();
  const open = new Set<string>();
  return {
    note({ command, issueId }: PlannedCommand, outcome: Outcome): void {
      if (issueId === null || !outcome.ok) return;
      if (command.kind === 'issue_by_campaign') {
        expiries.set(issueId, parseInstant((outcome.value as FreeBetBody).expires_at));
        open.add(issueId);
      }
      if (command.kind === 'cancel_free_bet') open.delete(issueId);
      if (command.kind === 'place_bet' && (outcome.value as BetAnswer).remaining === 0) open.delete(issueId);
      if (command.kind === 'roll_back_bet') open.add(issueId);
    },
    /** Returns the expired ones, the earliest first. */
    takeUntil(at: Instant): Command[] {
      const expiresAt = (issueId: string) => expiries.get(issueId) as Instant;
      const due = [...open].filter((issueId) => expiresAt(issueId) <= at);
      for (const issueId of due) open.delete(issueId);
      return due
        .toSorted((a, b) => expiresAt(a) - expiresAt(b))
        .map((issueId) => ({ kind: 'expire_free_bet', issueId }));
    },
  };
}
