// One story told by all the examples: partner 1 sets up a weekend campaign and gives player-42 a free bet from it.

const issueId = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

const campaign = {
  campaign_id: 'weekend-2027',
  name: 'Weekend free bets',
  quantity: 3,
  valid_from: '2027-01-01T00:00:00.000Z',
  valid_until: '2027-02-01T00:00:00.000Z',
  games: ['lantern-skyline-ascent'],
  bet_amounts: [
    { currency: 'EUR', amount: '1.00' },
    { currency: 'USD', amount: '1.20' },
  ],
};

const config = {
  bonus_limit: 5000,
  bonus_limit_per_user: 2,
  min_coefficient: '1.20',
  max_coefficient: '5.00',
};

const storedCampaign = {
  ...campaign,
  duration_min: 1440,
  config,
  status: 'active',
  created_at: '2026-12-20T09:30:00.000Z',
  stopped_at: null,
};

const freeBet = {
  issue_id: issueId,
  campaign_id: 'weekend-2027',
  status: 'active',
  player_id: 'player-42',
  currency: 'EUR',
  bet_amount: '1.00',
  quantity: 3,
  remaining: 3,
  games: ['lantern-skyline-ascent'],
  config: { min_coefficient: '1.20', max_coefficient: '5.00' },
  valid_from: '2027-01-01T00:00:00.000Z',
  valid_until: '2027-02-01T00:00:00.000Z',
  expires_at: '2027-01-03T18:00:00.000Z',
  issued_at: '2027-01-02T18:00:00.000Z',
};

const issue = { issue_id: issueId, campaign_id: 'weekend-2027', player_id: 'player-42', currency: 'EUR' };

const betId = 'b0a7c1d4-52f6-4c0e-9d1b-3f6f2a9f8e11';
const round = { provider_id: 'lantern-quay', client_id: 1 };
const limits = { min_coefficient: '1.20', max_coefficient: '5.00' };

const bet = {
  bet_id: betId,
  game_id: 'lantern-skyline-ascent',
  status: 'won',
  coefficient: '2.35',
  win_amount: '1.35',
  placed_at: '2027-01-02T19:00:00.000Z',
  settled_at: '2027-01-02T19:00:12.000Z',
};

const usedFreeBet = { ...freeBet, status: 'in_use', remaining: 2 };

/** Also what a webhook carries. */
export const exampleEvent = {
  event_id: '01941f29-7c00-7a11-8000-6f6f2a9f8e11',
  sequence: 4711,
  type: 'freebet.settled',
  occurred_at: '2027-01-02T19:00:12.000Z',
  client_id: 1,
  data: { free_bet: usedFreeBet, bet },
};

const picture = { width: '800', height: '450' };

export const examples = {
  CampaignCreate: {
    request: { client_id: 1, ...campaign, duration_min: 1440, config },
    response: { campaign_id: 'weekend-2027' },
  },
  CampaignGet: {
    request: { client_id: 1, campaign_id: 'weekend-2027' },
    response: {
      ...storedCampaign,
      counts: { issued: 120, cancelled: 4, expired: 10, finished: 12, bets_placed: 60 },
      winnings: [
        { currency: 'EUR', amount: '31.40' },
        { currency: 'USD', amount: '0.00' },
      ],
      exposure: [
        { currency: 'EUR', amount: '1020.00' },
        { currency: 'USD', amount: '0.00' },
      ],
    },
  },
  CampaignList: {
    request: { client_id: 1, status: 'active', limit: 50 },
    response: { campaigns: [storedCampaign], next_cursor: null },
  },
  CampaignStop: { request: { client_id: 1, campaign_id: 'weekend-2027' }, response: {} },
  Issue: { request: { client_id: 1, ...issue }, response: freeBet },
  IssueBatch: {
    request: { client_id: 1, items: [issue, { campaign_id: 'gone', player_id: 'player-43', currency: 'EUR' }] },
    response: {
      results: [
        freeBet,
        { issue_id: null, error: { code: 630, error: 'campaign_not_found', message: 'There is no such campaign.' } },
      ],
    },
  },
  Cancel: { request: { issue_id: issueId, client_id: 1 }, response: {} },
  FreeBetGet: {
    request: { client_id: 1, issue_id: issueId },
    response: {
      ...usedFreeBet,
      bets: [bet],
    },
  },
  FreeBetList: {
    request: { client_id: 1, player_id: 'player-42' },
    response: { free_bets: [freeBet], next_cursor: null },
  },
  EventsList: {
    request: { client_id: 1, after: 4710, limit: 100 },
    response: { events: [exampleEvent], last_sequence: 4711 },
  },
  RoundsAvailable: {
    request: { ...round, player_id: 'player-42', game_id: 'lantern-skyline-ascent', currency: 'EUR' },
    response: {
      free_bets: [
        {
          issue_id: issueId,
          currency: 'EUR',
          amount: '1.00',
          remaining: 3,
          ...limits,
          expires_at: '2027-01-03T18:00:00.000Z',
        },
      ],
    },
  },
  RoundsBet: {
    request: { ...round, bet_id: betId, issue_id: issueId, player_id: 'player-42', game_id: 'lantern-skyline-ascent' },
    response: { bet_id: betId, issue_id: issueId, currency: 'EUR', amount: '1.00', remaining: 2, ...limits },
  },
  RoundsSettle: {
    request: { ...round, bet_id: betId, result: 'won', coefficient: '2.35' },
    response: { bet_id: betId, result: 'won', coefficient: '2.35', win_amount: '1.35', currency: 'EUR' },
  },
  RoundsRollback: { request: { ...round, bet_id: betId }, response: {} },
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
