import type { EventBody } from '@freebets/contract';

/** As one line for people: the number, what happened, and to what. */
export function eventLine({ sequence, type, data }: EventBody): string {
  const words = Object.entries(essentials(data))
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${wordOf(String(value))}`);
  return `${String(sequence).padStart(6)}  ${type.padEnd(19)}  ${words.join(' ')}`;
}

/** What is the partner's own may hold spaces. */
const wordOf = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));

function essentials(data: EventBody['data']): Record<string, string | number | null> {
  if ('campaign' in data) {
    const { campaign_id, name, status } = data.campaign;
    return { campaign_id, name, status };
  }
  if ('job' in data) {
    const { job_id, name, status, items, issued } = data.job;
    return { job_id, name, status, items, issued };
  }
  const { player_id, issue_id, campaign_id, status, bet_amount, currency, quantity, remaining } = data.free_bet;
  const common = { player_id, issue_id, campaign_id };
  if (!('bet' in data)) return { ...common, status, bet_amount, currency, quantity, remaining };
  const { bet_id, game_id, coefficient, win_amount } = data.bet;
  return { ...common, bet_id, game_id, status: data.bet.status, bet_amount, coefficient, win_amount, currency };
}
