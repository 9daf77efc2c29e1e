// The parts of the contract that clients need at run time: the path and roles of each operation, and the signature
// headers. Imports only types, so that the console's bundle contains neither schemas nor their libraries.

import type { Least } from './roles.ts';

/** The field of the body that identifies the caller. */
export type Caller = 'client_id' | 'provider_id';

export interface OperationPath {
  path: string;
  caller: Caller;
  /** The lowest roles that may call the operation from the console; null if the console does not offer it. */
  staff: Least | null;
  /** The operation changes something, so staff must give a reason. */
  changes: boolean;
}

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
} as const satisfies Record<string, OperationPath>;

export type OperationName = keyof typeof paths;

/** The prefix of all operations of partners and game providers: the version of the API. */
export const basePath = '/v3';

/** In lower case like Node's header names. HTTP header names are case-insensitive. */
export const signatureHeader = 'x-request-sign';

/** Unix seconds. If a request has this header, its signature also covers the time and the path. */
export const timeHeader = 'x-request-time';

/** Signed before the body if the time is sent. No body begins like this, so a signature is valid in only one form. */
export const timedPrefix = (time: string, path: string): string => `${time}\n${path}\n`;

export interface StaffOperationPath {
  /** Relative to `consolePath`. */
  path: string;
  /** The lowest roles that may call the operation. */
  staff: Least;
  /** The operation changes more than the caller's own account or session, so it requires a reason. */
  changes: boolean;
  /** Pages poll the operation even without user activity, so it does not extend the session. */
  isPolled?: true;
}

const anybody = 'anybody';
const viewer = ['viewer'] as const;
const manager = ['manager'] as const;
const admin = ['admin'] as const;
const reporting = ['manager', 'auditor'] as const;
const auditing = ['admin', 'auditor'] as const;

export const staffPaths = {
  SignIn: { path: '/Session/SignIn', staff: anybody, changes: false },
  SessionGet: { path: '/Session/Get', staff: viewer, changes: false },
  SessionList: { path: '/Session/List', staff: viewer, changes: false },
  SessionEnd: { path: '/Session/End', staff: viewer, changes: false },
  SignOut: { path: '/Session/SignOut', staff: viewer, changes: false },
  PasswordChange: { path: '/Account/Password', staff: viewer, changes: false },
  SecondFactorBegin: { path: '/Account/SecondFactor/Begin', staff: viewer, changes: false },
  SecondFactorConfirm: { path: '/Account/SecondFactor/Confirm', staff: viewer, changes: false },
  RecoveryCodes: { path: '/Account/RecoveryCodes', staff: viewer, changes: false },
  InvitationGet: { path: '/Invitation/Get', staff: anybody, changes: false },
  InvitationAccept: { path: '/Invitation/Accept', staff: anybody, changes: false },
  SsoBegin: { path: '/Session/Sso', staff: anybody, changes: false },

  StaffList: { path: '/Staff/List', staff: admin, changes: false },
  StaffGet: { path: '/Staff/Get', staff: admin, changes: false, isPolled: true },
  StaffInvite: { path: '/Staff/Invite', staff: admin, changes: true },
  StaffUpdate: { path: '/Staff/Update', staff: admin, changes: true },
  StaffDisable: { path: '/Staff/Disable', staff: admin, changes: true },
  StaffEnable: { path: '/Staff/Enable', staff: admin, changes: true },
  StaffResetSecondFactor: { path: '/Staff/SecondFactor/Reset', staff: admin, changes: true },
  StaffSessions: { path: '/Staff/Sessions', staff: admin, changes: false },
  StaffEndSessions: { path: '/Staff/Sessions/End', staff: admin, changes: true },
  StaffReview: { path: '/Staff/Review', staff: auditing, changes: false },

  PartnerList: { path: '/Partner/List', staff: viewer, changes: false },
  PartnerGet: { path: '/Partner/Get', staff: viewer, changes: false },
  PartnerCreate: { path: '/Partner/Create', staff: admin, changes: true },
  PartnerUpdate: { path: '/Partner/Update', staff: admin, changes: true },
  PartnerOffer: { path: '/Partner/Offer', staff: admin, changes: true },
  PartnerDisable: { path: '/Partner/Disable', staff: admin, changes: true },
  PartnerEnable: { path: '/Partner/Enable', staff: admin, changes: true },
  PartnerRotateSecret: { path: '/Partner/Secret/Rotate', staff: admin, changes: true },
  PartnerRetireSecret: { path: '/Partner/Secret/Retire', staff: admin, changes: true },

  ProviderList: { path: '/Provider/List', staff: viewer, changes: false },
  ProviderCreate: { path: '/Provider/Create', staff: admin, changes: true },
  ProviderUpdate: { path: '/Provider/Update', staff: admin, changes: true },
  ProviderDisable: { path: '/Provider/Disable', staff: admin, changes: true },
  ProviderEnable: { path: '/Provider/Enable', staff: admin, changes: true },
  ProviderRotateSecret: { path: '/Provider/Secret/Rotate', staff: admin, changes: true },
  ProviderRetireSecret: { path: '/Provider/Secret/Retire', staff: admin, changes: true },

  CatalogueGames: { path: '/Catalogue/Games', staff: viewer, changes: false },
  CatalogueExport: { path: '/Catalogue/Export', staff: viewer, changes: false },
  CatalogueDiff: { path: '/Catalogue/Diff', staff: admin, changes: false },
  CatalogueImport: { path: '/Catalogue/Import', staff: admin, changes: true },

  WebhookGet: { path: '/Webhook/Get', staff: viewer, changes: false },
  WebhookSet: { path: '/Webhook/Set', staff: admin, changes: true },
  WebhookOff: { path: '/Webhook/Off', staff: admin, changes: true },
  WebhookRemove: { path: '/Webhook/Remove', staff: admin, changes: true },
  DeliveryList: { path: '/Webhook/Deliveries', staff: viewer, changes: false },
  DeliveryResend: { path: '/Webhook/Resend', staff: admin, changes: true },

  DraftList: { path: '/Draft/List', staff: viewer, changes: false },
  DraftGet: { path: '/Draft/Get', staff: viewer, changes: false },
  DraftSave: { path: '/Draft/Save', staff: manager, changes: false },
  DraftCopy: { path: '/Draft/Copy', staff: manager, changes: false },
  DraftDiscard: { path: '/Draft/Discard', staff: manager, changes: false },
  DraftSubmit: { path: '/Draft/Submit', staff: manager, changes: true },
  DraftApprove: { path: '/Draft/Approve', staff: manager, changes: true },
  DraftRefuse: { path: '/Draft/Refuse', staff: manager, changes: true },
  DraftsWaiting: { path: '/Draft/Waiting', staff: viewer, changes: false, isPolled: true },

  ConfirmationList: { path: '/Confirmation/List', staff: admin, changes: false, isPolled: true },
  ConfirmationConfirm: { path: '/Confirmation/Confirm', staff: admin, changes: true },
  ConfirmationRefuse: { path: '/Confirmation/Refuse', staff: admin, changes: true },
  ConfirmationWithdraw: { path: '/Confirmation/Withdraw', staff: admin, changes: false },
  ConfirmationsWaiting: { path: '/Confirmation/Waiting', staff: admin, changes: false, isPolled: true },

  AuditList: { path: '/Audit/List', staff: auditing, changes: false },
  AuditExport: { path: '/Audit/Export', staff: auditing, changes: false },
  AuditVerify: { path: '/Audit/Verify', staff: auditing, changes: false },

  ActivityGet: { path: '/Activity/Get', staff: viewer, changes: false },
  ReportGet: { path: '/Report/Get', staff: reporting, changes: false },
  ReportExport: { path: '/Report/Export', staff: reporting, changes: false },

  SystemGet: { path: '/System/Get', staff: viewer, changes: false, isPolled: true },

  OverviewGet: { path: '/Overview/Get', staff: viewer, changes: false, isPolled: true },
  CampaignSearch: { path: '/Campaign/Search', staff: viewer, changes: false },
  EventSearch: { path: '/Events/Search', staff: viewer, changes: false },
  PlayerSearch: { path: '/Player/Search', staff: viewer, changes: false },
  PlayerGet: { path: '/Player/Get', staff: viewer, changes: false },
  FreeBetStories: { path: '/FreeBets/Stories', staff: viewer, changes: false },
  ClockPreview: { path: '/Sandbox/Clock/Preview', staff: viewer, changes: false },
} as const satisfies Record<string, StaffOperationPath>;

export type StaffOperationName = keyof typeof staffPaths;

/** The prefix of all operations that staff may call, their own and those of partners. */
export const consolePath = '/console/api';
