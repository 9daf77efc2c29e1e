import fc from 'fast-check';
import { games } from '../support/requests.ts';

// What a run of the model test does, as fast-check makes it up: few players, few campaigns and few ids, so that requests
// meet, and times that lie close to each other. Instants are offsets, and become times when the request is made.

export interface When {
  /** From the beginning of the run, or from the moment of the request. */
  from: 'start' | 'now';
  minutes: number;
  ms: number;
}

export interface TermsDraft {
  quantity: number;
  games: string[];
  validFrom: When | null;
  /** After valid_from, or after now. */
  lastsMs: number;
  durationMin: number | null;
  min: string | null;
  max: string | null;
}

export interface CreateDraft {
  kind: 'create';
  campaign: number | null;
  name: string;
  terms: TermsDraft;
  amounts: { currency: string; amount: string }[];
  bonusLimit: number | null;
  bonusLimitPerUser: number | null;
}

export interface IssueDraft {
  kind: 'issue';
  issue: number | null;
  campaign: number | null;
  player: string;
  currency: string;
  amount: string;
  terms: TermsDraft;
}

export type Draft =
  | CreateDraft
  | IssueDraft
  | { kind: 'batch'; items: IssueDraft[] }
  | { kind: 'stop' | 'pause' | 'resume'; campaign: number }
  | { kind: 'limits'; campaign: number; bonusLimit: number | null; bonusLimitPerUser: number | null }
  | { kind: 'cancel'; which: number; isKnown: boolean }
  | { kind: 'cancel many'; all: { which: number; isKnown: boolean }[] }
  | { kind: 'get'; which: number; isKnown: boolean }
  /** One of the writes before, in the same words or in other words for the same. */
  | { kind: 'again'; which: number; inOtherWords: boolean };

export interface JobItemDraft {
  issue: number | null;
  player: string;
  currency: string;
  /** Of a direct job, in place of what its items share. */
  amount: string | null;
  quantity: number | null;
}

export interface JobDraft {
  campaign: number | null;
  name: string;
  amount: string;
  terms: TermsDraft;
  /** From now. */
  startsInMs: number | null;
  parts: JobItemDraft[][];
}

export interface Asked {
  draft: Draft;
  partner: number;
  server: number;
}

export type ReadDraft =
  | { kind: 'campaign'; campaign: number }
  | { kind: 'campaigns'; status: string | null; limit: number }
  | { kind: 'free bets'; player: string | null; campaign: number | null; status: string | null; limit: number };

export type Step =
  | { kind: 'alone'; asked: Asked }
  | { kind: 'together'; asked: Asked[] }
  | { kind: 'read'; read: ReadDraft; partner: number; server: number }
  /** From its creation to its end; `which` is how time goes on to its start. */
  | { kind: 'job'; job: JobDraft; partner: number; server: number; which: number }
  /** To just before, at, or just after one of the instants at which something changes. */
  | { kind: 'time'; which: number; shiftMs: number };

const orNone = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: null, freq });

const campaign = fc.constantFrom(0, 0, 0, 1, 1, 2);
const issue = fc.nat(4);
const player = fc.constantFrom('ann', 'bob', 'ćilo 🎰');
const currency = fc.oneof(
  { weight: 12, arbitrary: fc.constant('EUR') },
  { weight: 3, arbitrary: fc.constant('USD') },
  { weight: 1, arbitrary: fc.constantFrom('BRL', 'ZZZ') },
);
const amount = fc.constantFrom('1.00', '0.01', '33.33', '9999999999999.99');

const goodGames = [games.one, games.ofFirstProvider[1] ?? '', games.ofFirstProvider[2] ?? ''];
const badGames = [games.ofSecondProvider, games.withoutFreeBets, 'no-such-game'];
const gameIds = fc.oneof(
  { weight: 19, arbitrary: fc.uniqueArray(fc.constantFrom(...goodGames), { minLength: 1, maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.uniqueArray(fc.constantFrom(...goodGames, ...badGames), { minLength: 1, maxLength: 3 }),
  },
);

const when: fc.Arbitrary<When> = fc.record({
  from: fc.constantFrom('now', 'now', 'now', 'start'),
  minutes: fc.constantFrom(-10, 0, 0, 0, 10, 30),
  ms: fc.constantFrom(-1, 0, 0, 1),
});
const minuteMs = 60_000;
const lastsMs = fc.oneof(
  { weight: 15, arbitrary: fc.constantFrom(20 * minuteMs, 60 * minuteMs, 600 * minuteMs) },
  { weight: 1, arbitrary: fc.constantFrom(-minuteMs, 0, 1, minuteMs) },
);
const coefficients = fc.constantFrom(
  { min: null, max: null },
  { min: '1.2', max: null },
  { min: null, max: '3' },
  { min: '1.0001', max: '1.3333' },
  { min: '2', max: '2.00' },
  { min: '1', max: '999999.9999' },
);
const terms: fc.Arbitrary<TermsDraft> = fc
  .record({
    quantity: fc.integer({ min: 1, max: 3 }),
    games: gameIds,
    validFrom: when,
    lastsMs,
    durationMin: orNone(fc.constantFrom(1, 5, 15)),
    coefficients,
  })
  .map(({ coefficients, ...rest }) => ({ ...rest, ...coefficients }));

const amounts = fc.uniqueArray(fc.record({ currency, amount }), {
  minLength: 1,
  maxLength: 3,
  selector: (each) => each.currency,
});

const limits = {
  bonusLimit: orNone(fc.integer({ min: 1, max: 4 }), 4),
  bonusLimitPerUser: orNone(fc.integer({ min: 1, max: 2 }), 3),
};

const create: fc.Arbitrary<CreateDraft> = fc.record({
  kind: fc.constant('create'),
  campaign: orNone(campaign, 8),
  name: fc.constantFrom('Spring', 'Été “½” 🎁'),
  terms,
  amounts,
  ...limits,
});

const termsOfIssue = fc
  .tuple(terms, fc.boolean())
  .map(([given, fromNow]) => (fromNow ? { ...given, validFrom: null } : given));

const byCampaign = (mostly: number): fc.Arbitrary<IssueDraft> =>
  fc.record({
    kind: fc.constant('issue'),
    issue: orNone(issue, 2),
    campaign: orNone(campaign, mostly),
    player,
    currency,
    amount,
    terms: termsOfIssue,
  });

const known = fc.record({ which: fc.nat(40), isKnown: fc.boolean() });

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 2, arbitrary: create },
  { weight: 8, arbitrary: byCampaign(3) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('batch'),
      items: fc.array(byCampaign(5), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop'), campaign }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause'), campaign }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume'), campaign }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('limits'), campaign, ...limits }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('cancel many'), all: fc.array(known, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 4, arbitrary: known.map((one): Draft => ({ kind: 'cancel', ...one })) },
  { weight: 1, arbitrary: known.map((one): Draft => ({ kind: 'get', ...one })) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('again'), which: fc.nat(40), inOtherWords: fc.boolean() }) },
);

// Mostly one partner, or they would never meet.
const partner = fc.constantFrom(0, 0, 0, 1);
const server = fc.nat(1);
const asked: fc.Arbitrary<Asked> = fc.record({ draft, partner, server });

const limit = fc.constantFrom(1, 2, 3, 50);
const freeBetStatus = orNone(fc.constantFrom('issued', 'active', 'in_use', 'finished', 'cancelled', 'expired'));
const campaignStatus = orNone(fc.constantFrom('scheduled', 'active', 'exhausted', 'paused', 'ended', 'stopped'));
const read: fc.Arbitrary<ReadDraft> = fc.oneof(
  fc.record({ kind: fc.constant('campaign'), campaign }),
  fc.record({ kind: fc.constant('campaigns'), status: campaignStatus, limit }),
  fc.record({
    kind: fc.constant('free bets'),
    player: orNone(player),
    campaign: orNone(campaign),
    status: freeBetStatus,
    limit,
  }),
);

/** This many at once for the same limit. */
const rush: fc.Arbitrary<Asked[]> = fc
  .record({ one: byCampaign(20), count: fc.integer({ min: 2, max: 6 }), partner, keepsId: fc.boolean() })
  .map(({ one, count, partner, keepsId }) =>
    Array.from({ length: count }, (_, i) => ({
      draft: keepsId ? one : { ...one, issue: null },
      partner,
      server: i % 2,
    })),
  );

const jobItem: fc.Arbitrary<JobItemDraft> = fc.record({
  // Mostly none, so that more items come as far as the limits.
  issue: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: issue }),
  player,
  currency,
  amount: orNone(amount),
  quantity: orNone(fc.integer({ min: 1, max: 3 })),
});

const job: fc.Arbitrary<JobDraft> = fc.record({
  campaign: orNone(campaign, 3),
  name: fc.constantFrom('Everybody', 'Été “½” 🎁'),
  amount,
  terms: termsOfIssue,
  startsInMs: orNone(fc.constantFrom(-minuteMs, 0, 1, 10 * minuteMs, 30 * minuteMs)),
  parts: fc.array(fc.array(jobItem, { minLength: 1, maxLength: 5, size: 'max' }), { minLength: 1, maxLength: 2 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('alone'), asked }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('together'), asked: fc.array(asked, { minLength: 2, maxLength: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('together'), asked: rush }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read'), read, partner, server }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time'), which: fc.nat(40), shiftMs: fc.constantFrom(-1, 0, 1) }),
  },
  // Each takes as long as a server takes to find it.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('job'), job, partner, server, which: fc.nat(40) }) },
);

/** A run begins with some campaigns, so that there is something to issue. */
export const steps: fc.Arbitrary<Step[]> = fc
  .tuple(fc.array(create, { minLength: 2, maxLength: 3 }), fc.array(step, { minLength: 1, maxLength: 45, size: 'max' }))
  .map(([first, rest]) => {
    const created = first.map((draft, i): Step => {
      const begun: CreateDraft = { ...draft, campaign: i };
      return { kind: 'alone', asked: { draft: begun, partner: i === 2 ? 1 : 0, server: i % 2 } };
    });
    return [...created, ...rest];
  });
