// Made from the contract by "node test/docs/write-tables.ts": change it there.

export const version = '0.2.0';
export const basePath = '/v3';
export const signatureHeader = 'x-request-sign';
export const timeHeader = 'x-request-time';
export const itemsOfPart = 5000;

/**
 * `caller` is absent for partners. The client adds the ID `makes` if it is missing: to the request, or to each item of the
 * list `each`. The response is a page of `list` with at most `most` items, and `has` these fields. An operation with
 * `once` is not repeated after an attempt that may have been carried out.
 */
export interface Operation {
  method: string;
  path: string;
  caller?: 'provider_id';
  makes?: string;
  each?: string;
  list?: string;
  most?: number;
  has: readonly string[];
  once?: true;
}

export const operations = {
  CampaignCreate: {
    method: 'campaigns.create',
    path: '/FreeBets/Campaign/Create',
    makes: 'campaign_id',
    has: ['campaign_id'],
  },
  CampaignGet: { method: 'campaigns.get', path: '/FreeBets/Campaign/Get', has: ['campaign_id', 'name'] },
  CampaignList: {
    method: 'campaigns.list',
    path: '/FreeBets/Campaign/List',
    list: 'campaigns',
    most: 200,
    has: ['campaigns', 'next_cursor'],
  },
  CampaignStop: { method: 'campaigns.stop', path: '/FreeBets/Campaign/Stop', has: [] },
  CampaignPause: { method: 'campaigns.pause', path: '/FreeBets/Campaign/Pause', has: [], once: true },
  CampaignResume: { method: 'campaigns.resume', path: '/FreeBets/Campaign/Resume', has: [], once: true },
  CampaignLimits: {
    method: 'campaigns.limits',
    path: '/FreeBets/Campaign/Limits',
    has: ['campaign_id', 'name'],
    once: true,
  },
  Issue: { method: 'freeBets.issue', path: '/FreeBets/Issue', makes: 'issue_id', has: ['issue_id', 'campaign_id'] },
  IssueBatch: {
    method: 'freeBets.issueBatch',
    path: '/FreeBets/Issue/Batch',
    makes: 'issue_id',
    each: 'items',
    has: ['results'],
  },
  Cancel: { method: 'freeBets.cancel', path: '/FreeBets/Cancel', has: [] },
  CancelBatch: { method: 'freeBets.cancelBatch', path: '/FreeBets/Cancel/Batch', each: 'issue_ids', has: ['results'] },
  FreeBetGet: { method: 'freeBets.get', path: '/FreeBets/Get', has: ['issue_id', 'campaign_id'] },
  FreeBetList: {
    method: 'freeBets.list',
    path: '/FreeBets/List',
    list: 'free_bets',
    most: 200,
    has: ['free_bets', 'next_cursor'],
  },
  JobCreate: { method: 'jobs.create', path: '/FreeBets/Jobs/Create', has: ['job_id', 'name'] },
  JobAdd: { method: 'jobs.add', path: '/FreeBets/Jobs/Add', has: ['job_id', 'part'] },
  JobStart: { method: 'jobs.start', path: '/FreeBets/Jobs/Start', has: ['job_id', 'name'] },
  JobGet: { method: 'jobs.get', path: '/FreeBets/Jobs/Get', has: ['job_id', 'name'] },
  JobList: { method: 'jobs.list', path: '/FreeBets/Jobs/List', list: 'jobs', most: 200, has: ['jobs', 'next_cursor'] },
  JobRefusals: {
    method: 'jobs.refusals',
    path: '/FreeBets/Jobs/Refusals',
    list: 'refusals',
    most: 1000,
    has: ['refusals', 'next_cursor'],
  },
  JobRetry: { method: 'jobs.retry', path: '/FreeBets/Jobs/Retry', has: ['job_id', 'name'] },
  JobStop: { method: 'jobs.stop', path: '/FreeBets/Jobs/Stop', has: [] },
  GameList: { method: 'games.list', path: '/Game/List', has: ['providers', 'image_assets'] },
  EventsList: { method: 'events.list', path: '/Events/List', has: ['events', 'last_sequence'] },
  RoundsAvailable: { method: 'rounds.available', path: '/Rounds/Available', caller: 'provider_id', has: ['free_bets'] },
  RoundsBet: { method: 'rounds.bet', path: '/Rounds/Bet', caller: 'provider_id', has: ['bet_id', 'issue_id'] },
  RoundsSettle: { method: 'rounds.settle', path: '/Rounds/Settle', caller: 'provider_id', has: ['bet_id', 'result'] },
  RoundsRollback: { method: 'rounds.rollback', path: '/Rounds/Rollback', caller: 'provider_id', has: [] },
  RoundsGet: { method: 'rounds.get', path: '/Rounds/Get', caller: 'provider_id', has: ['bet_id', 'status'] },
  RoundsOpen: {
    method: 'rounds.open',
    path: '/Rounds/Open',
    caller: 'provider_id',
    list: 'bets',
    most: 200,
    has: ['bets', 'next_cursor'],
  },
  SandboxClockGet: { method: 'sandbox.clockGet', path: '/Sandbox/Clock/Get', has: ['now', 'offset_s'] },
  SandboxClockSet: { method: 'sandbox.clockSet', path: '/Sandbox/Clock/Set', has: ['now', 'offset_s'] },
  SandboxRound: { method: 'sandbox.round', path: '/Sandbox/Round', has: ['issue_id', 'campaign_id'], once: true },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
