// One story told by all the examples: partner 1 sets up a campaign and gives player-7 free bets from it. They run as they
// stand on the demo data, and share no id with the examples of the guides, so that both can be tried on one server.

interface Example {
  request: unknown;
  response: unknown;
}

/** An operation that takes its request in two forms has an example for each. */
interface FormExample extends Example {
  summary: string;
}

const issueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01';
const directIssueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e02';
const batchIssueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03';

const unknownIssueId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e04';

const validity = { valid_from: '2026-01-01T00:00:00.000Z', valid_until: '2036-01-01T00:00:00.000Z' };
const games = ['lantern-skyline-ascent'];
const limits = { min_coefficient: '1.20', max_coefficient: '5.00' };

const campaign = {
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

const config = { bonus_limit: 5000, bonus_limit_per_user: 2, ...limits };

const storedCampaign = {
  ...campaign,
  duration_min: 1440,
  config,
  status: 'active',
  created_at: '2026-12-20T09:30:00.000Z',
  stopped_at: null,
  paused_at: null,
  limits_changed_at: null,
};

const totals = {
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

const issue = { issue_id: issueId, campaign_id: campaign.campaign_id, player_id: 'player-7', currency: 'EUR' };

const freeBet = {
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

const directIssue = {
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
const directFreeBet = {
  ...directTerms,
  campaign_id: null,
  status: 'active',
  remaining: 1,
  config: { min_coefficient: '1.50', max_coefficient: null },
  valid_from: '2027-01-02T18:00:00.000Z',
  expires_at: validity.valid_until,
  issued_at: '2027-01-02T18:00:00.000Z',
};

const batchItem = { ...issue, issue_id: batchIssueId, player_id: 'player-9' };

const betId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11';
const lostBetId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e12';
const voidBetId = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e13';
const round = { provider_id: 'lantern-quay', client_id: 1 };
const play = { issue_id: issueId, player_id: 'player-7', game_id: 'lantern-skyline-ascent' };
const stake = { issue_id: issueId, currency: 'EUR', amount: '1.00' };

const bet = {
  bet_id: betId,
  game_id: 'lantern-skyline-ascent',
  status: 'won',
  coefficient: '2.35',
  win_amount: '1.35',
  placed_at: '2027-01-02T19:00:00.000Z',
  settled_at: '2027-01-02T19:00:12.000Z',
};

const roundBet = {
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

const usedFreeBet = { ...freeBet, status: 'in_use', remaining: 2 };

/** Also what a webhook carries. */
export const exampleEvent = {
  event_id: '01941f29-7c00-7a11-8000-6f6f2a9f8e11',
  sequence: 8,
  type: 'freebet.settled',
  occurred_at: '2027-01-02T19:00:12.000Z',
  client_id: 1,
  data: { free_bet: usedFreeBet, bet },
};

const picture = { width: '800', height: '450' };

/** The campaign knows them. */
const { games: _games, ...withoutGames } = freeBet;

export const examples = {
  CampaignCreate: {
    request: { client_id: 1, ...campaign, duration_min: 1440, config },
    response: { campaign_id: campaign.campaign_id },
  },
  CampaignGet: {
    request: { client_id: 1, campaign_id: campaign.campaign_id },
    response: { ...storedCampaign, ...totals },
  },
  CampaignList: {
    request: { client_id: 1, status: 'active', limit: 50 },
    response: { campaigns: [{ ...storedCampaign, ...totals }], next_cursor: null },
  },
  CampaignStop: { request: { client_id: 1, campaign_id: campaign.campaign_id }, response: {} },
  CampaignPause: { request: { client_id: 1, campaign_id: campaign.campaign_id }, response: {} },
  CampaignResume: { request: { client_id: 1, campaign_id: campaign.campaign_id }, response: {} },
  CampaignLimits: {
    request: { client_id: 1, campaign_id: campaign.campaign_id, bonus_limit: 8000, bonus_limit_per_user: null },
    response: {
      ...storedCampaign,
      config: { ...config, bonus_limit: 8000, bonus_limit_per_user: null },
      limits_changed_at: '2027-01-02T18:30:00.000Z',
    },
  },
  Issue: { request: { client_id: 1, ...issue }, response: freeBet },
  IssueBatch: {
    request: { client_id: 1, items: [batchItem, { campaign_id: 'gone', player_id: 'player-9', currency: 'EUR' }] },
    response: {
      results: [
        { ...withoutGames, ...batchItem },
        { issue_id: null, error: { code: 630, error: 'campaign_not_found', message: 'There is no such campaign.' } },
      ],
    },
  },
  Cancel: { request: { issue_id: batchIssueId, client_id: 1 }, response: {} },
  CancelBatch: {
    request: { client_id: 1, issue_ids: [batchIssueId, unknownIssueId] },
    response: {
      results: [
        { issue_id: batchIssueId },
        {
          issue_id: unknownIssueId,
          error: { code: 610, error: 'free_bet_not_found', message: 'There is no such free bet.' },
        },
      ],
    },
  },
  FreeBetGet: { request: { client_id: 1, issue_id: issueId }, response: { ...usedFreeBet, bets: [bet] } },
  FreeBetList: {
    request: { client_id: 1, player_id: 'player-7' },
    response: { free_bets: [freeBet], next_cursor: null },
  },
  EventsList: {
    request: { client_id: 1, after: 7, limit: 100 },
    response: { events: [exampleEvent], last_sequence: 8 },
  },
  RoundsAvailable: {
    request: { ...round, player_id: 'player-7', game_id: 'lantern-skyline-ascent', currency: 'EUR' },
    response: { free_bets: [{ ...stake, remaining: 3, ...limits, expires_at: '2027-01-03T18:00:00.000Z' }] },
  },
  RoundsBet: {
    request: { ...round, bet_id: betId, ...play },
    response: { bet_id: betId, ...stake, remaining: 2, ...limits },
  },
  RoundsSettle: {
    request: { ...round, bet_id: betId, result: 'won', coefficient: '2.35' },
    response: { bet_id: betId, result: 'won', coefficient: '2.35', win_amount: '1.35', currency: 'EUR' },
  },
  RoundsRollback: { request: { ...round, bet_id: voidBetId }, response: {} },
  RoundsGet: {
    request: { ...round, bet_id: betId },
    response: { ...roundBet, status: 'won', coefficient: '2.35', win_amount: '1.35', settled_at: bet.settled_at },
  },
  RoundsOpen: {
    request: { ...round, placed_until: '2027-01-02T19:05:00.000Z', limit: 50 },
    response: { bets: [roundBet], next_cursor: null },
  },
  GameList: {
    request: { client_id: 1 },
    response: {
      providers: [
        {
          name: 'Lantern Quay',
          currencies: ['EUR', 'USD'],
          games: [
            {
              id: 'lantern-skyline-ascent',
              title: 'Skyline Ascent',
              category: 'CrashGames',
              promoTypes: ['FreeBet'],
              images: {
                landscape: 'games/lantern-skyline-ascent/landscape.svg',
                portrait: 'games/lantern-skyline-ascent/portrait.svg',
                square: 'games/lantern-skyline-ascent/square.svg',
              },
            },
          ],
        },
      ],
      image_assets: {
        base_url: 'https://cdn.example.com/assets',
        presets: {
          game: {
            landscape: picture,
            portrait: { width: '450', height: '800' },
            square: { width: '600', height: '600' },
          },
        },
      },
    },
  },
};

/** The forms of a request, the one of `examples` first. */
export const exampleForms: Partial<Record<keyof typeof examples, FormExample[]>> = {
  CampaignCreate: [
    { summary: 'Created', ...examples.CampaignCreate },
    {
      summary: 'Dry run',
      request: { ...examples.CampaignCreate.request, dry_run: true },
      response: {
        campaign_id: campaign.campaign_id,
        dry_run: true,
        max_exposure: [
          { currency: 'EUR', amount: '60000.00' },
          { currency: 'USD', amount: '72000.00' },
        ],
      },
    },
  ],
  Issue: [
    { summary: 'By campaign', ...examples.Issue },
    { summary: 'Direct', request: { client_id: 1, ...directIssue }, response: directFreeBet },
  ],
  RoundsBet: [
    { summary: 'Crash game', ...examples.RoundsBet },
    {
      summary: 'Fixed odds',
      request: { ...round, bet_id: lostBetId, ...play, coefficient: '2.10' },
      response: { bet_id: lostBetId, ...stake, remaining: 1, ...limits },
    },
  ],
  RoundsSettle: [
    { summary: 'Won', ...examples.RoundsSettle },
    {
      summary: 'Lost',
      request: { ...round, bet_id: lostBetId, result: 'lost' },
      response: { bet_id: lostBetId, result: 'lost', coefficient: null, win_amount: '0.00', currency: 'EUR' },
    },
  ],
};
