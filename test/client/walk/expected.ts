import { errorVectors, signatureVectors, webhookVectors } from '../../support/vectors.ts';

/** The result of a walk, the same in every language. */
export const expectedWalk = {
  providers: ['Lantern Quay', 'Copper Heron', 'Velvet Anvil'],
  issued: ['active', 2],
  again: true,
  reused: ['id_reused', 409, false],
  otherPartner: ['forbidden', 403, false],
  batch: ['active', 'currency_not_allowed'],
  available: 2,
  won: '1.35',
  rolledBack: {},
  bets: ['won'],
  cancelled: ['free_bet_already_used', 620, false],
  listed: 2,
  job: ['finished', 7, 6, { currency_not_allowed: 1 }],
  wrongItem: ['items[5000].currency'],
  refusals: [[3, 'currency_not_allowed']],
  strict: 'active',
  forbidden: ['forbidden', 403, false],
  invalid: [{ field: 'currency', reason: 'must be 3 to 10 capitals and digits, such as EUR or USDT' }],
  events: [
    'campaign.created',
    'freebet.issued',
    'freebet.issued',
    'freebet.used',
    'freebet.settled',
    'freebet.used',
    'freebet.rolled_back',
    ...Array(6).fill('freebet.issued'),
    'job.finished',
  ],
  restored: ['feed_changed', 643, false, true, 0],
};

const numberOf = (wanted: string) => errorVectors.findIndex(({ name }) => name === wanted);
const [forbidden, tooMany, down] = ['a wrong signature', 'too many requests', 'not available'].map(numberOf);

/**
 * By the responses to the attempts of a call, in order: the error, `mayHaveHappened`, and whether the message says so. Keys
 * that begin with `open` are calls of `jobs.run`.
 */
const failures: Record<string, [name: string, mayHaveHappened: boolean, isSaid: boolean]> = {
  [`${forbidden}`]: ['forbidden', false, false],
  [`${tooMany}`]: ['too_many_requests', false, false],
  [`${tooMany},${forbidden}`]: ['forbidden', false, false],
  [`${down}`]: ['unavailable', true, true],
  [`${numberOf('a page of a proxy that refuses')}`]: ['unreadable_answer', true, true],
  [`other,${forbidden}`]: ['forbidden', true, true],
  [`other,${tooMany}`]: ['too_many_requests', true, true],
  [`${down},${tooMany},${forbidden}`]: ['forbidden', true, true],
  [`open,open,${forbidden}`]: ['forbidden', false, false],
  [`open,open,started,${forbidden}`]: ['forbidden', true, true],
  [`open,open,open,other,${forbidden}`]: ['forbidden', true, true],
  'open,failed': ['job_failed', true, true],
  'open,open,started,failed': ['job_failed', true, true],
  'open,stopped': ['job_started', false, false],
  'open,open,started,stopped': ['job_started', false, false],
  'open,open,open,stopped': ['job_started', false, false],
};
export const answersInTurn = JSON.stringify(Object.keys(failures));

/** The results of a batch for the players in `line.ts`, and how often each item was sent in three attempts. */
const batch = [
  ['later', null, 2],
  ['taken', null, 1],
  ['never', 'internal_error', 3],
  ['later', null, 2],
];
const cancels = batch.slice(0, 2);

export const expectedVectors = {
  batch,
  cancels,
  failures: Object.values(failures),
  signatures: signatureVectors.length,
  webhooks: webhookVectors.length,
  errors: errorVectors.length,
};
