import {
  batchIssueId,
  batchItem,
  bet,
  betId,
  campaign,
  config,
  directFreeBet,
  directIssue,
  directIssueId,
  directJob,
  exampleEvent,
  finishedJob,
  freeBet,
  issue,
  issueId,
  jobId,
  limits,
  lostBetId,
  newJob,
  notStarted,
  openJob,
  picture,
  play,
  round,
  roundBet,
  sandboxBet,
  sandboxClock,
  stake,
  startedJob,
  storedCampaign,
  totals,
  unknownIssueId,
  usedFreeBet,
  voidBetId,
  withoutGames,
} from './example-things.ts';

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
  JobCreate: { request: { client_id: 1, ...newJob }, response: openJob },
  JobAdd: {
    request: {
      client_id: 1,
      job_id: jobId,
      part: 1,
      items: [
        { player_id: 'player-10', currency: 'EUR' },
        { player_id: 'player-11', currency: 'GBP' },
      ],
    },
    response: { job_id: jobId, part: 1, items: 2 },
  },
  JobStart: { request: { client_id: 1, job_id: jobId, parts: 1, items: 2 }, response: startedJob },
  JobGet: { request: { client_id: 1, job_id: jobId }, response: finishedJob },
  JobList: {
    request: { client_id: 1, status: 'finished', limit: 50 },
    response: { jobs: [finishedJob], next_cursor: null },
  },
  JobRefusals: {
    request: { client_id: 1, job_id: jobId },
    response: {
      refusals: [
        {
          part: 1,
          item: 1,
          player_id: 'player-11',
          currency: 'GBP',
          issue_id: '5d0e6f3a-92b1-8c47-a1d8-33f0c6f1b7a4',
          error: {
            code: 154,
            error: 'currency_not_allowed',
            message: 'The currency is not available here.',
            details: [{ field: 'currency', reason: 'is not a currency of the campaign' }],
          },
        },
      ],
      next_cursor: null,
    },
  },
  JobRetry: { request: { client_id: 1, job_id: jobId }, response: startedJob },
  JobStop: { request: { client_id: 1, job_id: jobId }, response: {} },
  EventsList: {
    request: { client_id: 1, after: 7, after_event_id: '01941f29-7b9c-7c3d-9f21-3a5b0c7d9e42', limit: 100 },
    response: { events: [exampleEvent], last_sequence: 8, oldest_sequence: 1 },
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
  SandboxClockGet: { request: { client_id: 1 }, response: sandboxClock },
  SandboxClockSet: { request: { client_id: 1, now: sandboxClock.now }, response: sandboxClock },
  SandboxRound: {
    request: { client_id: 1, issue_id: directIssueId, result: 'won', coefficient: '2.00' },
    response: { ...directFreeBet, status: 'finished', remaining: 0, bets: [sandboxBet] },
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
  JobCreate: [
    { summary: 'By campaign', ...examples.JobCreate },
    {
      summary: 'Direct',
      request: { client_id: 1, ...directJob, start_at: '2027-01-03T09:00:00Z' },
      response: {
        ...directJob,
        valid_from: null,
        duration_min: null,
        config: { min_coefficient: null, max_coefficient: null },
        status: 'open',
        ...notStarted,
        start_at: '2027-01-03T09:00:00.000Z',
      },
    },
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
