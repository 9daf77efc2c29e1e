import type { EventBody } from '@freebets/contract';
import { count, moneyText } from '../../ui/figures.tsx';

// What an event says, in the words of those who did not write the service.

/** One form of a body is that of several types. */
type Of<T, Form = EventBody> = Form extends { type: infer Types } ? (T extends Types ? Form : never) : never;
type Words = { [T in EventBody['type']]: (event: Of<T>) => string };

const bets = (number: number): string => `${count(number)} ${number === 1 ? 'bet' : 'bets'}`;
const left = (number: number): string => (number === 0 ? 'none left' : `${bets(number)} left`);
const perBet = ({ bet_amount, currency }: { bet_amount: string; currency: string }) => moneyText(bet_amount, currency);
const limitText = (limit: number | null): string => (limit === null ? 'no limit' : count(limit));
const sumOf = (refused: Partial<Record<string, number>>): number =>
  Object.values(refused).reduce<number>((sum, each) => sum + (each ?? 0), 0);

const words: Words = {
  'freebet.issued': ({ data: { free_bet } }) =>
    `Player ${free_bet.player_id} was given ${bets(free_bet.quantity)} of ${perBet(free_bet)}.`,
  'freebet.used': ({ data: { free_bet, bet } }) =>
    `Player ${free_bet.player_id} placed a bet of ${perBet(free_bet)} in ${bet.game_id}; ${left(free_bet.remaining)}.`,
  'freebet.settled': ({ data: { free_bet, bet } }) =>
    bet.status === 'won'
      ? `Player ${free_bet.player_id} won ${moneyText(bet.win_amount ?? '0.00', free_bet.currency)} in ${bet.game_id}${bet.coefficient === null ? '' : `, at coefficient ${bet.coefficient}`}.`
      : `Player ${free_bet.player_id} lost a bet in ${bet.game_id}; nothing was won.`,
  'freebet.rolled_back': ({ data: { free_bet, bet } }) =>
    `The bet of player ${free_bet.player_id} in ${bet.game_id} was taken back; ${left(free_bet.remaining)}.`,
  'freebet.finished': ({ data: { free_bet } }) =>
    free_bet.quantity === 1
      ? `The one bet of player ${free_bet.player_id} is used and settled.`
      : `Player ${free_bet.player_id} has used all ${bets(free_bet.quantity)}, and all are settled.`,
  'freebet.cancelled': ({ data: { free_bet } }) =>
    `The free bet of player ${free_bet.player_id} was cancelled before it was used.`,
  'freebet.expired': ({ data: { free_bet } }) =>
    `The free bet of player ${free_bet.player_id} expired with ${bets(free_bet.remaining)} unused.`,
  'campaign.created': ({ data: { campaign } }) => `Campaign “${campaign.name}” was created.`,
  'campaign.exhausted': ({ data: { campaign } }) => `Campaign “${campaign.name}” has given all that it may give.`,
  'campaign.stopped': ({ data: { campaign } }) => `Campaign “${campaign.name}” was stopped for good.`,
  'campaign.paused': ({ data: { campaign } }) => `Campaign “${campaign.name}” was paused.`,
  'campaign.resumed': ({ data: { campaign } }) => `Campaign “${campaign.name}” goes on.`,
  'campaign.limits_changed': ({ data: { campaign } }) =>
    `Campaign “${campaign.name}” may give ${limitText(campaign.config.bonus_limit)}, and to one player ${limitText(campaign.config.bonus_limit_per_user)}.`,
  'job.finished': ({ data: { job } }) =>
    `List “${job.name}” is done: ${count(job.issued)} given, ${count(sumOf(job.refused))} refused.`,
  'job.failed': ({ data: { job } }) =>
    `List “${job.name}” failed after ${count(job.issued)} were issued; ${count(job.remaining)} are left.`,
  'job.stopped': ({ data: { job } }) => `List “${job.name}” was stopped after ${count(job.issued)} were given.`,
};

export const eventTypes = Object.keys(words) as EventBody['type'][];

export const whatHappened = (event: EventBody): string => (words[event.type] as (event: EventBody) => string)(event);
