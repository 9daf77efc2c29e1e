// What a caller needs at run time: where each operation is, who calls it, and the headers that carry the signature. It
// imports no more than types, so that a client can have it without the schemas and the libraries they are made with.

import type { Least } from './roles.ts';

/** The field of the body that names the caller. */
export type Caller = 'client_id' | 'provider_id';

/**
 * `staff` has the least roles for which the console offers it, null for none. What `changes` something asks staff for the
 * reason.
 */
export const paths = {
  CampaignCreate: { path: '/FreeBets/Campaign/Create', caller: 'client_id', staff: ['manager'], changes: true },
  CampaignGet: { path: '/FreeBets/Campaign/Get', caller: 'client_id', staff: ['viewer'], changes: false },
  CampaignList: { path: '/FreeBets/Campaign/List', caller: 'client_id', staff: ['viewer'], changes: false },
  CampaignStop: { path: '/FreeBets/Campaign/Stop', caller: 'client_id', staff: ['manager'], changes: true },
  CampaignPause: { path: '/FreeBets/Campaign/Pause', caller: 'client_id', staff: ['manager'], changes: true },
  CampaignResume: { path: '/FreeBets/Campaign/Resume', caller: 'client_id', staff: ['manager'], changes: true },
  CampaignLimits: { path: '/FreeBets/Campaign/Limits', caller: 'client_id', staff: ['manager'], changes: true },
  Issue: { path: '/FreeBets/Issue', caller: 'client_id', staff: ['support'], changes: true },
  IssueBatch: { path: '/FreeBets/Issue/Batch', caller: 'client_id', staff: null, changes: true },
  Cancel: { path: '/FreeBets/Cancel', caller: 'client_id', staff: ['support'], changes: true },
  CancelBatch: { path: '/FreeBets/Cancel/Batch', caller: 'client_id', staff: ['manager'], changes: true },
  FreeBetGet: { path: '/FreeBets/Get', caller: 'client_id', staff: ['viewer'], changes: false },
  FreeBetList: { path: '/FreeBets/List', caller: 'client_id', staff: ['viewer'], changes: false },
  JobCreate: { path: '/FreeBets/Jobs/Create', caller: 'client_id', staff: ['manager'], changes: true },
  JobAdd: { path: '/FreeBets/Jobs/Add', caller: 'client_id', staff: ['manager'], changes: true },
  JobStart: { path: '/FreeBets/Jobs/Start', caller: 'client_id', staff: ['manager'], changes: true },
  JobGet: { path: '/FreeBets/Jobs/Get', caller: 'client_id', staff: ['viewer'], changes: false },
  JobList: { path: '/FreeBets/Jobs/List', caller: 'client_id', staff: ['viewer'], changes: false },
  JobRefusals: { path: '/FreeBets/Jobs/Refusals', caller: 'client_id', staff: ['viewer'], changes: false },
  JobRetry: { path: '/FreeBets/Jobs/Retry', caller: 'client_id', staff: ['manager'], changes: true },
  JobStop: { path: '/FreeBets/Jobs/Stop', caller: 'client_id', staff: ['manager'], changes: true },
  GameList: { path: '/Game/List', caller: 'client_id', staff: ['viewer'], changes: false },
  EventsList: { path: '/Events/List', caller: 'client_id', staff: ['viewer'], changes: false },
  RoundsAvailable: { path: '/Rounds/Available', caller: 'provider_id', staff: ['viewer'], changes: false },
  RoundsBet: { path: '/Rounds/Bet', caller: 'provider_id', staff: null, changes: true },
  RoundsSettle: { path: '/Rounds/Settle', caller: 'provider_id', staff: null, changes: true },
  RoundsRollback: { path: '/Rounds/Rollback', caller: 'provider_id', staff: null, changes: true },
  RoundsGet: { path: '/Rounds/Get', caller: 'provider_id', staff: ['viewer'], changes: false },
  RoundsOpen: { path: '/Rounds/Open', caller: 'provider_id', staff: ['viewer'], changes: false },
  SandboxClockGet: { path: '/Sandbox/Clock/Get', caller: 'client_id', staff: ['viewer'], changes: false },
  SandboxClockSet: { path: '/Sandbox/Clock/Set', caller: 'client_id', staff: ['support'], changes: true },
  SandboxRound: { path: '/Sandbox/Round', caller: 'client_id', staff: ['support'], changes: true },
} as const satisfies Record<string, { path: string; caller: Caller; staff: Least | null; changes: boolean }>;

export type OperationName = keyof typeof paths;

/** The version stands in the path of every operation. */
export const basePath = '/v3';

/** As Node.js writes it; case does not matter on the wire. */
export const signatureHeader = 'x-request-sign';

/** Unix seconds. Where it is sent, the signature covers it and the path too. */
export const timeHeader = 'x-request-time';

/** What is signed before the body where the time is sent. No body begins like this, so neither signature passes for the other. */
export const timedPrefix = (time: string, path: string): string => `${time}\n${path}\n`;
