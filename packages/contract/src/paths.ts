// What a caller needs at run time: where each operation is, who calls it, and the header that carries the signature. It
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
  GameList: { path: '/Game/List', caller: 'client_id' },
  EventsList: { path: '/Events/List', caller: 'client_id' },
  RoundsAvailable: { path: '/Rounds/Available', caller: 'provider_id' },
  RoundsBet: { path: '/Rounds/Bet', caller: 'provider_id' },
  RoundsSettle: { path: '/Rounds/Settle', caller: 'provider_id' },
  RoundsRollback: { path: '/Rounds/Rollback', caller: 'provider_id' },
  RoundsGet: { path: '/Rounds/Get', caller: 'provider_id' },
  RoundsOpen: { path: '/Rounds/Open', caller: 'provider_id' },
} as const satisfies Record<string, { path: string; caller: Caller }>;

export type OperationName = keyof typeof paths;

/** The version stands in the path of every operation. */
export const basePath = '/v3';

/** As Node.js writes it; case does not matter on the wire. */
export const signatureHeader = 'x-request-sign';
