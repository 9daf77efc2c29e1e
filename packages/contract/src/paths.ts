// What a caller needs at run time: where each operation is, who calls it, and the headers that carry the signature. It
// imports nothing, so that a client can have it without the schemas and the libraries they are made with.

/** The field of the body that names the caller. */
export type Caller = 'client_id' | 'provider_id';

export const paths = {
  CampaignCreate: { path: '/FreeBets/Campaign/Create', caller: 'client_id' },
  CampaignGet: { path: '/FreeBets/Campaign/Get', caller: 'client_id' },
  CampaignList: { path: '/FreeBets/Campaign/List', caller: 'client_id' },
  CampaignStop: { path: '/FreeBets/Campaign/Stop', caller: 'client_id' },
  CampaignPause: { path: '/FreeBets/Campaign/Pause', caller: 'client_id' },
  CampaignResume: { path: '/FreeBets/Campaign/Resume', caller: 'client_id' },
  CampaignLimits: { path: '/FreeBets/Campaign/Limits', caller: 'client_id' },
  Issue: { path: '/FreeBets/Issue', caller: 'client_id' },
  IssueBatch: { path: '/FreeBets/Issue/Batch', caller: 'client_id' },
  Cancel: { path: '/FreeBets/Cancel', caller: 'client_id' },
  CancelBatch: { path: '/FreeBets/Cancel/Batch', caller: 'client_id' },
  FreeBetGet: { path: '/FreeBets/Get', caller: 'client_id' },
  FreeBetList: { path: '/FreeBets/List', caller: 'client_id' },
  JobCreate: { path: '/FreeBets/Jobs/Create', caller: 'client_id' },
  JobAdd: { path: '/FreeBets/Jobs/Add', caller: 'client_id' },
  JobStart: { path: '/FreeBets/Jobs/Start', caller: 'client_id' },
  JobGet: { path: '/FreeBets/Jobs/Get', caller: 'client_id' },
  JobList: { path: '/FreeBets/Jobs/List', caller: 'client_id' },
  JobRefusals: { path: '/FreeBets/Jobs/Refusals', caller: 'client_id' },
  JobStop: { path: '/FreeBets/Jobs/Stop', caller: 'client_id' },
  GameList: { path: '/Game/List', caller: 'client_id' },
  EventsList: { path: '/Events/List', caller: 'client_id' },
  RoundsAvailable: { path: '/Rounds/Available', caller: 'provider_id' },
  RoundsBet: { path: '/Rounds/Bet', caller: 'provider_id' },
  RoundsSettle: { path: '/Rounds/Settle', caller: 'provider_id' },
  RoundsRollback: { path: '/Rounds/Rollback', caller: 'provider_id' },
  RoundsGet: { path: '/Rounds/Get', caller: 'provider_id' },
  RoundsOpen: { path: '/Rounds/Open', caller: 'provider_id' },
  SandboxClockGet: { path: '/Sandbox/Clock/Get', caller: 'client_id' },
  SandboxClockSet: { path: '/Sandbox/Clock/Set', caller: 'client_id' },
  SandboxRound: { path: '/Sandbox/Round', caller: 'client_id' },
} as const satisfies Record<string, { path: string; caller: Caller }>;

export type OperationName = keyof typeof paths;

/** The version stands in the path of every operation. */
export const basePath = '/v3';

/** As Node.js writes it; case does not matter on the wire. */
export const signatureHeader = 'x-request-sign';

/** Unix seconds. Where it is sent, the signature covers it and the path too. */
export const timeHeader = 'x-request-time';

/** What is signed before the body where the time is sent. No body begins like this, so neither signature passes for the other. */
export const timedPrefix = (time: string, path: string): string => `${time}\n${path}\n`;
