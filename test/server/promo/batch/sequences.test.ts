import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betEventTypes, campaignEventTypes, freeBetEventTypes } from '@freebets/contract';
import fc from 'fast-check';
import type { Command } from '../../../../packages/server/src/promo/batch/command.ts';
import { decide } from '../../../../packages/server/src/promo/batch/decide.ts';
import { times } from '../../../support/long.ts';
import { type Step, steps } from './commands.ts';
import {
  addTotals,
  assertEmitted,
  assertHolds,
  assertLimitsHold,
  assertPayoutsHold,
  type Totals,
} from './invariants.ts';
import { changePayout, contentOf, newWorkingSet, players, reloaded, start } from './working-sets.ts';

// Random sequences of commands on one working set, with time passing and batches ending between them. For any
// commands are, a refusal leaves everything as it was, and after a success everything adds up.

/** How often each command was carried out, each refusal given, and each event emitted. */
const seen = new Map<string, number>();
const saw = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

function run(all: Step[]): void {
  let working = newWorkingSet();
  let loaded = contentOf(working);
  let totals: Totals = new Map();
  let now = start;
  const sent: Command[] = [];

  const carryOut = (command: Command) => {
    const before = contentOf(working);
    const outcome = decide(working, command, now);
    const after = contentOf(working);
    saw(outcome.ok ? command.kind : outcome.error);
    if (!outcome.ok) return assert.deepEqual(after, before, `${outcome.error} has left a trace`);
    for (const type of assertEmitted(before, after)) saw(type);
    assertLimitsHold(before, after);
    assertPayoutsHold(working, before, after);
    assertHolds(working, after, loaded, totals);
    assert.deepEqual(decide(working, command, now), outcome, 'the same again is answered as it was');
    assert.deepEqual(contentOf(working), after, 'and does nothing more');
  };

  for (const step of all) {
    if (step.kind === 'time') now += step.ms;
    if (step.kind === 'payout') changePayout(working, step.stakeReturned);
    if (step.kind === 'commit') {
      totals = addTotals(totals, working);
      working = reloaded(working, players);
      loaded = contentOf(working);
    }
    const command = step.kind === 'command' ? step.command : step.kind === 'again' && sent[step.which % sent.length];
    if (!command) continue;
    carryOut(command);
    sent.push(command);
  }
}

test('for any commands in any order, refusals leave no trace and successes add up', () => {
  fc.assert(fc.property(steps, run), { numRuns: times(300, 450) });
});

test('and every command, every refusal of a rule and every event was among them', () => {
  const commands = [
    ...['create_campaign', 'stop_campaign', 'issue_by_campaign', 'issue_direct', 'cancel_free_bet', 'expire_free_bet'],
    ...['place_bet', 'settle_bet', 'roll_back_bet', 'pause_campaign', 'resume_campaign', 'change_limits'],
  ];
  const refusals = [
    ...['invalid_validity', 'game_not_available', 'game_without_free_bets', 'currency_not_allowed', 'id_reused'],
    ...['campaign_not_found', 'campaign_stopped', 'campaign_ended', 'campaign_paused', 'bonus_limit_reached'],
    ...['bonus_limit_per_user_reached', 'free_bet_not_found', 'free_bet_already_used', 'free_bet_expired'],
    ...['free_bet_cancelled', 'free_bet_not_started', 'free_bet_used_up', 'game_not_covered'],
    ...['coefficient_out_of_range', 'bet_not_found', 'bet_already_settled', 'bet_rolled_back'],
  ];
  const events = [...campaignEventTypes, ...freeBetEventTypes, ...betEventTypes];
  const missing = [...commands, ...refusals, ...events].filter((what) => !seen.has(what));
  assert.deepEqual(missing, []);
});
