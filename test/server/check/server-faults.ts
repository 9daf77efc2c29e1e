import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { basePath, paths } from '@freebets/contract';
import { carryOut, type Memory, timeIn } from '../../../packages/server/src/check/memory.ts';
import { formatMoney, parseCoefficient, parseMoney } from '../../../packages/server/src/primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../../packages/server/src/primitives/outcome.ts';
import { clockBody } from '../../../packages/server/src/primitives/sandbox-clock.ts';
import { cancelCommand, issueCommand } from '../../../packages/server/src/promo/free-bets/api.ts';
import { freeBetBody, isExpired } from '../../../packages/server/src/promo/free-bets/free-bet.ts';
import { answerOf, type Body, pageOf } from './memory-operations.ts';
import { type Answer, type Fault, secrets } from './memory-server.ts';

// For each rule, a server that breaks only this rule.

type Does = NonNullable<Fault['does']>;

/** Only for this operation; without a result the normal behaviour continues. */
export const at =
  (wanted: string, work: (memory: Memory, body: Body, all: Memory[]) => unknown): Does =>
  async (memory, operation, body, all) =>
    operation === wanted ? ((await work(memory, body, all)) as Outcome | undefined) : undefined;

export const answering =
  (wanted: string, change: (answer: Answer, body: Body, all: Memory[]) => void): NonNullable<Fault['answers']> =>
  (answer, operation, body, all) => {
    if (operation === wanted && answer.status === 200) change(answer, body, all);
  };

export const freeBetOf = ({ working }: Memory, { issue_id }: Body) =>
  working.freeBets.get(String(issue_id).toLowerCase());
const campaignOf = ({ working }: Memory, { campaign_id }: Body) => working.campaigns.get(campaign_id);

/** What others do between reading and writing is not seen. */
function racing(limit: 'bonusLimit' | 'bonusLimitPerUser'): Does {
  return at('Issue', async (memory, body) => {
    const entry = campaignOf(memory, body);
    const most = entry?.campaign[limit] ?? null;
    if (entry === undefined || most === null || freeBetOf(memory, body) !== undefined) return undefined;
    const held = memory.working.campaignPlayers.get(`${body.campaign_id}\0${body.player_id}`)?.held ?? 0;
    const before = limit === 'bonusLimit' ? entry.state.issued - entry.state.cancelled : held;
    await pause(30);
    const isFull = before >= most;
    if (isFull) return refuse(limit === 'bonusLimit' ? 'bonus_limit_reached' : 'bonus_limit_per_user_reached');
    entry.campaign[limit] = Number.POSITIVE_INFINITY;
    const outcome = carryOut(memory, issueCommand(body as never));
    entry.campaign[limit] = most;
    return outcome;
  });
}

/** The coefficient as it was asked for comes with the request, the stake with the free bet. */
const winning = (win: (cents: number, coefficient: number, asked: number) => string): NonNullable<Fault['answers']> =>
  answering('SandboxRound', ({ body: { bets, bet_amount } }, { coefficient = '1' }) => {
    for (const bet of bets) {
      if (bet.status !== 'won') continue;
      bet.win_amount = win(parseMoney(bet_amount), parseCoefficient(bet.coefficient), parseCoefficient(coefficient));
    }
  });

const inText = (cents: number): string => (cents / 100).toFixed(2);

function inFlight(): Does {
  const ids = new Set<string>();
  return at('Issue', async (memory, body) => {
    if (ids.has(body.issue_id)) return refuse('id_reused');
    ids.add(body.issue_id);
    await pause(30);
    ids.delete(body.issue_id);
    return answerOf(memory, 'Issue', body);
  });
}

function byText(): Does {
  const texts = new Map<string, string>();
  return at('Issue', (_memory, body) => {
    const id = String(body.issue_id).toLowerCase();
    const text = texts.get(id);
    texts.set(id, text ?? JSON.stringify(body));
    return text !== undefined && text !== JSON.stringify(body) && body.config ? refuse('id_reused') : undefined;
  });
}

function remembering(): Does {
  const refused = new Set<string>();
  return at('Issue', (memory, body) => {
    if (refused.has(body.issue_id)) return refuse('id_reused');
    if (body.campaign_id !== undefined && campaignOf(memory, body) === undefined) refused.add(body.issue_id);
    return undefined;
  });
}

const noSuchGame = ({ games }: Body) => games?.includes('check-no-such-game');

export const serverFaults: Record<string, Fault> = {
  'signature.accepted': { believes: ({ given }, isRight) => isRight && given === given?.toLowerCase() },
  'signature.missing': { believes: ({ given }, isRight) => isRight || !given },
  'signature.wrong': {
    believes: ({ given = '', right, secret, isTimely }, isRight) =>
      isRight || (isTimely && given.length === 64 && given.slice(0, 60) === right(secret).slice(0, 60)),
  },
  'signature.malformed': {
    believes: ({ given = '', right, secret }, isRight) =>
      isRight || (given.length === 32 && right(secret).startsWith(given)),
  },
  'signature.other-secret': {
    believes: ({ given, right, isTimely }) =>
      isTimely && [...secrets.values()].some((secret) => given?.toLowerCase() === right(secret)),
  },
  'signature.altered-body': {
    believes({ given, path }, isRight, kept) {
      if (isRight) kept.add(`${path} ${given}`);
      return kept.has(`${path} ${given}`);
    },
  },
  'signature.raw-bytes': {
    believes: ({ given, right, secret, path, body, isTimely }) =>
      isTimely && given?.toLowerCase() === right(secret, path, JSON.stringify(body)) && secret !== 'unknown',
  },
  'signature.replay': {
    does: at('Issue', (memory, body) => {
      const entry = freeBetOf(memory, body) && campaignOf(memory, body);
      if (entry) entry.state.issued += 1;
    }),
  },
  'signature.old-time': {
    believes: ({ given, right, secret }, isRight) => isRight || (given === right(secret) && secret !== 'unknown'),
  },
  'signature.other-path': {
    believes: ({ given, right, secret, time }, isRight) =>
      isRight || (time !== undefined && given === right(secret, basePath + paths.FreeBetGet.path)),
  },
  'signature.one-refusal': {
    answers(answer, _operation, { client_id }) {
      if (answer.status === 403 && !secrets.has(client_id)) answer.body.message = 'There is no such partner.';
    },
  },
  'order.path': { late: 'path' },
  'order.method': { late: 'method' },
  'order.content-type': { late: 'type' },
  'order.size': { late: 'size' },
  'order.json': {
    refusesAs: (stage, { bytes }) =>
      stage === 'json' && /^(\[\]|null)$/.test(bytes.toString()) ? refuse('forbidden') : undefined,
  },
  'order.caller': { refusesAs: (stage) => (stage === 'caller' ? refuse('forbidden') : undefined) },
  'order.signature': { late: 'signature' },
  'order.fields': {
    reads: (body, operation) => (operation === 'Issue' && noSuchGame(body) ? refuse('game_not_available') : undefined),
  },
  'fields.unknown': {
    details: (details) => details.filter(({ reason }) => reason !== 'is not a field of this request'),
  },
  'fields.types': {
    reads(body) {
      if (body.quantity === '10') body.quantity = 10;
      return undefined;
    },
  },
  'fields.bounds': { details: (details, { quantity }) => (quantity === 1001 ? [] : details) },
  'fields.times': {
    reads(body) {
      if (/-02-30/.test(body.valid_until)) body.valid_until = new Date('2101-03-02T00:00:00Z').toISOString();
      return undefined;
    },
  },
  'fields.money': {
    reads(body) {
      if (body.bet_amount === '1.5') body.bet_amount = '1.50';
      return undefined;
    },
  },
  'fields.coefficients': {
    reads(body) {
      if (body.config?.min_coefficient === '1.23456') body.config.min_coefficient = '1.2345';
      return undefined;
    },
  },
  'fields.exact-money': {
    answers: answering('Issue', ({ body }) => {
      body.bet_amount = Math.fround(Number(body.bet_amount)).toFixed(2);
    }),
  },
  'terms.validity': {
    does: at('Issue', (_memory, body) => {
      if (body.valid_until < '2021') body.valid_until = '2101-01-01T00:00:00Z';
    }),
  },
  'terms.game': {
    does: at('Issue', (_memory, body) => {
      if (noSuchGame(body)) body.games = ['memory-game'];
    }),
  },
  'terms.currency': {
    does: at('Issue', (_memory, body) => {
      if (body.currency === 'NOSUCH') body.currency = 'EUR';
    }),
  },
  'terms.expiry': {
    answers: answering('Issue', ({ body }) => {
      body.expires_at = body.valid_until;
    }),
  },
  'errors.form': {
    answers(answer) {
      if (answer.status === 404) delete answer.body.message;
    },
  },
  'errors.table': {
    answers(answer) {
      if (answer.body.error === 'campaign_not_found') answer.body.code = 404;
    },
  },
  'errors.details': { details: (details) => details.slice(0, 1) },
  'errors.request-id': {
    answers(answer) {
      answer.headers['x-request-id'] = randomUUID();
      if (answer.status !== 200) answer.body.request_id = answer.headers['x-request-id'];
    },
  },
  'errors.unknown-bytes': {
    refusesAs: (stage, { bytes }) => (stage === 'json' && bytes.includes(0xff) ? refuse('internal_error') : undefined),
  },
  'idempotency.same-content': {
    does: at('Issue', (memory, body) => {
      const isRepeated = freeBetOf(memory, body)?.contentHash === (issueCommand(body as never).contentHash as string);
      if (isRepeated && body.campaign_id === undefined) answerOf(memory, 'Issue', { ...body, issue_id: randomUUID() });
    }),
  },
  'idempotency.same-values': { does: byText() },
  'idempotency.other-content': {
    does: at('Issue', (memory, body) => {
      const freeBet = freeBetOf(memory, body);
      const isOther = freeBet !== undefined && freeBet.contentHash !== issueCommand(body as never).contentHash;
      return isOther ? done(freeBetBody(freeBet, freeBet.issuedAt)) : undefined;
    }),
  },
  'idempotency.refused': { does: remembering() },
  'idempotency.as-issued': {
    does: at('Issue', (memory, body) => {
      const freeBet = freeBetOf(memory, body);
      return freeBet?.cancelledAt ? done(freeBetBody(freeBet, timeIn(memory))) : undefined;
    }),
  },
  'idempotency.concurrent': { does: inFlight() },
  'idempotency.campaign': {
    does: at('CampaignCreate', (memory, body) => (campaignOf(memory, body) ? refuse('id_reused') : undefined)),
  },
  'idempotency.cancel': {
    does: at('Cancel', (memory, body) =>
      freeBetOf(memory, body)?.cancelledAt ? refuse('free_bet_cancelled') : undefined,
    ),
  },
  'limits.campaign': { does: racing('bonusLimit') },
  'limits.player': { does: racing('bonusLimitPerUser') },
  'limits.given-back': {
    does: at('Cancel', (memory, body) => {
      const { campaignId = null, cancelledAt } = freeBetOf(memory, body) ?? {};
      const entry = campaignId === null ? undefined : memory.working.campaigns.get(campaignId);
      if (entry?.campaign.bonusLimit && cancelledAt === null) entry.state.cancelled -= 1;
    }),
  },
  'limits.batch': {
    does: at('IssueBatch', (_memory, { items }) => (items.some(noSuchGame) ? refuse('game_not_available') : undefined)),
  },
  'limits.stopped': {
    does: at('CampaignStop', (memory, { campaign_id }) => {
      for (const { campaignId, issueId } of memory.working.freeBets.values()) {
        if (campaignId === campaign_id) carryOut(memory, cancelCommand(issueId));
      }
    }),
  },
  'limits.counts': {
    answers: answering('CampaignGet', ({ body }) => {
      body.counts.issued += 5;
    }),
  },
  'isolation.same-ids': {
    does: at('Issue', (memory, body, all) =>
      all.some((other) => other !== memory && freeBetOf(other, body)) ? refuse('id_reused') : undefined,
    ),
  },
  'isolation.read': {
    does: at('FreeBetGet', (memory, body, all) => {
      const owner = all.find((other) => freeBetOf(other, body));
      return owner === memory || owner === undefined || freeBetOf(memory, body)
        ? undefined
        : answerOf(owner, 'FreeBetGet', body);
    }),
  },
  'isolation.change': {
    does: at('Cancel', (memory, body, all) => {
      const owner = all.find((other) => freeBetOf(other, body));
      return owner === memory || owner === undefined ? undefined : answerOf(owner, 'Cancel', body);
    }),
  },
  'isolation.feed': {
    does: at('EventsList', ({ clientId }, body, [first]) =>
      clientId === 2 && first ? answerOf(first, 'EventsList', body) : undefined,
    ),
  },
  'feed.order': {
    does: at('EventsList', (memory, body) => {
      answerOf(memory, 'EventsList', {});
      const events = memory.events.map((event) => ({ ...event, sequence: event.sequence * 2 }));
      return pageOf(events, body);
    }),
  },
  'feed.resume': {
    does: at('EventsList', (memory, { after = 0, after_event_id, limit }) => {
      if (after === 0 || after_event_id !== undefined) return undefined;
      answerOf(memory, 'EventsList', {});
      return pageOf(memory.events, { after: after - 1, limit });
    }),
  },
  'feed.one-time': {
    does: at('Issue', (memory, body) => {
      const isEmitted = (event: Body) => event.data.free_bet?.issue_id === body.issue_id;
      const emitted = memory.events.find(isEmitted);
      if (emitted !== undefined) memory.events.push({ ...emitted, sequence: memory.events.length + 1 });
    }),
  },
  'feed.cursor': {
    does: at('EventsList', (memory, { after_event_id: _, ...body }) => {
      const isStart = (body.after ?? 0) === 0;
      return isStart ? undefined : answerOf(memory, 'EventsList', body);
    }),
  },
  'feed.oldest': {
    answers: answering('EventsList', ({ body }) => {
      body.oldest_sequence += 1;
    }),
  },
  'rounds.exact-wins': {
    answers: winning((cents, coefficient) => {
      const [amount, times] = [cents / 100, coefficient / 10_000];
      return inText(Math.floor((amount * times - amount) * 100));
    }),
  },
  'rounds.rounded-down': {
    answers: winning((cents, times) => formatMoney((BigInt(cents) * BigInt(times - 10_000) + 5000n) / 10_000n)),
  },
  'rounds.maximum': {
    answers: winning((cents, _times, asked) => formatMoney((BigInt(cents) * BigInt(asked - 10_000)) / 10_000n)),
  },
  'rounds.minimum': {
    does: at('SandboxRound', (memory, body) => {
      const freeBet = freeBetOf(memory, body);
      if (freeBet) freeBet.terms = { ...freeBet.terms, minCoefficient: null };
    }),
  },
  'rounds.used': {
    does: at('Cancel', (memory, body) => ((freeBetOf(memory, body)?.betsPlaced ?? 0) > 0 ? done({}) : undefined)),
  },
  'rounds.used-up': {
    does: at('SandboxRound', (memory, body) => {
      const freeBet = freeBetOf(memory, body);
      if (freeBet && freeBet.betsPlaced === freeBet.terms.quantity) freeBet.terms = { ...freeBet.terms, quantity: 9 };
    }),
  },
  'rounds.rolled-back': {
    does: at('SandboxRound', (memory, body) => {
      const freeBet = freeBetOf(memory, body);
      if (freeBet === undefined || body.result !== 'rolled_back') return undefined;
      return done({ ...freeBetBody(freeBet, timeIn(memory)), remaining: 0, bets: [] });
    }),
  },
  'rounds.counted': {
    answers: answering('CampaignGet', ({ body }) => {
      for (const won of body.winnings) won.amount = '0.00';
    }),
  },
  'clock.forward': {
    does: at('SandboxClockSet', (memory, { now }) => {
      const { clock } = memory.working;
      return clock && Date.parse(now) < timeIn(memory) ? done(clockBody(clock)) : undefined;
    }),
  },
  'clock.bounds': {
    does: at('SandboxClockSet', ({ working: { clock } }, { now }) =>
      clock && Date.parse(now) > Date.now() + 1000 * 24 * 3_600_000 ? done(clockBody(clock)) : undefined,
    ),
  },
  'clock.start': {
    answers: answering('FreeBetGet', ({ body }) => {
      if (body.status === 'issued') body.status = 'active';
    }),
  },
  'clock.expiry': {
    does: at('Cancel', (memory, body) => {
      const freeBet = freeBetOf(memory, body);
      return freeBet && isExpired(freeBet, timeIn(memory)) ? done({}) : undefined;
    }),
  },
  'clock.emitted': { sweeps: false },
  'errors.answers': { answers: answering('FreeBetGet', ({ body }) => delete body.expires_at) },
};
