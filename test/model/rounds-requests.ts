import type { OperationName } from '@freebets/contract';
import { type Bet, e4, type Fields, type FreeBet, iso, type World } from './rounds-model.ts';
import {
  type CampaignDraft,
  type CoefficientDraft,
  type Draft,
  gameIds,
  type RoundDraft,
  type TermsDraft,
} from './rounds-steps.ts';

// From a draft to the request that is sent. Ids and players carry the number of the run: what a run made is of no concern
// to the next.

export interface Request {
  operation: OperationName;
  /** The provider that signs it, or the partner. */
  provider: string | null;
  clientId: number;
  body: Fields;
}

export interface Moment {
  run: number;
  start: number;
  world: World;
  clientId: number;
  otherClientId: number;
  sent: Request[];
}

const unknownClient = 2_000_000_000;

const campaignId = (run: number, index: number): string => `run ${run}, campaign ${index}`;
const uuid = (run: number, kind: string, index: number): string =>
  `${run.toString(16).padStart(8, '0')}-${kind}-4000-8000-${index.toString(16).padStart(12, '0')}`;
const playerId = (run: number, index: number): string => `run ${run}, player ${index}`;

function termsBody(start: number, terms: TermsDraft, now: number): Fields {
  const from = terms.from === null ? now : start + terms.from * 60_000;
  return {
    quantity: terms.quantity,
    games: terms.games,
    ...(terms.from !== null && { valid_from: iso(from) }),
    valid_until: iso(from + terms.lasts * 60_000),
    ...(terms.durationMin !== null && { duration_min: terms.durationMin }),
  };
}

export function campaignBody(run: number, start: number, index: number, draft: CampaignDraft): Fields {
  const { bonusLimit, bonusLimitPerUser, terms } = draft;
  const amounts = [{ currency: 'EUR', amount: draft.amount }];
  if (draft.other !== null) amounts.push({ currency: 'USD', amount: draft.other });
  return {
    campaign_id: campaignId(run, index),
    name: 'Rounds',
    ...termsBody(start, terms, start),
    bet_amounts: amounts,
    config: {
      ...(bonusLimit !== null && { bonus_limit: bonusLimit }),
      ...(bonusLimitPerUser !== null && { bonus_limit_per_user: bonusLimitPerUser }),
      ...terms.limits,
    },
  };
}

const otherProvider = (provider: string) => (provider === 'copper-heron' ? 'lantern-quay' : 'copper-heron');

const text = (coefficient: bigint): string =>
  `${coefficient / 10_000n}.${String(coefficient % 10_000n).padStart(4, '0')}`;

function coefficientOf(draft: CoefficientDraft, freeBet: FreeBet | null | undefined, odds: bigint | null): string {
  const near = { min: freeBet?.terms.min, max: freeBet?.terms.max, odds, none: null }[draft.near] ?? null;
  const shifted = (near ?? e4(draft.otherwise) ?? 0n) + (near === null ? 0n : BigInt(draft.shift));
  return shifted < 10_000n || shifted > 9_999_999_999n ? draft.otherwise : text(shifted);
}

const pick = <T>(items: T[], which: number): T | undefined => items[which % Math.max(1, items.length)];

interface Named {
  freeBet: FreeBet | undefined;
  issueId: string;
  clientId: number;
  playerId: string;
  gameId: string;
  provider: string;
}

/** Who and what a request about a free bet names, with one thing wrong if so wished. */
function named({ run, world, clientId, otherClientId }: Moment, round: RoundDraft): Named {
  const own = world.freeBets.filter((freeBet) => freeBet.clientId === clientId);
  const freeBet = round.isKnown ? pick(own, round.which) : undefined;
  const every = [...gameIds.lantern, ...gameIds.heron];
  const gameId = pick(round.wrong === 'game' ? every : (freeBet?.terms.games ?? every), round.game) as string;
  const provider = world.providerOf.get(gameId) as string;
  const clients = { client: otherClientId, 'unknown client': unknownClient } as Partial<Record<string, number>>;
  return {
    freeBet,
    issueId: freeBet?.issueId ?? uuid(run, 'f00d', round.which % 8),
    clientId: clients[round.wrong] ?? clientId,
    playerId: round.wrong === 'player' ? playerId(run, 9) : (freeBet?.playerId ?? playerId(run, round.which % 3)),
    gameId,
    provider: round.wrong === 'provider' ? otherProvider(provider) : provider,
  };
}

const asProvider = (operation: OperationName, provider: string, clientId: number, body: Fields): Request => ({
  operation,
  provider,
  clientId,
  body: { provider_id: provider, client_id: clientId, ...body },
});

function betRequest(moment: Moment, draft: Extract<Draft, { kind: 'bet' }>): Request {
  const { freeBet, issueId, clientId, playerId: player_id, gameId, provider } = named(moment, draft.round);
  const body = { bet_id: uuid(moment.run, 'be70', draft.bet), issue_id: issueId, player_id, game_id: gameId };
  const coefficient = draft.coefficient && coefficientOf(draft.coefficient, freeBet, null);
  return asProvider('RoundsBet', provider, clientId, { ...body, ...(coefficient !== null && { coefficient }) });
}

/** A bet that there is, or an id that may have none; of its provider and partner, or of others. */
function chosenBet(moment: Moment, round: RoundDraft, index: number) {
  const own = moment.world.bets.filter((bet) => bet.clientId === moment.clientId);
  const open = own.filter(({ state }) => state === 'placed');
  // Mostly undecided bets, because most bets are decided soon.
  const isOpen = round.which % 3 > 0 && open.length > 0;
  const bet: Bet | undefined = round.isKnown ? pick(isOpen ? open : own, round.which) : undefined;
  const provider = bet?.providerId ?? (round.which % 2 === 0 ? 'lantern-quay' : 'copper-heron');
  const clients = { client: moment.otherClientId, 'unknown client': unknownClient } as Partial<Record<string, number>>;
  return {
    bet,
    betId: bet?.betId ?? uuid(moment.run, 'be70', index),
    provider: round.wrong === 'provider' ? otherProvider(provider) : provider,
    clientId: clients[round.wrong] ?? moment.clientId,
  };
}

function settleRequest(moment: Moment, draft: Extract<Draft, { kind: 'settle' }>): Request {
  const { bet, betId, provider, clientId } = chosenBet(moment, draft.round, draft.bet);
  const result =
    draft.coefficient === null
      ? { result: 'lost' }
      : { result: 'won', coefficient: coefficientOf(draft.coefficient, bet?.freeBet, bet?.odds ?? bet?.asked ?? null) };
  return asProvider('RoundsSettle', provider, clientId, { bet_id: betId, ...result });
}

function issueRequest(moment: Moment, draft: Extract<Draft, { kind: 'issue' | 'direct' }>): Request {
  const { run, start, world, clientId } = moment;
  const who = {
    issue_id: uuid(run, 'f00d', draft.id),
    player_id: playerId(run, draft.player),
    currency: draft.currency,
  };
  const what =
    draft.kind === 'issue'
      ? { campaign_id: campaignId(run, draft.campaign) }
      : { bet_amount: draft.amount, ...termsBody(start, draft.terms, world.now), config: draft.terms.limits };
  return { operation: 'Issue', provider: null, clientId, body: { ...who, ...what } };
}

const capitals = ['issue_id', 'bet_id'];
const inCapitals = (body: Fields): Fields =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, capitals.includes(name) ? String(value).toUpperCase() : value]),
  );

/** Undefined when there is nothing yet to send again. */
export function requestOf(moment: Moment, draft: Draft): Request | undefined {
  switch (draft.kind) {
    case 'issue':
    case 'direct':
      return issueRequest(moment, draft);
    case 'cancel':
    case 'get': {
      const { issueId: issue_id, clientId: named_ } = named(moment, draft.round);
      const clientId = named_ === unknownClient ? moment.clientId : named_;
      return {
        operation: draft.kind === 'get' ? 'FreeBetGet' : 'Cancel',
        provider: null,
        clientId,
        body: { issue_id },
      };
    }
    case 'available': {
      const { freeBet, clientId, playerId: player_id, gameId: game_id, provider } = named(moment, draft.round);
      const currency = freeBet?.currency ?? 'EUR';
      return asProvider('RoundsAvailable', provider, clientId, { player_id, game_id, currency });
    }
    case 'bet':
      return betRequest(moment, draft);
    case 'settle':
      return settleRequest(moment, draft);
    case 'rollback': {
      const { betId, provider, clientId } = chosenBet(moment, draft.round, draft.bet);
      return asProvider('RoundsRollback', provider, clientId, { bet_id: betId });
    }
    case 'again': {
      const request = pick(moment.sent, draft.which);
      return request && draft.inCapitals ? { ...request, body: inCapitals(request.body) } : request;
    }
  }
}
