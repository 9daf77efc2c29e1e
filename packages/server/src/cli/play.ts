import { randomUUID } from 'node:crypto';
import { basePath, type OperationName, operations, type ResponseOf, sign } from '@freebets/contract';
import type { Config } from '../config.ts';
import { demoPartner, demoProviderOf } from '../demo/demo.ts';
import { Failure } from '../failure.ts';
import { runningServer } from '../runtime/server-address.ts';
import { type Arguments, command } from './command.ts';

// A round as a provider and a partner would see it, over HTTP, on the demo data: for trying things out.

/** `isFinal`: the same request would be refused again, so it has had no effect. */
class Refused extends Failure {
  readonly isFinal: boolean;
  constructor(isFinal: boolean, message: string) {
    super(message);
    this.isFinal = isFinal;
  }
}

interface Caller {
  url: string;
  secret: string;
}

async function call<N extends OperationName>({ url, secret }: Caller, name: N, body: object): Promise<ResponseOf<N>> {
  const bytes = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'x-request-sign': sign(bytes, secret) };
  const target = url + basePath + operations[name].path;
  const answer = await fetch(target, { method: 'POST', body: bytes, headers }).catch(() => {
    throw new Failure(`No server answers at ${url}: start one with "npm start", or name it with --url.`);
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(answer.status < 500, `${operations[name].path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as ResponseOf<N>;
}

type FreeBet = ResponseOf<'Issue'>;

/** One that the player has and can use; a new one when there is none. */
async function pickFreeBet(partner: Caller, playerId: string, steps: string[]): Promise<FreeBet> {
  const client_id = demoPartner.clientId;
  for (const status of ['in_use', 'active']) {
    const page = await call(partner, 'FreeBetList', { client_id, player_id: playerId, status, limit: 200 });
    const usable = page.free_bets.find((freeBet) => freeBet.remaining > 0 && demoProviderOf(freeBet.games[0] ?? ''));
    if (usable === undefined) continue;
    steps.push(`${playerId} has the free bet ${usable.issue_id}: ${usable.remaining} × ${money(usable)} left.`);
    return usable;
  }
  const { providers } = await call(partner, 'GameList', { client_id });
  const game = providers.flatMap(({ games }) => games).find(({ promoTypes }) => promoTypes.includes('FreeBet'));
  const issued = await call(partner, 'Issue', {
    client_id,
    player_id: playerId,
    currency: 'EUR',
    bet_amount: '1.00',
    quantity: 3,
    games: [game?.id ?? ''],
    valid_until: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
    config: { min_coefficient: '1.20', max_coefficient: '5.00' },
  });
  steps.push(`${playerId} had no free bet to use, so one was issued: ${issued.issue_id}, 3 × ${money(issued)}.`);
  return issued;
}

const money = ({ bet_amount, currency }: FreeBet) => `${bet_amount} ${currency}`;

async function play(config: Config, url: string | undefined, playerId: string, coefficient: string) {
  const base = url ?? runningServer(config)?.url ?? config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
  const steps: string[] = [];
  const freeBet = await pickFreeBet({ url: base, secret: demoPartner.secret }, playerId, steps);
  const game_id = freeBet.games[0] ?? '';
  const provider = demoProviderOf(game_id);
  if (provider === undefined) throw new Failure(`${game_id} is not a game of the demo.`);
  const round = { provider_id: provider.providerId, client_id: demoPartner.clientId, bet_id: randomUUID() };
  const caller = { url: base, secret: provider.secret };

  const { issue_id } = freeBet;
  const bet = await call(caller, 'RoundsBet', { ...round, issue_id, player_id: playerId, game_id });
  steps.push(`${provider.providerId} placed the bet ${bet.bet_id} of ${bet.amount} ${bet.currency} in ${game_id}.`);
  const settle = { ...round, result: 'won', coefficient };
  const settled = await call(caller, 'RoundsSettle', settle).catch(async (error: Error) => {
    const isRefused = error instanceof Refused && error.isFinal;
    if (isRefused) await call(caller, 'RoundsRollback', round);
    const end = isRefused
      ? 'The settlement was refused, so the bet was rolled back.'
      : 'The bet may be settled or not.';
    throw new Failure([...steps, end, error.message].join('\n'));
  });
  steps.push(`Cashed out at ${settled.coefficient}: ${playerId} won ${settled.win_amount} ${settled.currency}.`);
  const after = await call({ url: base, secret: demoPartner.secret }, 'FreeBetGet', {
    client_id: demoPartner.clientId,
    issue_id,
  });
  steps.push(`The free bet is ${after.status}, with ${after.remaining} of ${after.quantity} bets left.`);
  return { steps, bet, settled, free_bet: after };
}

export const playCommand = command({
  run: (config, { options }: Arguments<[], { player: string; coefficient: string; url?: string }>) =>
    play(config, options.url, options.player, options.coefficient),
  show: ({ steps }) => steps.join('\n'),
});
