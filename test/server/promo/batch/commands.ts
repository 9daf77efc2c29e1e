import fc from 'fast-check';
import type { Command } from '../../../../packages/server/src/promo/batch/command.ts';
import {
  bet,
  cancel,
  limits as changeLimits,
  create,
  direct,
  expire,
  issue,
  lost,
  minute,
  pause,
  players,
  resume,
  rollBack,
  start,
  stop,
  won,
} from './working-sets.ts';

// Random commands over a few ids, games and instants, so that they meet: most can be carried out, and many cannot.

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: rare });

const campaignId = mostly(oneOf('spring', 'summer'), fc.constant('autumn'));
const issueId = oneOf('i1', 'i2', 'i3', 'i4');
const currency = mostly(oneOf('EUR', 'USD'), fc.constant('BRL'));
const providerId = oneOf('lantern', 'lantern', 'lantern', 'heron');
const betId = oneOf('b1', 'b2', 'b3', 'b4', 'b5', 'b6');
const instant = fc.integer({ min: 0, max: 12 }).map((minutes) => start + minutes * minute);
const end = fc.integer({ min: 8, max: 30 }).map((minutes) => start + minutes * minute);
const coefficient = oneOf(10_000, 15_000, 19_999, 30_000, 500_000);

const terms = fc.record({
  quantity: oneOf(1, 2, 3),
  games: mostly(oneOf(['crash'], ['crash', 'dice'], ['crash', 'mines']), oneOf(['poker'], ['chess', 'crash'])),
  validFrom: fc.oneof({ weight: 4, arbitrary: fc.constant(start) }, instant),
  validUntil: mostly(end, instant),
  durationMin: oneOf(null, null, 1, 5),
  minCoefficient: oneOf(null, 15_000),
  maxCoefficient: oneOf(null, 30_000),
});

const limits = fc.record({ bonusLimit: oneOf(null, 1, 2), bonusLimitPerUser: oneOf(null, 1, 2) });
const changes: fc.Arbitrary<Command> = fc
  .tuple(campaignId, limits)
  .map(([campaignId, { bonusLimit, bonusLimitPerUser }]) => changeLimits(bonusLimit, bonusLimitPerUser, campaignId));
const inEuro = new Map([['EUR', 133]]);
const inBoth = new Map([...inEuro, ['USD', 250]]);

const campaigns: fc.Arbitrary<Command> = fc
  .tuple(campaignId, limits, terms)
  .map(([campaignId, limits, terms]) =>
    create({ campaignId, ...limits, betAmounts: terms.games.includes('mines') ? inEuro : inBoth }, terms),
  );

/** Mostly one player to a free bet, so that it is mostly the right one who bets with it. */
const ofPlayer = mostly(
  oneOf(['i1', 'ann'], ['i2', 'ann'], ['i3', 'ben'], ['i4', 'ben']),
  fc.tuple(issueId, oneOf(...players)).map(([issueId, playerId]) => [issueId, playerId]),
).map(([issueId = '', playerId = '']) => ({ issueId, playerId }));

const issues: fc.Arbitrary<Command> = fc
  .tuple(ofPlayer, fc.record({ campaignId, currency }))
  .map(([player, changes]) => issue({ ...player, ...changes }));
const directIssues: fc.Arbitrary<Command> = fc
  .tuple(ofPlayer, currency, terms, fc.boolean())
  .map(([player, currency, terms, isFromNow]) =>
    direct({ ...player, currency }, isFromNow ? { ...terms, validFrom: null } : terms),
  );

const bets: fc.Arbitrary<Command> = fc
  .tuple(
    ofPlayer,
    fc.record({ betId, coefficient: fc.oneof(fc.constant(null), coefficient) }),
    mostly(
      oneOf(['lantern', 'crash'], ['lantern', 'crash'], ['heron', 'mines']),
      oneOf(['lantern', 'dice'], ['heron', 'crash']),
    ),
  )
  .map(([player, changes, [providerId = '', gameId = '']]) => bet({ ...player, ...changes, providerId, gameId }));

const ofBet = (make: (betId: string, providerId: string) => Command): fc.Arbitrary<Command> =>
  fc.tuple(betId, providerId).map(([betId, providerId]) => make(betId, providerId));

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: campaigns },
  { weight: 1, arbitrary: campaignId.map(stop) },
  { weight: 1, arbitrary: campaignId.map(pause) },
  { weight: 2, arbitrary: campaignId.map(resume) },
  { weight: 3, arbitrary: changes },
  { weight: 10, arbitrary: issues },
  { weight: 2, arbitrary: directIssues },
  { weight: 2, arbitrary: issueId.map(cancel) },
  { weight: 2, arbitrary: issueId.map(expire) },
  { weight: 16, arbitrary: bets },
  { weight: 3, arbitrary: ofBet(lost) },
  { weight: 5, arbitrary: coefficient.chain((odds) => ofBet((betId, provider) => won(odds, betId, provider))) },
  { weight: 2, arbitrary: ofBet(rollBack) },
);

export type Step =
  | { kind: 'command'; command: Command }
  | { kind: 'again'; which: number }
  | { kind: 'time'; ms: number }
  /** The partner's setting for later campaigns, jobs and free bets. */
  | { kind: 'payout'; stakeReturned: boolean }
  | { kind: 'commit' };

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: command.map((command): Step => ({ kind: 'command', command })) },
    { weight: 2, arbitrary: fc.nat(50).map((which): Step => ({ kind: 'again', which })) },
    { weight: 2, arbitrary: oneOf(1, minute, 2 * minute, 5 * minute).map((ms): Step => ({ kind: 'time', ms })) },
    { weight: 1, arbitrary: fc.boolean().map((stakeReturned): Step => ({ kind: 'payout', stakeReturned })) },
    { weight: 2, arbitrary: fc.constant<Step>({ kind: 'commit' }) },
  ),
  { minLength: 1, maxLength: 100, size: 'max' },
);
