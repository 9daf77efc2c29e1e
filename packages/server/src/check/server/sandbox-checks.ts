import { setTimeout as pause } from 'node:timers/promises';
import type { FreeBetWithBets } from '@freebets/client';
import type { IssueDirect } from '@freebets/contract';
import type { Check } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { eventsAfter, headOf } from './feed-checks.ts';
import { counts } from './limit-checks.ts';
import { campaignOf, directIssue, issueFrom, type Parties, type Party, sandboxOf } from './parties.ts';
import { holds, mustRefuse, mustSucceed } from './wire.ts';

// What only a sandbox can show without waiting: rounds, and the clock, which moves forward by some minutes.

const guide = 'partners/sandbox#test-in-a-sandbox';
const minuteMs = 60_000;
/** Most events arrive within two seconds. */
const eventWithinMs = 5000;

const inSandbox = (run: (party: Party) => Promise<void>) => (parties: Parties) => run(sandboxOf(parties));

async function issueDirect(party: Party, more: Partial<IssueDirect> = {}): Promise<string> {
  return (await party.call('Issue', directIssue(party, more))).issue_id;
}

async function nowOf(party: Party): Promise<number> {
  return Date.parse((await party.call('SandboxClockGet', {})).now);
}

const textOf = (timeMs: number): string => new Date(timeMs).toISOString();

const setClock = (party: Party, timeMs: number): Promise<Exchange> =>
  party.send('SandboxClockSet', { now: textOf(timeMs) });

async function forward(party: Party, byMs: number): Promise<void> {
  mustSucceed(await setClock(party, (await nowOf(party)) + byMs), 'Setting the clock forward');
}

async function statusIn(party: Party, issue_id: string): Promise<{ status: unknown; exchange: Exchange }> {
  const exchange = await party.send('FreeBetGet', { issue_id });
  return { status: bodyIn(exchange)?.status, exchange };
}

/** The winnings of one bet of this amount at this coefficient. */
async function winOf(party: Party, bet_amount: string, coefficient: string) {
  const issue_id = await issueDirect(party, { bet_amount });
  const exchange = await party.send('SandboxRound', { issue_id, result: 'won', coefficient });
  const { bets } = mustSucceed<FreeBetWithBets>(exchange, `A round won at ${coefficient}`);
  return { win: bets[0]?.win_amount, exchange };
}

/**
 * Winnings, and the payout for a partner whose players also get the stake back. Floating point gets the first and third
 * wrong.
 */
const exactWins = [
  ['1.15', '2', '1.15', '2.30'],
  ['1.10', '1.1', '0.11', '1.21'],
  ['4.35', '2', '4.35', '8.70'],
  ['9999999999999.99', '3', '19999999999999.98', '29999999999999.97'],
] as const;
/** Here half a cent or more is cut off. */
const roundedWins = [
  ['0.33', '1.5', '0.16', '0.49'],
  ['0.01', '1.99', '0.00', '0.01'],
  ['0.05', '1.1999', '0.00', '0.05'],
] as const;

async function winsAre(party: Party, wins: typeof exactWins | typeof roundedWins): Promise<void> {
  for (const [amount, coefficient, plain, withStake] of wins) {
    const { win, exchange } = await winOf(party, amount, coefficient);
    const isRight = win === plain || win === withStake;
    holds(isRight, `${amount} at ${coefficient} wins ${plain}, or ${withStake} with the stake; not ${win}.`, exchange);
  }
}

export const roundChecks: Check<Parties>[] = [
  {
    id: 'rounds.exact-wins',
    rule: 'Winnings are exact: amount × coefficient − amount, without floating point.',
    guide: 'providers/rounds#winnings',
    advice: 'Multiply whole numbers: cents and ten-thousandths of the coefficient.',
    run: inSandbox((party) => winsAre(party, exactWins)),
  },
  {
    id: 'rounds.rounded-down',
    rule: 'Winnings are rounded down to the cent.',
    guide: 'providers/rounds#winnings',
    advice: 'Divide whole numbers and drop the remainder.',
    run: inSandbox((party) => winsAre(party, roundedWins)),
  },
  {
    id: 'rounds.maximum',
    rule: 'A win above the maximum coefficient is paid at the maximum.',
    guide: 'providers/rounds#winnings',
    advice: 'Pay the smaller of the coefficient and max_coefficient.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party, { config: { max_coefficient: '2' } });
      const exchange = await party.send('SandboxRound', { issue_id, result: 'won', coefficient: '7' });
      const win = mustSucceed<FreeBetWithBets>(exchange, 'A round won above the maximum').bets[0]?.win_amount;
      holds(win === '1.00' || win === '2.00', `1.00 at 7, with a maximum of 2, has won ${win}.`, exchange);
    }),
  },
  {
    id: 'rounds.minimum',
    rule: 'A win below the minimum coefficient is refused with coefficient_out_of_range, and no bet is used up.',
    guide: 'providers/rounds#refusals',
    advice: 'Compare with min_coefficient before you write anything.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party, { config: { min_coefficient: '2' } });
      const exchange = await party.send('SandboxRound', { issue_id, result: 'won', coefficient: '1.99' });
      mustRefuse(exchange, 'coefficient_out_of_range', 'A win at 1.99 with a minimum of 2');
      const { status } = await statusIn(party, issue_id);
      holds(status === 'active', `After the refused win the free bet is ${String(status)}.`, exchange);
    }),
  },
  {
    id: 'rounds.used',
    rule: 'A free bet that was used cannot be cancelled: free_bet_already_used.',
    guide: 'partners/issue-and-cancel#cancel',
    advice: 'Refuse if the free bet has a bet, settled or not, that was not rolled back.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party, { quantity: 2 });
      mustSucceed(await party.send('SandboxRound', { issue_id, result: 'lost' }), 'A lost round');
      mustRefuse(
        await party.send('Cancel', { issue_id }),
        'free_bet_already_used',
        'The cancellation of a used free bet',
      );
    }),
  },
  {
    id: 'rounds.used-up',
    rule: 'Each round uses one bet of the free bet. When none is left, the response is free_bet_used_up.',
    guide: 'providers/rounds#refusals',
    advice: 'Count bets under a lock on the free bet.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party, { quantity: 2 });
      for (const left of [1, 0]) {
        const exchange = await party.send('SandboxRound', { issue_id, result: 'lost' });
        const { remaining } = mustSucceed<FreeBetWithBets>(exchange, 'A round');
        holds(remaining === left, `After the round ${remaining} bets are left, not ${left}.`, exchange);
      }
      const surplus = await party.send('SandboxRound', { issue_id, result: 'lost' });
      mustRefuse(surplus, 'free_bet_used_up', 'A third round with a free bet of two');
    }),
  },
  {
    id: 'rounds.rolled-back',
    rule: 'After a rollback the free bet can be used and cancelled as before the bet.',
    guide: 'providers/rounds#roll-a-bet-back',
    advice: 'Return the bet to the free bet, and count it nowhere.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party);
      const round = await party.send('SandboxRound', { issue_id, result: 'rolled_back' });
      const { remaining, status } = mustSucceed<FreeBetWithBets>(round, 'A round that is rolled back');
      holds(remaining === 1 && status === 'active', `After it ${remaining} bets are left, and it is ${status}.`, round);
      mustSucceed(await party.send('Cancel', { issue_id }), 'The cancellation after a rollback');
    }),
  },
  {
    id: 'rounds.counted',
    rule:
      'A campaign counts bets, finished free bets and winnings. Settled bets are no longer part of the ' + 'exposure.',
    guide: 'partners/campaigns#create-it',
    advice: 'Count in the transaction of the settlement.',
    run: inSandbox(async (party) => {
      const campaign = await campaignOf(party, { max_coefficient: '3' });
      const { issue_id } = await party.call('Issue', issueFrom(party, campaign));
      await party.call('Issue', issueFrom(party, campaign));
      mustSucceed(await party.send('SandboxRound', { issue_id, result: 'won', coefficient: '2' }), 'A round won at 2');
      await counts(party, campaign, {
        counts: { issued: 2, cancelled: 0, expired: 0, finished: 1, bets_placed: 1 },
        winnings: ['1.00', '2.00'],
        exposure: ['2.00', '3.00'],
      });
    }),
  },
];

export const clockChecks: Check<Parties>[] = [
  {
    id: 'clock.forward',
    rule: 'The clock of a sandbox only moves forward.',
    guide,
    advice: "Refuse a time before the sandbox's current time with 400.",
    run: inSandbox(async (party) => {
      const exchange = await setClock(party, (await nowOf(party)) - 10 * minuteMs);
      mustRefuse(exchange, 'invalid_request', 'Setting the clock back by ten minutes');
    }),
  },
  {
    id: 'clock.bounds',
    rule: 'The clock moves forward by at most two years at a time.',
    guide,
    advice: 'Refuse more than two years at a time with 400.',
    run: inSandbox(async (party) => {
      const exchange = await setClock(party, (await nowOf(party)) + 3 * 366 * 24 * 60 * minuteMs);
      mustRefuse(exchange, 'invalid_request', 'Setting the clock forward by three years');
    }),
  },
  {
    id: 'clock.start',
    rule: 'A free bet is issued until valid_from and active from then on, by the clock of the sandbox.',
    guide: 'start/concepts#states',
    advice: 'Derive the status from the time at every read.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party, { valid_from: textOf((await nowOf(party)) + 2 * minuteMs) });
      const before = await statusIn(party, issue_id);
      holds(before.status === 'issued', `Before valid_from it is ${String(before.status)}.`, before.exchange);
      await forward(party, 3 * minuteMs);
      const after = await statusIn(party, issue_id);
      holds(after.status === 'active', `After valid_from it is ${String(after.status)}.`, after.exchange);
    }),
  },
  {
    id: 'clock.expiry',
    rule: 'A free bet expires at the instant when duration_min is over, and can then be neither used nor cancelled.',
    guide: 'start/concepts#states',
    advice: 'Compare with expires_at in every rule. Do not wait for a job that records the expiry.',
    run: inSandbox(async (party) => {
      const issue_id = await issueDirect(party, { duration_min: 1 });
      await forward(party, minuteMs);
      const { status, exchange } = await statusIn(party, issue_id);
      holds(status === 'expired', `A minute later a free bet of one minute is ${String(status)}.`, exchange);
      mustRefuse(
        await party.send('Cancel', { issue_id }),
        'free_bet_expired',
        'The cancellation of an expired free bet',
      );
      const round = await party.send('SandboxRound', { issue_id, result: 'lost' });
      mustRefuse(round, 'free_bet_expired', 'A round with an expired free bet');
    }),
  },
  {
    id: 'clock.emitted',
    rule: 'An expiry emits freebet.expired once, within five seconds.',
    guide: 'partners/events#types',
    advice: 'Look for expired free bets continuously, and write the event in the same transaction.',
    run: inSandbox(async (party) => {
      const from = await headOf(party);
      const issue_id = await issueDirect(party, { duration_min: 1 });
      await forward(party, minuteMs);
      for (const deadlineMs = performance.now() + eventWithinMs; ; ) {
        const { events, exchange } = await eventsAfter(party, from);
        const emitted = events.filter(
          ({ type, data }) => type === 'freebet.expired' && JSON.stringify(data).includes(issue_id),
        );
        if (emitted.length === 1) return;
        const reason = `Five seconds after its time the expiry of a free bet was emitted ${emitted.length} times.`;
        holds(performance.now() < deadlineMs && emitted.length === 0, reason, exchange);
        await pause(250);
      }
    }),
  },
];
