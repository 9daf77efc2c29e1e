import { randomUUID } from 'node:crypto';
import {
  type FreeBetWithBets,
  FreebetsError,
  type IssueResponse,
  type Partner,
  type Provider,
  type RoundsBetResponse,
  type RoundsSettleRequest,
  type RoundsSettleResponse,
} from '@freebets/client';
import { demoPartners, demoProviderOf, fromNowOn } from '../demo/demo.ts';
import type { Config } from '../ops/config.ts';
import { Failure } from '../primitives/failure.ts';
import { type Arguments, command } from './command.ts';
import { demoForbidden, errorMessage, partnerAt, providerAt, serverUrl } from './server-calls.ts';

// Plays a round on the demo data over HTTP, step by step, as a provider and a partner would.

export interface PlayOptions {
  url?: string | undefined;
  client: string;
  player: string;
  coefficient: string;
}

type DemoPartner = (typeof demoPartners)[number];

interface Round {
  steps: string[];
  bet: RoundsBetResponse;
  settled: RoundsSettleResponse;
  free_bet: FreeBetWithBets;
}

const demoOnly = 'play works on the demo data only';

export async function play(config: Config, options: PlayOptions): Promise<Round> {
  const url = await serverUrl(config, options.url);
  const partner = demoPartners.find(({ clientId }) => String(clientId) === options.client);
  if (partner === undefined) {
    const known = demoPartners.map(({ clientId }) => clientId).join(' and ');
    throw new Failure(`Use a partner of the demo, ${known}: ${demoOnly}.`);
  }
  const steps: string[] = [];
  try {
    return await playRound(url, partner, options, steps);
  } catch (error) {
    if (!(error instanceof FreebetsError)) throw error;
    throw new Failure([...steps, errorMessage(error, url, demoForbidden(url, demoOnly))].join('\n'));
  }
}

async function playRound(
  url: string,
  demoPartner: DemoPartner,
  { player, coefficient }: PlayOptions,
  steps: string[],
): Promise<Round> {
  const partner = partnerAt(url, demoPartner);
  const { issue_id, game } = await pickFreeBet(partner, player, steps);
  const provider = providerAt(url, game);
  const round = { client_id: partner.clientId, bet_id: randomUUID() };

  const bet = await provider.rounds.bet({ ...round, issue_id, player_id: player, game_id: game.gameId });
  steps.push(`${game.providerId} placed the bet ${bet.bet_id} of ${bet.amount} ${bet.currency} in ${game.gameId}.`);
  const settled = await settle(provider, { ...round, result: 'won', coefficient }, steps);
  steps.push(`Cashed out at ${settled.coefficient}: ${player} won ${settled.win_amount} ${settled.currency}.`);
  const after = await partner.freeBets.get({ issue_id });
  steps.push(`The free bet is ${after.status}, with ${after.remaining} of ${after.quantity} bets left.`);
  return { steps, bet, settled, free_bet: after };
}

/** Finds a free bet that the player can use in a game of the demo, or issues a new one. */
async function pickFreeBet(partner: Partner, player_id: string, steps: string[]) {
  for (const status of ['in_use', 'active'] as const) {
    for await (const freeBet of partner.freeBets.list({ player_id, status })) {
      const game = demoGameAmong(freeBet.games);
      if (freeBet.remaining === 0 || game === undefined) continue;
      steps.push(`${player_id} has the free bet ${freeBet.issue_id}: ${freeBet.remaining} × ${money(freeBet)} left.`);
      return { issue_id: freeBet.issue_id, game };
    }
  }
  const { providers } = await partner.games.list();
  const offered = providers.flatMap(({ games }) => games).filter(({ promoTypes }) => promoTypes.includes('FreeBet'));
  const game = demoGameAmong(offered.map(({ id }) => id));
  if (game === undefined) throw new Failure(`Partner ${partner.clientId} is not offered any demo game: ${demoOnly}.`);
  const issued = await partner.freeBets.issue({
    issue_id: randomUUID(),
    player_id,
    currency: 'EUR',
    bet_amount: '1.00',
    quantity: 3,
    games: [game.gameId],
    ...fromNowOn(24 * 60),
    config: { min_coefficient: '1.20', max_coefficient: '5.00' },
  });
  steps.push(`${player_id} had no free bet to use, so one was issued: ${issued.issue_id}, 3 × ${money(issued)}.`);
  return { issue_id: issued.issue_id, game };
}

const money = ({ bet_amount, currency }: IssueResponse) => `${bet_amount} ${currency}`;

/** The first demo game among these, with its provider. */
function demoGameAmong(gameIds: string[]) {
  for (const gameId of gameIds) {
    const provider = demoProviderOf(gameId);
    if (provider !== undefined) return { gameId, ...provider };
  }
  return undefined;
}

/** Rolls the bet back if its settlement is refused, so that the free bet can be used again. */
async function settle(provider: Provider, request: RoundsSettleRequest, steps: string[]) {
  try {
    return await provider.rounds.settle(request);
  } catch (error) {
    if (error instanceof FreebetsError && !error.isRetryable) {
      const { client_id, bet_id } = request;
      await provider.rounds.rollback({ client_id, bet_id });
      steps.push('The settlement was refused, so the bet was rolled back.');
    } else {
      steps.push('The bet may or may not be settled.');
    }
    throw error;
  }
}

export const playCommand = command({
  run: (config, { options }: Arguments<[], PlayOptions>) => play(config, options),
  show: ({ steps }) => steps.join('\n'),
});
