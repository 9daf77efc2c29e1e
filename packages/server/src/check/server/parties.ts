import { randomUUID } from 'node:crypto';
import type { CampaignCreateRequest, GameListResponse } from '@freebets/client';
import type { IssueDirect } from '@freebets/contract';
import { Failure } from '../../primitives/failure.ts';
import { NotChecked } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { resultText, statusOf, type Wire, type WireOptions, wireOf } from './wire.ts';

// The partners that call the checked server, with their game.

export interface Party extends Wire {
  game: { gameId: string; currency: string };
  isSandbox: boolean;
}

export interface Parties {
  us: Party;
  other: Party | undefined;
}

/** Throws if nothing could be checked: no server, no such partner, or no game. */
export async function openParty(options: WireOptions): Promise<Party> {
  const wire = wireOf(options);
  const games = await wire.send('GameList', {});
  if (games.answer === null) throw new Failure(`No server responds at ${options.url}: ${games.fault}.`);
  if (statusOf(games) === 403) {
    throw new Failure(
      `The server at ${options.url} does not accept the signature of partner ${options.clientId}: give the file with its secret, and --signing strict if the partner requires it. This machine may also be outside the allowed networks.`,
    );
  }
  if (statusOf(games) !== 200 || bodyIn(games) === null) {
    throw new Failure(`The server at ${options.url} does not list its games: /v3/Game/List ${resultText(games)}.`);
  }
  const clock = await wire.send('SandboxClockGet', {});
  return { ...wire, game: gameOf(games, options), isSandbox: statusOf(clock) === 200 };
}

function gameOf(games: Exchange, { url, clientId }: WireOptions): Party['game'] {
  try {
    return gameIn(bodyIn(games) as unknown as GameListResponse, clientId);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Failure(`The response of /v3/Game/List of ${url} differs from the reference: ${error.message}.`);
  }
}

function gameIn({ providers }: GameListResponse, clientId: number): Party['game'] {
  for (const { games, currencies } of providers) {
    const game = games.find(({ promoTypes }) => promoTypes.includes('FreeBet'));
    const [currency] = currencies;
    if (game !== undefined && currency !== undefined) return { gameId: game.id, currency };
  }
  throw new Failure(`Partner ${clientId} is offered no game with free bets, so there is nothing to check.`);
}

export function sandboxOf({ us }: Parties): Party {
  if (us.isSandbox) return us;
  throw new NotChecked('unchecked', `Partner ${us.clientId} is not a sandbox: give one with --client.`);
}

export function bothOf({ us, other }: Parties): { us: Party; other: Party } {
  if (other !== undefined) return { us, other };
  throw new NotChecked(
    'unchecked',
    'This check needs two partners: give another with --other-client and --other-secret-file.',
  );
}

export const newPlayer = (): string => `check-${randomUUID()}`;

/** Valid under any sandbox clock: clocks can't be set past 2100. */
const validUntil = '2101-01-01T00:00:00Z';

export const directIssue = ({ game }: Party, more: Partial<IssueDirect> = {}) => ({
  issue_id: randomUUID(),
  player_id: newPlayer(),
  currency: game.currency,
  bet_amount: '1.00',
  quantity: 1,
  games: [game.gameId],
  valid_until: validUntil,
  duration_min: 1440,
  ...more,
});

export const newCampaign = ({ game }: Party, config: CampaignCreateRequest['config'] = {}) => ({
  campaign_id: `check-${randomUUID()}`,
  name: 'freebets check',
  quantity: 1,
  valid_from: '2020-01-01T00:00:00Z',
  valid_until: validUntil,
  duration_min: 1440,
  games: [game.gameId],
  bet_amounts: [{ currency: game.currency, amount: '1.00' }],
  config,
});

/** Creates a campaign and returns its id. */
export async function campaignOf(party: Party, config: CampaignCreateRequest['config'] = {}): Promise<string> {
  const { campaign_id } = await party.call('CampaignCreate', newCampaign(party, config));
  return campaign_id;
}

export const issueFrom = ({ game }: Party, campaign_id: string, player_id = newPlayer()) => ({
  issue_id: randomUUID(),
  campaign_id,
  player_id,
  currency: game.currency,
});

const maxPerCall = 1000;

/**
 * Cancels what the checks created, so that nothing stays reserved or playable. Failures break no rule. Stops if the
 * server does not respond.
 */
export async function cleanUp({ send, made }: Party): Promise<void> {
  const issue_ids = [...made.issueIds].slice(0, maxPerCall);
  const last = { isLast: true } as const;
  if (issue_ids.length > 0 && (await send('CancelBatch', { issue_ids }, last)).answer === null) return;
  for (const campaign_id of made.campaignIds) {
    if ((await send('CampaignStop', { campaign_id }, last)).answer === null) return;
  }
}
