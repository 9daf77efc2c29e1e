// What the service should answer to rounds, written from the contract alone: sections 3, 6 and 7. It shares no code with
// the service, keeps no counters (it counts the bets), knows no sweeper, and does its own arithmetic on whole numbers.

export interface Terms {
  quantity: number;
  games: string[];
  from: number;
  until: number;
  durationMin: number | null;
  /** In ten-thousandths. */
  min: bigint | null;
  max: bigint | null;
  /** The setting of the partner when the terms were created. */
  stakeReturned: boolean;
}

export interface Campaign {
  id: string;
  clientId: number;
  terms: Terms;
  /** In cents. */
  amounts: Map<string, bigint>;
  limit: number | null;
  limitPerUser: number | null;
}

export interface FreeBet {
  issueId: string;
  clientId: number;
  campaignId: string | null;
  playerId: string;
  currency: string;
  amount: bigint;
  terms: Terms;
  issuedAt: number;
  expiresAt: number;
  cancelled: boolean;
  content: string;
}

export interface Bet {
  clientId: number;
  providerId: string;
  betId: string;
  /** Null when the rollback came before the bet. */
  freeBet: FreeBet | null;
  state: 'placed' | 'won' | 'lost' | 'rolled_back';
  gameId: string;
  odds: bigint | null;
  /** As the settlement asked, and as it was paid. */
  asked: bigint | null;
  paid: bigint | null;
  win: bigint | null;
  placedAt: number;
  settledAt: number | null;
  content: string;
  answer: Fields;
}

export interface World {
  now: number;
  providerOf: ReadonlyMap<string, string>;
  partners: ReadonlySet<number>;
  /** The partners whose setting is on at the moment. */
  stakeReturned: Set<number>;
  campaigns: Campaign[];
  freeBets: FreeBet[];
  bets: Bet[];
}

// biome-ignore lint/suspicious/noExplicitAny: requests and answers are read here as a stranger would, field by field.
export type Fields = any;

/** The body of a success, or the errors of which any would be right. */
export type Expected = { body: Fields } | { errors: string[] };

const refuse = (...errors: string[]): Expected => ({ errors });

export const e4 = (text: string | null | undefined): bigint | null => {
  if (text === null || text === undefined) return null;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * 10_000n + BigInt(`${fraction}0000`.slice(0, 4));
};
const cents = (text: string): bigint => BigInt(text.replace('.', ''));
const money = (amount: bigint): string => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
export const iso = (instant: number): string => new Date(instant).toISOString();

const betsOf = ({ bets }: World, freeBet: FreeBet): Bet[] =>
  bets.filter((bet) => bet.freeBet === freeBet && bet.state !== 'rolled_back');

const remaining = (world: World, freeBet: FreeBet) => freeBet.terms.quantity - betsOf(world, freeBet).length;
const isSettled = ({ state }: Bet) => state === 'won' || state === 'lost';
const isExpired = (world: World, freeBet: FreeBet) => world.now >= freeBet.expiresAt && remaining(world, freeBet) > 0;

export function statusOf(world: World, freeBet: FreeBet): string {
  const bets = betsOf(world, freeBet);
  if (freeBet.cancelled) return 'cancelled';
  if (bets.filter(isSettled).length === freeBet.terms.quantity) return 'finished';
  if (isExpired(world, freeBet)) return 'expired';
  if (bets.length > 0) return 'in_use';
  return world.now < freeBet.terms.from ? 'issued' : 'active';
}

function bodyOf(freeBet: FreeBet, status: string, left: number): Fields {
  const { terms } = freeBet;
  return {
    issue_id: freeBet.issueId,
    campaign_id: freeBet.campaignId,
    status,
    player_id: freeBet.playerId,
    currency: freeBet.currency,
    bet_amount: money(freeBet.amount),
    quantity: terms.quantity,
    remaining: left,
    games: terms.games,
    config: { min_coefficient: terms.min, max_coefficient: terms.max },
    valid_from: iso(terms.from),
    valid_until: iso(terms.until),
    expires_at: iso(freeBet.expiresAt),
    issued_at: iso(freeBet.issuedAt),
  };
}

export const freeBetBody = (world: World, freeBet: FreeBet): Fields =>
  bodyOf(freeBet, statusOf(world, freeBet), remaining(world, freeBet));

const issuedBody = (freeBet: FreeBet): Fields =>
  bodyOf(freeBet, freeBet.issuedAt < freeBet.terms.from ? 'issued' : 'active', freeBet.terms.quantity);

function expiry({ from, until, durationMin }: Terms, issuedAt: number): number {
  const end = (issuedAt > from ? issuedAt : from) + (durationMin ?? Number.POSITIVE_INFINITY) * 60_000;
  return end < until ? end : until;
}

export const campaignOf = (world: World, clientId: number, body: Fields): Campaign => ({
  id: body.campaign_id,
  clientId,
  terms: termsOf(world, clientId, body),
  amounts: new Map(body.bet_amounts.map(({ currency, amount }: Fields) => [currency, cents(amount)])),
  limit: body.config?.bonus_limit ?? null,
  limitPerUser: body.config?.bonus_limit_per_user ?? null,
});

const termsOf = ({ now, stakeReturned }: World, clientId: number, body: Fields): Terms => ({
  quantity: body.quantity,
  games: body.games,
  from: body.valid_from === undefined ? now : Date.parse(body.valid_from),
  until: Date.parse(body.valid_until),
  durationMin: body.duration_min ?? null,
  min: e4(body.config?.min_coefficient),
  max: e4(body.config?.max_coefficient),
  stakeReturned: stakeReturned.has(clientId),
});

const findFreeBet = ({ freeBets }: World, clientId: number, issueId: string) =>
  freeBets.find((freeBet) => freeBet.clientId === clientId && freeBet.issueId === issueId.toLowerCase());

export function issue(world: World, clientId: number, body: Fields): Expected {
  const existing = findFreeBet(world, clientId, body.issue_id);
  const content = JSON.stringify({ ...body, issue_id: body.issue_id.toLowerCase() });
  if (existing) return existing.content === content ? { body: issuedBody(existing) } : refuse('id_reused');
  const campaign = world.campaigns.find(({ id, clientId: owner }) => id === body.campaign_id && owner === clientId);
  if (body.campaign_id !== undefined && campaign === undefined) return refuse('campaign_not_found');
  const terms = campaign?.terms ?? termsOf(world, clientId, body);
  const errors = campaign ? againstIssue(world, campaign, body) : [];
  if (!campaign && (terms.from >= terms.until || terms.until <= world.now)) errors.push('invalid_validity');
  if (errors.length > 0) return refuse(...errors);
  const freeBet: FreeBet = {
    issueId: body.issue_id.toLowerCase(),
    clientId,
    campaignId: campaign?.id ?? null,
    playerId: body.player_id,
    currency: body.currency,
    amount: campaign?.amounts.get(body.currency) ?? cents(body.bet_amount),
    terms,
    issuedAt: world.now,
    expiresAt: expiry(terms, world.now),
    cancelled: false,
    content,
  };
  world.freeBets.push(freeBet);
  return { body: issuedBody(freeBet) };
}

export const freeBetsOf = (world: World, { id, clientId }: Campaign) =>
  world.freeBets.filter((freeBet) => freeBet.campaignId === id && freeBet.clientId === clientId);

function againstIssue(world: World, campaign: Campaign, body: Fields): string[] {
  const held = freeBetsOf(world, campaign).filter(({ cancelled }) => !cancelled);
  const own = held.filter(({ playerId }) => playerId === body.player_id);
  return [
    world.now >= campaign.terms.until && 'campaign_ended',
    !campaign.amounts.has(body.currency) && 'currency_not_allowed',
    campaign.limit !== null && held.length >= campaign.limit && 'bonus_limit_reached',
    campaign.limitPerUser !== null && own.length >= campaign.limitPerUser && 'bonus_limit_per_user_reached',
  ].filter((error) => error !== false);
}

export function cancel(world: World, clientId: number, body: Fields): Expected {
  const freeBet = findFreeBet(world, clientId, body.issue_id);
  if (!freeBet) return refuse('free_bet_not_found');
  if (freeBet.cancelled) return { body: {} };
  const errors = [
    betsOf(world, freeBet).length > 0 && 'free_bet_already_used',
    isExpired(world, freeBet) && 'free_bet_expired',
  ].filter((error) => error !== false);
  if (errors.length > 0) return refuse(...errors);
  freeBet.cancelled = true;
  return { body: {} };
}

export function available(world: World, body: Fields): Expected {
  const usable = world.freeBets.filter(
    (freeBet) =>
      freeBet.clientId === body.client_id &&
      freeBet.playerId === body.player_id &&
      freeBet.currency === body.currency &&
      freeBet.terms.games.includes(body.game_id) &&
      world.providerOf.get(body.game_id) === body.provider_id &&
      ['active', 'in_use'].includes(statusOf(world, freeBet)) &&
      world.now >= freeBet.terms.from &&
      remaining(world, freeBet) > 0,
  );
  const free_bets = usable.map((freeBet) => ({
    issue_id: freeBet.issueId,
    currency: freeBet.currency,
    amount: money(freeBet.amount),
    remaining: remaining(world, freeBet),
    min_coefficient: freeBet.terms.min,
    max_coefficient: freeBet.terms.max,
    expires_at: iso(freeBet.expiresAt),
  }));
  return { body: { free_bets } };
}

const findBet = ({ bets }: World, body: Fields): Bet | undefined =>
  bets.find(
    (bet) =>
      bet.clientId === body.client_id && bet.providerId === body.provider_id && bet.betId === body.bet_id.toLowerCase(),
  );

const betContent = ({ issue_id, player_id, game_id, coefficient }: Fields): string =>
  [issue_id.toLowerCase(), player_id, game_id, e4(coefficient)].join('|');

function againstBet(world: World, freeBet: FreeBet, body: Fields): string[] {
  const { terms } = freeBet;
  const odds = e4(body.coefficient);
  const isCovered = terms.games.includes(body.game_id) && world.providerOf.get(body.game_id) === body.provider_id;
  return [
    !isCovered && 'game_not_covered',
    freeBet.cancelled && 'free_bet_cancelled',
    world.now < terms.from && !freeBet.cancelled && 'free_bet_not_started',
    remaining(world, freeBet) === 0 && 'free_bet_used_up',
    isExpired(world, freeBet) && !freeBet.cancelled && 'free_bet_expired',
    odds !== null && (odds < (terms.min ?? 0n) || odds > (terms.max ?? odds)) && 'coefficient_out_of_range',
  ].filter((error) => error !== false);
}

export function bet(world: World, body: Fields): Expected {
  const existing = findBet(world, body);
  const content = betContent(body);
  if (existing?.state === 'rolled_back') {
    return existing.freeBet === null || existing.content === content
      ? refuse('bet_rolled_back')
      : refuse('bet_rolled_back', 'id_reused');
  }
  if (existing) return existing.content === content ? { body: existing.answer } : refuse('id_reused');
  const freeBet = findFreeBet(world, body.client_id, body.issue_id);
  const isReached = freeBet?.terms.games.some((game) => world.providerOf.get(game) === body.provider_id);
  if (!freeBet || !isReached || freeBet.playerId !== body.player_id) return refuse('free_bet_not_found');
  const errors = againstBet(world, freeBet, body);
  if (errors.length > 0) return refuse(...errors);
  const placed = newBet(world, body, freeBet);
  world.bets.push(placed);
  placed.answer = {
    bet_id: placed.betId,
    issue_id: freeBet.issueId,
    currency: freeBet.currency,
    amount: money(freeBet.amount),
    remaining: remaining(world, freeBet),
    min_coefficient: freeBet.terms.min,
    max_coefficient: freeBet.terms.max,
  };
  return { body: placed.answer };
}

const newBet = (world: World, body: Fields, freeBet: FreeBet | null): Bet => ({
  clientId: body.client_id,
  providerId: body.provider_id,
  betId: body.bet_id.toLowerCase(),
  freeBet,
  state: freeBet === null ? 'rolled_back' : 'placed',
  gameId: body.game_id,
  odds: e4(body.coefficient),
  asked: null,
  paid: null,
  win: null,
  placedAt: world.now,
  settledAt: null,
  content: freeBet === null ? '' : betContent(body),
  answer: null,
});

export function settle(world: World, body: Fields): Expected {
  const found = findBet(world, body);
  if (!found) return refuse('bet_not_found');
  if (found.state === 'rolled_back' || found.freeBet === null) return refuse('bet_rolled_back');
  const asked = e4(body.coefficient);
  if (isSettled(found)) {
    const isSame = found.state === body.result && found.asked === asked;
    return isSame ? { body: settledBody(found, found.freeBet) } : refuse('bet_already_settled');
  }
  const { terms, amount } = found.freeBet;
  if (asked !== null) {
    const isPayable = found.odds === null ? asked >= (terms.min ?? asked) : asked === found.odds;
    if (!isPayable) return refuse('coefficient_out_of_range');
    found.paid = terms.max !== null && asked > terms.max ? terms.max : asked;
  }
  const stake = terms.stakeReturned ? 0n : amount;
  Object.assign(found, { state: body.result, asked, settledAt: world.now });
  found.win = found.paid === null ? 0n : (amount * found.paid - stake * 10_000n) / 10_000n;
  return { body: settledBody(found, found.freeBet) };
}

const settledBody = ({ betId, state, paid, win }: Bet, { currency }: FreeBet): Fields => ({
  bet_id: betId,
  result: state,
  coefficient: paid,
  win_amount: money(win ?? 0n),
  currency,
});

export function rollback(world: World, body: Fields): Expected {
  const found = findBet(world, body);
  if (found && isSettled(found)) return refuse('bet_already_settled');
  if (found) found.state = 'rolled_back';
  else world.bets.push(newBet(world, body, null));
  return { body: {} };
}

export function getFreeBet(world: World, clientId: number, body: Fields): Expected {
  const freeBet = findFreeBet(world, clientId, body.issue_id);
  if (!freeBet) return refuse('free_bet_not_found');
  return { body: { ...freeBetBody(world, freeBet), bets: betsOf(world, freeBet).map(betBody) } };
}

export const betBody = (bet: Bet): Fields => ({
  bet_id: bet.betId,
  game_id: bet.gameId,
  status: bet.state,
  coefficient: bet.paid ?? bet.odds,
  win_amount: bet.win === null ? null : money(bet.win),
  placed_at: iso(bet.placedAt),
  settled_at: bet.settledAt === null ? null : iso(bet.settledAt),
});

/** Counts, winnings and open exposure of a campaign. */
export function sumsOf(world: World, campaign: Campaign): Fields {
  const freeBets = freeBetsOf(world, campaign);
  const count = (status: string) => freeBets.filter((freeBet) => statusOf(world, freeBet) === status).length;
  const inCurrency = (currency: string) => freeBets.filter((freeBet) => freeBet.currency === currency);
  const betsIn = (currency: string) => inCurrency(currency).flatMap((freeBet) => betsOf(world, freeBet));
  const openIn = (currency: string) => {
    const live = inCurrency(currency).filter((freeBet) => !freeBet.cancelled && !isExpired(world, freeBet));
    const unsettled = betsIn(currency).filter((each) => !isSettled(each)).length;
    return BigInt(live.reduce((sum, freeBet) => sum + remaining(world, freeBet), unsettled));
  };
  const exposure = ([currency, amount]: [string, bigint]) => {
    const { max, stakeReturned } = campaign.terms;
    const open = openIn(currency);
    if (open === 0n || max === null) return { currency, amount: open === 0n ? '0.00' : null };
    const stake = stakeReturned ? 0n : amount;
    return { currency, amount: money(((amount * max - stake * 10_000n) / 10_000n) * open) };
  };
  const counts = { issued: freeBets.length, cancelled: count('cancelled'), expired: count('expired') };
  const bets_placed = freeBets.reduce((sum, freeBet) => sum + betsOf(world, freeBet).length, 0);
  const amounts = [...campaign.amounts];
  return {
    counts: { ...counts, finished: count('finished'), bets_placed },
    winnings: amounts.map(([currency]) => ({
      currency,
      amount: money(betsIn(currency).reduce((sum, { win }) => sum + (win ?? 0n), 0n)),
    })),
    exposure: amounts.map(exposure),
  };
}
