import type { OperationName } from '@freebets/contract';
import { validateIssueItem } from '../../../packages/server/src/calls/validation.ts';
import { carryOut, type Memory, timeIn } from '../../../packages/server/src/check/memory.ts';
import type { PartnerProfile } from '../../../packages/server/src/partners/profile.ts';
import { formatMoney, parseInstant } from '../../../packages/server/src/primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../../packages/server/src/primitives/outcome.ts';
import { clockBody } from '../../../packages/server/src/primitives/sandbox-clock.ts';
import type { CampaignEntry } from '../../../packages/server/src/promo/batch/working-set.ts';
import { changeLimitsCommand, createCampaignCommand } from '../../../packages/server/src/promo/campaigns/api.ts';
import { campaignBody, maxWinnings } from '../../../packages/server/src/promo/campaigns/campaign.ts';
import { cancelCommand, issueCommand } from '../../../packages/server/src/promo/free-bets/api.ts';
import { freeBetBody, isExpired, remainingOf } from '../../../packages/server/src/promo/free-bets/free-bet.ts';
import { betBody, type PlacedBet } from '../../../packages/server/src/promo/rounds/bet.ts';
import { playRoundCommand } from '../../../packages/server/src/promo/sandbox/api.ts';

// The operations that a check calls, in memory.

// biome-ignore lint/suspicious/noExplicitAny: requests as they come, right and wrong.
export type Body = Record<string, any>;

const game = { id: 'memory-game', currencies: ['EUR', 'USD'] };

export const partnerProfile: PartnerProfile = {
  offer: new Map([[game.id, { providerId: 'memory', freeBets: true, currencies: new Set(game.currencies) }]]),
  stakeReturned: false,
  isSandbox: false,
  providerOf: () => 'memory',
};

const size = { width: '800', height: '600' };
const gameList = {
  providers: [
    {
      name: 'Memory',
      currencies: game.currencies,
      games: [
        {
          id: game.id,
          title: 'Memory',
          category: 'CrashGames',
          promoTypes: ['FreeBet'],
          images: { landscape: 'a.svg', portrait: 'b.svg', square: 'c.svg' },
        },
      ],
    },
  ],
  image_assets: {
    base_url: 'https://images.example',
    presets: { game: { landscape: size, portrait: size, square: size } },
  },
};

type Does = (memory: Memory, body: Body) => Outcome;

const freeBetIn = ({ working }: Memory, body: Body) => working.freeBets.get(String(body.issue_id).toLowerCase());

function countedBody(memory: Memory, { campaign, state }: CampaignEntry): object {
  const { working } = memory;
  const now = timeIn(memory);
  const own = [...working.freeBets.values()].filter(({ campaignId }) => campaignId === campaign.campaignId);
  const open = own.filter((freeBet) => freeBet.cancelledAt === null && !isExpired(freeBet, now));
  const perCurrency = <T>(amountOf: (currency: string) => T) =>
    [...campaign.betAmounts.keys()].map((currency) => ({ currency, amount: amountOf(currency) }));
  const { issued, cancelled, expired, finished, betsPlaced: bets_placed } = state;
  return {
    ...campaignBody(campaign, state, now),
    counts: { issued, cancelled, expired, finished, bets_placed },
    winnings: perCurrency((currency) => {
      const keys = own.filter((one) => one.currency === currency).flatMap((one) => betKeysOf(memory, one.issueId));
      return formatMoney(keys.reduce((sum, key) => sum + ((working.bets.get(key) as PlacedBet).winAmount ?? 0n), 0n));
    }),
    exposure: perCurrency((currency) => {
      const left = open.filter((one) => one.currency === currency).reduce((sum, one) => sum + remainingOf(one), 0);
      return maxWinnings(campaign, currency, BigInt(left));
    }),
  };
}

const betKeysOf = ({ working }: Memory, issueId: string): string[] => [...(working.betKeysOf.get(issueId) ?? [])];

const does: Partial<Record<OperationName, Does>> = {
  GameList: () => done(gameList),
  CampaignCreate: (memory, body) => carryOut(memory, createCampaignCommand(body as never)),
  CampaignStop: (memory, body) => carryOut(memory, { kind: 'stop_campaign', campaignId: body.campaign_id }),
  CampaignGet(memory, { campaign_id }) {
    const entry = memory.working.campaigns.get(campaign_id);
    if (entry === undefined) return refuse('campaign_not_found');
    return done(countedBody(memory, entry));
  },
  CampaignList(memory, { limit }) {
    const entries = [...memory.working.campaigns.values()].reverse().slice(0, limit);
    return done({ campaigns: entries.map((entry) => countedBody(memory, entry)), next_cursor: null });
  },
  CampaignPause: (memory, { campaign_id }) => carryOut(memory, { kind: 'pause_campaign', campaignId: campaign_id }),
  CampaignResume: (memory, { campaign_id }) => carryOut(memory, { kind: 'resume_campaign', campaignId: campaign_id }),
  CampaignLimits: (memory, body) => carryOut(memory, changeLimitsCommand(body as never)),
  Issue: (memory, body) => carryOut(memory, issueCommand(body as never)),
  IssueBatch: (memory, { items }) => done({ results: items.map((item: Body) => itemResult(memory, item)) }),
  Cancel: (memory, body) => carryOut(memory, cancelCommand(body.issue_id)),
  CancelBatch(memory, { issue_ids }) {
    for (const issueId of issue_ids) carryOut(memory, cancelCommand(issueId));
    return done({ results: [] });
  },
  FreeBetGet(memory, body) {
    const freeBet = freeBetIn(memory, body);
    if (freeBet === undefined) return refuse('free_bet_not_found');
    const bets = betKeysOf(memory, freeBet.issueId).map((key) => memory.working.bets.get(key) as PlacedBet);
    return done({ ...freeBetBody(freeBet, timeIn(memory)), bets: bets.map((bet) => betBody(bet, freeBet)) });
  },
  FreeBetList(memory, { player_id }) {
    const all = [...memory.working.freeBets.values()].filter(({ playerId }) => playerId === player_id);
    return done({ free_bets: all.map((freeBet) => freeBetBody(freeBet, timeIn(memory))), next_cursor: null });
  },
  EventsList: ({ events }, body) => pageOf(events, body),
  SandboxClockGet({ working: { clock } }) {
    if (clock === null) return refuse('not_a_sandbox');
    clock.worldNow = Date.now();
    return done(clockBody(clock));
  },
  SandboxClockSet: (memory, { now }) => carryOut(memory, { kind: 'set_clock', to: parseInstant(now) }),
  SandboxRound: (memory, body) => carryOut(memory, playRoundCommand(body as never)),
};

/** A page of these events, as /Events/List has it. */
export function pageOf(events: Memory['events'], { after = 0, after_event_id, limit = 100 }: Body): Outcome {
  const last = events.at(-1)?.sequence ?? 0;
  const oldest = events[0]?.sequence ?? last + 1;
  if (after_event_id === undefined) {
    if (after > last) return refuse('invalid_request', [{ field: 'after', reason: 'is ahead' }]);
  } else {
    if (after === 0) return refuse('invalid_request', [{ field: 'after_event_id', reason: 'must be absent' }]);
    const value = (field: string, number: number) => [{ field, reason: 'is another', value: String(number) }];
    if (after < oldest - 1) return refuse('events_removed', value('oldest_sequence', oldest));
    const at = events.find(({ sequence }) => sequence === after);
    if (at?.event_id !== after_event_id) return refuse('feed_changed', value('last_sequence', last));
  }
  const page = events.filter(({ sequence }) => sequence > after).slice(0, limit);
  return done({ events: page, last_sequence: page.at(-1)?.sequence ?? after, oldest_sequence: oldest });
}

function itemResult(memory: Memory, item: Body): object {
  const outcome = validateIssueItem(item).length > 0 ? refuse('invalid_request') : does.Issue?.(memory, item);
  if (outcome?.ok) return outcome.value;
  return { issue_id: item.issue_id ?? null, error: { code: 400, error: outcome?.error ?? '', message: '' } };
}

export function answerOf(memory: Memory, operation: OperationName, body: Body, sweeps = true): Outcome {
  if (operation === 'EventsList' && sweeps) {
    for (const issueId of memory.working.freeBets.keys()) carryOut(memory, { kind: 'expire_free_bet', issueId });
  }
  return does[operation]?.(memory, body) ?? refuse('unavailable');
}
