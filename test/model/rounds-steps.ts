import fc from 'fast-check';
import { games } from '../support/requests.ts';

// What a run of the model test of rounds does, as fast-check makes it up: few players, few ids, so that requests meet, and
// times that lie close to each other.

export interface TermsDraft {
  quantity: number;
  games: string[];
  /** In minutes from the beginning of the run; none for a direct issue means now. */
  from: number | null;
  lasts: number;
  durationMin: number | null;
  limits: { min_coefficient?: string; max_coefficient?: string };
}

export interface CampaignDraft {
  terms: TermsDraft;
  amount: string;
  other: string | null;
  bonusLimit: number | null;
  bonusLimitPerUser: number | null;
}

/** One of the limits or the odds, a ten-thousandth more or less; or a number of its own. */
export interface CoefficientDraft {
  near: 'min' | 'max' | 'odds' | 'none';
  shift: number;
  otherwise: string;
}

/** Whom a provider's request names; mostly what belongs together. */
export interface RoundDraft {
  which: number;
  isKnown: boolean;
  wrong: 'nothing' | 'player' | 'game' | 'provider' | 'client' | 'unknown client';
  game: number;
}

export type Draft =
  | { kind: 'issue'; id: number; campaign: number; player: number; currency: string }
  | { kind: 'direct'; id: number; player: number; currency: string; amount: string; terms: TermsDraft }
  | { kind: 'cancel'; round: RoundDraft }
  | { kind: 'available'; round: RoundDraft }
  | { kind: 'bet'; round: RoundDraft; bet: number; coefficient: CoefficientDraft | null }
  | { kind: 'settle'; round: RoundDraft; bet: number; coefficient: CoefficientDraft | null }
  | { kind: 'rollback'; round: RoundDraft; bet: number }
  | { kind: 'get'; round: RoundDraft }
  | { kind: 'again'; which: number; inCapitals: boolean };

export type Step =
  | { kind: 'ask'; draft: Draft; partner: number; server: number }
  | { kind: 'campaign'; which: number; server: number }
  | { kind: 'time'; which: number; shiftMs: number }
  | { kind: 'payout'; partner: number; stakeReturned: boolean }
  /** Waits until the sweeper, if there is one, has nothing left to do. */
  | { kind: 'sweep' };

export interface Plan {
  campaigns: CampaignDraft[];
  steps: Step[];
}

export const gameIds = {
  lantern: games.ofFirstProvider.slice(0, 2),
  heron: [games.ofSecondProvider],
};
const everyGame = [...gameIds.lantern, ...gameIds.heron];

const orNone = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: null, freq });

const limits = fc.constantFrom(
  {},
  { min_coefficient: '1.2' },
  { max_coefficient: '3' },
  { min_coefficient: '1.20', max_coefficient: '5.00' },
  { min_coefficient: '1.0001', max_coefficient: '1.3333' },
  { min_coefficient: '2', max_coefficient: '2.00' },
  { min_coefficient: '1', max_coefficient: '999999.9999' },
);
const amount = fc.constantFrom('1.00', '0.01', '0.07', '33.33', '9999999999999.99');
const currency = fc.constantFrom('EUR', 'EUR', 'EUR', 'USD');
const terms = (from: fc.Arbitrary<number | null>): fc.Arbitrary<TermsDraft> =>
  fc.record({
    quantity: fc.integer({ min: 1, max: 3 }),
    games: fc.uniqueArray(fc.constantFrom(...everyGame), { minLength: 1, maxLength: 3 }),
    from,
    lasts: fc.constantFrom(5, 60, 60, 600),
    durationMin: orNone(fc.constantFrom(1, 15, 30)),
    limits,
  });

const campaign: fc.Arbitrary<CampaignDraft> = fc.record({
  terms: terms(fc.constantFrom(-3, 0, 0, 5)),
  amount,
  other: orNone(amount),
  bonusLimit: orNone(fc.integer({ min: 1, max: 4 })),
  bonusLimitPerUser: orNone(fc.integer({ min: 1, max: 3 })),
});

const round: fc.Arbitrary<RoundDraft> = fc.record({
  which: fc.nat(40),
  isKnown: fc.constantFrom(true, true, true, true, true, true, false),
  wrong: fc.oneof(
    { weight: 9, arbitrary: fc.constant('nothing' as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('player' as const, 'game', 'provider', 'client', 'unknown client'),
    },
  ),
  game: fc.nat(5),
});

const coefficient: fc.Arbitrary<CoefficientDraft> = fc.record({
  near: fc.constantFrom('min', 'max', 'odds', 'odds', 'none'),
  shift: fc.constantFrom(-1, 0, 0, 0, 1),
  otherwise: fc.constantFrom('1', '1.00', '1.9999', '2.35', '2.5', '7', '1234.5678', '999999.9999'),
});

const player = fc.nat(2);
const id = fc.nat(9);
const bet = fc.nat(14);
const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('issue'), id, campaign: fc.nat(2), player, currency }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('direct'),
      id,
      player,
      currency,
      amount,
      terms: terms(orNone(fc.constantFrom(-10, 0, 5, 20))),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel'), round }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('available'), round }) },
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('bet'), round, bet, coefficient: orNone(coefficient, 2) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('settle'), round, bet, coefficient: orNone(coefficient, 3) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('rollback'), round, bet }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('get'), round }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('again'), which: fc.nat(40), inCapitals: fc.boolean() }) },
);

const server = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({ kind: fc.constant('ask'), draft, partner: fc.constantFrom(0, 0, 0, 1), server }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('campaign'), which: fc.nat(2), server }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('payout'), partner: fc.nat(1), stakeReturned: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time'), which: fc.nat(9), shiftMs: fc.constantFrom(-1, 0, 1) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' }) },
);

/** A run begins with free bets of each campaign, so that there is something to bet with. */
export const plan: fc.Arbitrary<Plan> = fc.record({
  campaigns: fc.array(campaign, { minLength: 3, maxLength: 3 }),
  steps: fc
    .array(step, { minLength: 1, maxLength: 60, size: 'max' })
    .map((rest) => [...[0, 1, 2].map((i) => firstIssue(i)), ...rest]),
});

const firstIssue = (campaign: number): Step => ({
  kind: 'ask',
  draft: { kind: 'issue', id: campaign, campaign, player: campaign % 2, currency: 'EUR' },
  partner: campaign === 2 ? 1 : 0,
  server: 0,
});
