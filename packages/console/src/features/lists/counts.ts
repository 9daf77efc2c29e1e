import { count } from '../../ui/money.tsx';
import type { CheckedList } from './check-list.ts';

export const freeBetsText = (number: number): string => `${count(number)} free ${number === 1 ? 'bet' : 'bets'}`;

/** Each counted once, however often they are in it. */
export function playersText({ items, repeated }: CheckedList): string {
  const players = items.length - repeated.length;
  return `${count(players)} ${players === 1 ? 'player' : 'players'}`;
}
