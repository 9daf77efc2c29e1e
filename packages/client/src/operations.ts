// Made from the contract by "node test/docs/write-tables.ts": change it there.

export const basePath = '/v3';
export const signatureHeader = 'x-request-sign';
export const timeHeader = 'x-request-time';
export const itemsOfPart = 5000;

/**
 * `makes` is the id that is made where there is none, for each item of the list `each` where there is one; of the list `list`
 * an answer is one page of `most`; an answer `has` these fields among others, or none at all; what is sent `once` is not
 * repeated after an attempt that may have been carried out.
 */
export interface Operation {
  method: string;
  path: string;
  caller: 'client_id' | 'provider_id';
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
    caller: 'client_id',
    makes: 'campaign_id',
    has: ['campaign_id'],
  },
  CampaignGet: {
    method: 'campaigns.get',
    path: '/FreeBets/Campaign/Get',
    caller: 'client_id',
    has: ['campaign_id', 'name'],
  },
  CampaignList: {
    method: 'campaigns.list',
    path: '/FreeBets/Campaign/List',
    caller: 'client_id',
    list: 'campaigns',
    most: 200,
    has: ['campaigns', 'next_cursor'],
  },
  CampaignStop: { method: 'campaigns.stop', path: '/FreeBets/Campaign/Stop', caller: 'client_id', has: [] },
  CampaignPause: {
    method: 'campaigns.pause',
    path: '/FreeBets/Campaign/Pause',
    caller: 'client_id',
    has: [],
    once: true,
  },
  CampaignResume: {
    method: 'campaigns.resume',
    path: '/FreeBets/Campaign/Resume',
    caller: 'client_id',
    has: [],
    once: true,
  },
  CampaignLimits: {
    method: 'campaigns.limits',
    path: '/FreeBets/Campaign/Limits',
    caller: 'client_id',
    has: ['campaign_id', 'name'],
    once: true,
  },
  Issue: {
    method: 'freeBets.issue',
    path: '/FreeBets/Issue',
    caller: 'client_id',
    makes: 'issue_id',
    has: ['issue_id', 'campaign_id'],
  },
  IssueBatch: {
    method: 'freeBets.issueBatch',
    path: '/FreeBets/Issue/Batch',
    caller: 'client_id',
    makes: 'issue_id',
    each: 'items',
    has: ['results'],
  },
  Cancel: { method: 'freeBets.cancel', path: '/FreeBets/Cancel', caller: 'client_id', has: [] },
  CancelBatch: {
    method: 'freeBets.cancelBatch',
    path: '/FreeBets/Cancel/Batch',
    caller: 'client_id',
    has: ['results'],
  },
  FreeBetGet: { method: 'freeBets.get', path: '/FreeBets/Get', caller: 'client_id', has: ['issue_id', 'campaign_id'] },
  FreeBetList: {
    method: 'freeBets.list',
    path: '/FreeBets/List',
    caller: 'client_id',
    list: 'free_bets',
    most: 200,
    has: ['free_bets', 'next_cursor'],
  },
  JobCreate: { method: 'jobs.create', path: '/FreeBets/Jobs/Create', caller: 'client_id', has: ['job_id', 'name'] },
  JobAdd: { method: 'jobs.add', path: '/FreeBets/Jobs/Add', caller: 'client_id', has: ['job_id', 'part'] },
  JobStart: { method: 'jobs.start', path: '/FreeBets/Jobs/Start', caller: 'client_id', has: ['job_id', 'name'] },
  JobGet: { method: 'jobs.get', path: '/FreeBets/Jobs/Get', caller: 'client_id', has: ['job_id', 'name'] },
  JobList: {
    method: 'jobs.list',
    path: '/FreeBets/Jobs/List',
    caller: 'client_id',
    list: 'jobs',
    most: 200,
    has: ['jobs', 'next_cursor'],
  },
  JobRefusals: {
    method: 'jobs.refusals',
    path: '/FreeBets/Jobs/Refusals',
    caller: 'client_id',
    list: 'refusals',
    most: 1000,
    has: ['refusals', 'next_cursor'],
  },
  JobStop: { method: 'jobs.stop', path: '/FreeBets/Jobs/Stop', caller: 'client_id', has: [] },
  GameList: { method: 'games.list', path: '/Game/List', caller: 'client_id', has: ['providers', 'image_assets'] },
  EventsList: { method: 'events.list', path: '/Events/List', caller: 'client_id', has: ['events', 'last_sequence'] },
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
  SandboxClockGet: {
    method: 'sandbox.clockGet',
    path: '/Sandbox/Clock/Get',
    caller: 'client_id',
    has: ['now', 'offset_s'],
  },
  SandboxClockSet: {
    method: 'sandbox.clockSet',
    path: '/Sandbox/Clock/Set',
    caller: 'client_id',
    has: ['now', 'offset_s'],
  },
  SandboxRound: {
    method: 'sandbox.round',
    path: '/Sandbox/Round',
    caller: 'client_id',
    has: ['issue_id', 'campaign_id'],
    once: true,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
