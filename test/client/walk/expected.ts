import { errorVectors, signatureVectors, webhookVectors } from '../../support/vectors.ts';

/** What comes of a walk, in whatever language. */
export const expectedWalk = {
  providers: ['Lantern Quay', 'Copper Heron', 'Velvet Anvil'],
  issued: ['active', 2],
  again: true,
  reused: ['id_reused', 409, false],
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
};

export const expectedVectors = {
  signatures: signatureVectors.length,
  webhooks: webhookVectors.length,
  errors: errorVectors.length,
};
