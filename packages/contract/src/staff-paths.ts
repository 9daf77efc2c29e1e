import type { Least } from './roles.ts';

// Where the operations of the staff are, below the path of the console, and the least roles that may call them. What
// `changes` something asks for the reason. What people do to their own account or session does not. What `isPolled` a page calls again
// and again, whether anybody sits before it or not: it is no use of the session, which ends without any.

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
} as const satisfies Record<string, { path: string; staff: Least; changes: boolean; isPolled?: true }>;

export type StaffOperationName = keyof typeof staffPaths;

/** Below it stand all operations that staff may call, their own and those of partners. */
export const consolePath = '/console/api';
