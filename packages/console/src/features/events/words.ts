import type { EventBody } from '@freebets/contract';
import { count, moneyText } from '../../ui/figures.tsx';

// One sentence per event type, for readers who are not developers.

/** The body of an event type; several types can share a body. */
type Of<T, Form = EventBody> = Form extends { type: infer Types } ? (T extends Types ? Form : never) : never;
type Words = { [T in EventBody['type']]: (event: Of<T>) => string };

const bets = (number: number): string => `${count(number)} ${number === 1 ? 'bet' : 'bets'}`;
const left = (number: number): string => (number === 0 ? 'none left' : `${bets(number)} left`);
const perBet = ({ bet_amount, currency }: { bet_amount: string; currency: string }) => moneyText(bet_amount, currency);
const limitText = (limit: number | null): string => (limit === null ? 'no cap' : count(limit));
const sumOf = (refused: Partial<Record<string, number>>): number =>
  Object.values(refused).reduce<number>((sum, each) => sum + (each ?? 0), 0);

const words: Words = {
  'freebet.issued': ({ data: { free_bet } }) =>
    `Player ${free_bet.player_id} received a free bet: ${bets(free_bet.quantity)} of ${perBet(free_bet)}.`,
  'freebet.used': ({ data: { free_bet, bet } }) =>
    `Player ${free_bet.player_id} placed a bet of ${perBet(free_bet)} in ${bet.game_id}; ${left(free_bet.remaining)}.`,
  'freebet.settled': ({ data: { free_bet, bet } }) =>
    bet.status === 'won'
      ? `Player ${free_bet.player_id} won ${moneyText(bet.win_amount ?? '0.00', free_bet.currency)} in ${bet.game_id}${bet.coefficient === null ? '' : ` at odds of ${bet.coefficient}`}.`
      : `Player ${free_bet.player_id} lost a bet in ${bet.game_id}.`,
  'freebet.rolled_back': ({ data: { free_bet, bet } }) =>
    `The bet of player ${free_bet.player_id} in ${bet.game_id} was rolled back; ${left(free_bet.remaining)}.`,
  'freebet.finished': ({ data: { free_bet } }) =>
    free_bet.quantity === 1
      ? `The free bet of player ${free_bet.player_id} is finished: its bet is settled.`
      : `The free bet of player ${free_bet.player_id} is finished: all its bets are settled.`,
  'freebet.cancelled': ({ data: { free_bet } }) =>
    `The free bet of player ${free_bet.player_id} was cancelled before it was used.`,
  'freebet.expired': ({ data: { free_bet } }) =>
    `The free bet of player ${free_bet.player_id} expired with ${bets(free_bet.remaining)} unused.`,
  'campaign.created': ({ data: { campaign } }) => `Campaign “${campaign.name}” was created.`,
  'campaign.exhausted': ({ data: { campaign } }) => `Campaign “${campaign.name}” reached its cap.`,
  'campaign.stopped': ({ data: { campaign } }) => `Campaign “${campaign.name}” was stopped.`,
  'campaign.paused': ({ data: { campaign } }) => `Campaign “${campaign.name}” was paused.`,
  'campaign.resumed': ({ data: { campaign } }) => `Campaign “${campaign.name}” was resumed.`,
  'campaign.limits_changed': ({ data: { campaign } }) =>
    `New caps of campaign “${campaign.name}”: ${limitText(campaign.config.bonus_limit)} in total, ${limitText(campaign.config.bonus_limit_per_user)} per player.`,
  'job.finished': ({ data: { job } }) =>
    `Bulk award “${job.name}” finished: ${count(job.issued)} issued, ${count(sumOf(job.refused))} refused.`,
  'job.failed': ({ data: { job } }) =>
    `Bulk award “${job.name}” failed: ${count(job.issued)} issued, ${count(job.remaining)} left.`,
  'job.stopped': ({ data: { job } }) => `Bulk award “${job.name}” was stopped: ${count(job.issued)} issued.`,
};

export const eventTypes = Object.keys(words) as EventBody['type'][];

export const eventText = (event: EventBody): string => (words[event.type] as (event: EventBody) => string)(event);
