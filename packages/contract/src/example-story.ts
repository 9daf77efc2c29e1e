// The values of the examples, which form one story: partner 1 creates a campaign and issues its free bets to player-7.
// The examples run unchanged on the demo data and share no ID with the examples of the guides, so that both can be
// tried on one server.

export const issueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01';
export const directIssueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e02';
export const batchIssueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03';

export const unknownIssueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e04';

const validity = { valid_from: '2026-01-01T00:00:00.000Z', valid_until: '2036-01-01T00:00:00.000Z' };
const games = ['lantern-skyline-ascent'];
export const limits = { min_coefficient: '1.20', max_coefficient: '5.00' };

export const campaign = {
  campaign_id: 'weekend',
  name: 'Weekend free bets',
  quantity: 3,
  ...validity,
  games,
  bet_amounts: [
    { currency: 'EUR', amount: '1.00' },
    { currency: 'USD', amount: '1.20' },
  ],
};

export const config = { bonus_limit: 5000, bonus_limit_per_user: 2, ...limits };

export const storedCampaign = {
  ...campaign,
  duration_min: 1440,
  stake_returned: false,
  config,
  status: 'active',
  created_at: '2026-12-20T09:30:00.000Z',
  stopped_at: null,
  paused_at: null,
  limits_changed_at: null,
};

export const totals = {
  counts: { issued: 120, cancelled: 4, expired: 10, finished: 12, bets_placed: 60 },
  winnings: [
    { currency: 'EUR', amount: '31.40' },
    { currency: 'USD', amount: '0.00' },
  ],
  exposure: [
    { currency: 'EUR', amount: '1020.00' },
    { currency: 'USD', amount: '0.00' },
  ],
};

export const issue = { issue_id: issueId, campaign_id: campaign.campaign_id, player_id: 'player-7', currency: 'EUR' };

export const freeBet = {
  ...issue,
  status: 'active',
  bet_amount: '1.00',
  quantity: 3,
  remaining: 3,
  games,
  config: limits,
  ...validity,
  expires_at: '2027-01-03T18:00:00.000Z',
  issued_at: '2027-01-02T18:00:00.000Z',
};

export const directIssue = {
  issue_id: directIssueId,
  player_id: 'player-8',
  currency: 'EUR',
  bet_amount: '2.50',
  quantity: 1,
  games,
  valid_until: validity.valid_until,
  name: 'Sorry for the wait',
  config: { min_coefficient: '1.50' },
};

const { name: _, ...directTerms } = directIssue;
export const directFreeBet = {
  ...directTerms,
  campaign_id: null,
  status: 'active',
  remaining: 1,
  config: { min_coefficient: '1.50', max_coefficient: null },
  valid_from: '2027-01-02T18:00:00.000Z',
  expires_at: validity.valid_until,
  issued_at: '2027-01-02T18:00:00.000Z',
};

export const batchItem = { ...issue, issue_id: batchIssueId, player_id: 'player-9' };

export const betId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11';
export const lostBetId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e12';
export const voidBetId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e13';
export const round = { provider_id: 'lantern-quay', client_id: 1 };
export const play = { issue_id: issueId, player_id: 'player-7', game_id: 'lantern-skyline-ascent' };
export const stake = { issue_id: issueId, currency: 'EUR', amount: '1.00' };

export const bet = {
  bet_id: betId,
  game_id: 'lantern-skyline-ascent',
  status: 'won',
  coefficient: '2.35',
  win_amount: '1.35',
  placed_at: '2027-01-02T19:00:00.000Z',
  settled_at: '2027-01-02T19:00:12.000Z',
};

const sandboxBetId = '01941f29-7c00-7a11-8000-6f6f2a9f8e12';
export const sandboxBet = {
  ...bet,
  bet_id: sandboxBetId,
  coefficient: '2.00',
  win_amount: '2.50',
  settled_at: bet.placed_at,
};
export const sandboxClock = { now: '2027-01-03T18:00:00.000Z', offset_s: 86_400 };
export const roundBet = {
  bet_id: betId,
  status: 'placed',
  ...play,
  currency: 'EUR',
  amount: '1.00',
  coefficient: null,
  win_amount: null,
  placed_at: bet.placed_at,
  settled_at: null,
};

export const usedFreeBet = { ...freeBet, status: 'in_use', remaining: 2 };

/** Also the body of a webhook delivery. */
export const exampleEvent = {
  event_id: '01941f29-7c00-7a11-8000-6f6f2a9f8e11',
  sequence: 8,
  type: 'freebet.settled',
  occurred_at: '2027-01-02T19:00:12.000Z',
  client_id: 1,
  data: { free_bet: usedFreeBet, bet },
};

export const jobId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21';
const directJobId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e22';

export const notStarted = {
  parts: 0,
  items: 0,
  issued: 0,
  refused: {},
  remaining: 0,
  per_second: null,
  eta: null,
  created_at: '2027-01-02T18:00:00.000Z',
  start_at: null,
  started_at: null,
  finished_at: null,
  stopped_at: null,
  failure: null,
};

export const newJob = { job_id: jobId, name: 'Everybody of last weekend', campaign_id: campaign.campaign_id };
export const openJob = { ...newJob, status: 'open', ...notStarted };
export const startedJob = {
  ...openJob,
  status: 'running',
  parts: 1,
  items: 2,
  remaining: 2,
  started_at: '2027-01-02T18:00:10.000Z',
};
export const finishedJob = {
  ...startedJob,
  status: 'finished',
  issued: 1,
  refused: { currency_not_allowed: 1 },
  remaining: 0,
  finished_at: '2027-01-02T18:00:10.120Z',
};

export const directJob = {
  job_id: directJobId,
  name: 'Sorry for the wait',
  bet_amount: '2.50',
  quantity: 1,
  games,
  valid_until: validity.valid_until,
};

export const picture = { width: '800', height: '450' };

/** Games are omitted, because the campaign defines them. */
const { games: _games, ...freeBetWithoutGames } = freeBet;
export const withoutGames = freeBetWithoutGames;
