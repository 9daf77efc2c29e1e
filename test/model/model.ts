// What the service should answer, written from the contract alone: a partner's campaigns and free bets as plain values,
// and for every request what may come back. It shares no code with the service, keeps no counters (it counts the free
// bets), and does its own arithmetic. A world is never changed: a request makes the next one.

export interface Terms {
  quantity: number;
  games: string[];
  validFrom: number;
  validUntil: number;
  durationMin: number | null;
  /** In ten-thousandths. */
  min: number | null;
  max: number | null;
}

export interface Campaign {
  id: string;
  name: string;
  terms: Terms;
  amounts: { currency: string; amount: string }[];
  bonusLimit: number | null;
  bonusLimitPerUser: number | null;
  limitsChangedAt: number | null;
  pausedAt: number | null;
  createdAt: number;
  stoppedAt: number | null;
  content: string;
}

export interface FreeBet {
  issueId: string;
  campaignId: string | null;
  playerId: string;
  currency: string;
  amount: string;
  terms: Terms;
  issuedAt: number;
  expiresAt: number;
  cancelled: boolean;
  content: string;
}

export interface Job {
  /** The request that created it. */
  asked: Fields;
  createdAt: number;
  parts: number;
  items: number;
  issued: number;
  refused: Record<string, number>;
  startedAt: number | null;
  finishedAt: number | null;
}

export interface World {
  campaigns: ReadonlyMap<string, Campaign>;
  freeBets: ReadonlyMap<string, FreeBet>;
  jobs: ReadonlyMap<string, Job>;
}

/** What a partner is offered: its games, whether each takes free bets, and the currencies of its provider. */
export type Offer = ReadonlyMap<string, { freeBets: boolean; currencies: ReadonlySet<string> }>;

// biome-ignore lint/suspicious/noExplicitAny: requests and answers are read here as a stranger would, field by field.
export type Fields = any;

export type Seen = { ok: true; body: Fields } | { ok: false; error: string; fields: string[] };

/** The world as it is after this answer, or why the answer cannot be right. */
export type Verdict = { world: World } | { wrong: string };

/** The errors that would be right, each with the fields its details may name; any of several that apply is right. */
export type Refusals = Map<string, string[]>;

export const emptyWorld: World = { campaigns: new Map(), freeBets: new Map(), jobs: new Map() };

export const e4 = (text: string | null | undefined): number | null => {
  if (text === null || text === undefined) return null;
  const [whole, fraction = ''] = text.split('.');
  return Number(whole) * 10_000 + Number(`${fraction}0000`.slice(0, 4));
};

const ms = (text: string): number => new Date(text).getTime();
export const iso = (instant: number): string => new Date(instant).toISOString();
export const isoOrNull = (instant: number | null): string | null => (instant === null ? null : iso(instant));

function termsOf(body: Fields, now: number): Terms {
  return {
    quantity: body.quantity,
    games: body.games,
    validFrom: body.valid_from === undefined ? now : ms(body.valid_from),
    validUntil: ms(body.valid_until),
    durationMin: body.duration_min ?? null,
    min: e4(body.config?.min_coefficient),
    max: e4(body.config?.max_coefficient),
  };
}

function expiry({ validFrom, validUntil, durationMin }: Terms, issuedAt: number): number {
  if (durationMin === null) return validUntil;
  const activation = issuedAt > validFrom ? issuedAt : validFrom;
  const end = activation + durationMin * 60 * 1000;
  return end < validUntil ? end : validUntil;
}

export function statusOf(freeBet: FreeBet, now: number): string {
  if (freeBet.cancelled) return 'cancelled';
  if (now >= freeBet.expiresAt) return 'expired';
  return now < freeBet.terms.validFrom ? 'issued' : 'active';
}

export const freeBetsOf = (world: World, campaignId: string): FreeBet[] =>
  [...world.freeBets.values()].filter((freeBet) => freeBet.campaignId === campaignId);

const placesTaken = (freeBets: FreeBet[]) => freeBets.filter((freeBet) => !freeBet.cancelled).length;

export const isFull = (world: World, { id, bonusLimit }: Campaign): boolean =>
  bonusLimit !== null && placesTaken(freeBetsOf(world, id)) >= bonusLimit;

/** An answer with its coefficients as numbers, because 1.2 and 1.20 say the same. */
export const comparable = (body: Fields): Fields =>
  body?.config === undefined
    ? body
    : {
        ...body,
        config: {
          ...body.config,
          min_coefficient: e4(body.config.min_coefficient),
          max_coefficient: e4(body.config.max_coefficient),
        },
      };

export const freeBetBody = (freeBet: FreeBet, status: string): Fields => ({
  issue_id: freeBet.issueId,
  campaign_id: freeBet.campaignId,
  status,
  player_id: freeBet.playerId,
  currency: freeBet.currency,
  bet_amount: freeBet.amount,
  quantity: freeBet.terms.quantity,
  remaining: freeBet.terms.quantity,
  games: freeBet.terms.games,
  config: { min_coefficient: freeBet.terms.min, max_coefficient: freeBet.terms.max },
  valid_from: iso(freeBet.terms.validFrom),
  valid_until: iso(freeBet.terms.validUntil),
  expires_at: iso(freeBet.expiresAt),
  issued_at: iso(freeBet.issuedAt),
});

/** As it was issued, which is also how a repeated request is answered. */
export const issuedBody = (freeBet: FreeBet): Fields =>
  freeBetBody(freeBet, freeBet.issuedAt < freeBet.terms.validFrom ? 'issued' : 'active');

/** What the rules of 3.1 have against these terms now. */
function againstTerms(
  terms: Terms,
  currencies: [currency: string, field: string][],
  offer: Offer,
  now: number,
): Refusals {
  const found: Refusals = new Map();
  const { games, validFrom, validUntil } = terms;
  const named = (wrong: (id: string) => boolean) => games.flatMap((id, i) => (wrong(id) ? [`games[${i}]`] : []));
  if (validFrom >= validUntil || validUntil <= now) found.set('invalid_validity', ['valid_from', 'valid_until']);
  const notOffered = named((id) => !offer.has(id));
  if (notOffered.length > 0) found.set('game_not_available', notOffered);
  const withoutFreeBets = named((id) => offer.get(id)?.freeBets === false);
  if (withoutFreeBets.length > 0) found.set('game_without_free_bets', withoutFreeBets);
  const unsupported = currencies.filter(([currency]) =>
    games.some((id) => offer.has(id) && !offer.get(id)?.currencies.has(currency)),
  );
  const fields = unsupported.map(([, field]) => field);
  if (fields.length > 0) found.set('currency_not_allowed', fields);
  return found;
}

export interface NewCampaign {
  campaign: Campaign;
  refusals: Refusals;
}

export function campaignOf(body: Fields, offer: Offer, now: number): NewCampaign {
  const terms = termsOf(body, now);
  const bonusLimit = body.config?.bonus_limit ?? null;
  const bonusLimitPerUser = body.config?.bonus_limit_per_user ?? null;
  const currencies = body.bet_amounts.map(({ currency }: Fields, i: number) => [
    currency,
    `bet_amounts[${i}].currency`,
  ]);
  const campaign = {
    id: body.campaign_id,
    name: body.name,
    terms,
    amounts: body.bet_amounts,
    bonusLimit,
    bonusLimitPerUser,
    limitsChangedAt: null,
    pausedAt: null,
    createdAt: now,
    stoppedAt: null,
    content: JSON.stringify([body.name, terms, body.bet_amounts, bonusLimit, bonusLimitPerUser]),
  };
  return { campaign, refusals: againstTerms(terms, currencies, offer, now) };
}

export interface NewFreeBet {
  /** Null when there is no such campaign, or not in this currency. */
  freeBet: FreeBet | null;
  content: string;
  refusals: Refusals;
}

export function freeBetOf(world: World, body: Fields, offer: Offer, now: number): NewFreeBet {
  return body.campaign_id === undefined ? directFreeBet(body, offer, now) : campaignFreeBet(world, body, now);
}

function directFreeBet(body: Fields, offer: Offer, now: number): NewFreeBet {
  const terms = termsOf(body, now);
  const since = body.valid_from === undefined ? 'whenever' : terms.validFrom;
  const { player_id: playerId, currency, bet_amount: amount, name } = body;
  const content = JSON.stringify([playerId, currency, amount, name ?? null, { ...terms, validFrom: since }]);
  const freeBet = newFreeBet({ body, campaignId: null, amount, terms, now, content });
  return { freeBet, content, refusals: againstTerms(terms, [[currency, 'currency']], offer, now) };
}

/** Of a job the currencies come with its items; and it must be able to begin while something can be issued. */
export function againstJob(world: World, body: Fields, offer: Offer, now: number): Refusals {
  const begins = Math.max(now, body.start_at === undefined ? now : Date.parse(body.start_at));
  if (body.campaign_id !== undefined) {
    const campaign = world.campaigns.get(body.campaign_id);
    if (campaign === undefined) return new Map([['campaign_not_found', []]]);
    const refusals: Refusals = new Map();
    if (campaign.stoppedAt !== null) refusals.set('campaign_stopped', []);
    if (now >= campaign.terms.validUntil) refusals.set('campaign_ended', []);
    else if (begins >= campaign.terms.validUntil) refusals.set('invalid_validity', ['start_at']);
    return refusals;
  }
  const terms = termsOf(body, now);
  const refusals = againstTerms(terms, [], offer, now);
  if (refusals.size === 0 && begins >= terms.validUntil) refusals.set('invalid_validity', ['start_at']);
  return refusals;
}

function campaignFreeBet(world: World, body: Fields, now: number): NewFreeBet {
  const { campaign_id: campaignId, player_id: playerId, currency } = body;
  const content = JSON.stringify([campaignId, playerId, currency]);
  const campaign = world.campaigns.get(campaignId);
  if (campaign === undefined) return { freeBet: null, content, refusals: new Map([['campaign_not_found', []]]) };
  const refusals: Refusals = new Map();
  const amount = campaign.amounts.find((each) => each.currency === currency)?.amount;
  const own = freeBetsOf(world, campaignId).filter((freeBet) => freeBet.playerId === playerId);
  if (campaign.stoppedAt !== null) refusals.set('campaign_stopped', []);
  if (now >= campaign.terms.validUntil) refusals.set('campaign_ended', []);
  if (campaign.pausedAt !== null) refusals.set('campaign_paused', []);
  if (amount === undefined) refusals.set('currency_not_allowed', ['currency']);
  if (isFull(world, campaign)) refusals.set('bonus_limit_reached', []);
  const { bonusLimitPerUser } = campaign;
  if (bonusLimitPerUser !== null && placesTaken(own) >= bonusLimitPerUser) {
    refusals.set('bonus_limit_per_user_reached', []);
  }
  const terms = campaign.terms;
  return { freeBet: newFreeBet({ body, campaignId, amount: amount ?? '', terms, now, content }), content, refusals };
}

interface Making {
  body: Fields;
  campaignId: string | null;
  amount: string;
  terms: Terms;
  now: number;
  content: string;
}

const newFreeBet = ({ body, campaignId, amount, terms, now, content }: Making): FreeBet => ({
  issueId: body.issue_id?.toLowerCase(),
  campaignId,
  playerId: body.player_id,
  currency: body.currency,
  amount,
  terms,
  issuedAt: now,
  expiresAt: expiry(terms, now),
  cancelled: false,
  content,
});
