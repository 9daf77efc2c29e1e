export type { AuditFilter, AuditRecord, AuditVerifyResponse } from './audit.ts';
export type {
  Campaign as CampaignBody,
  CampaignCreateRequest,
  CampaignGetResponse,
  CampaignListRequest,
  CampaignStatus,
} from './campaigns.ts';
export { collectionOf } from './collection.ts';
export { type Confirmation, type ConfirmedOperation, confirmedOperations } from './confirmations.ts';
export type {
  ApprovalReason,
  Difference as DraftDifference,
  Draft as DraftBody,
  DraftContents,
  DraftHistoryEntry,
  DraftKind,
  DraftState,
} from './drafts.ts';
export { DraftId, DraftTitle, draftContents, maxDraftBytes } from './drafts.ts';
export * from './errors.ts';
export type {
  BetEventType,
  CampaignEventType,
  Event as EventBody,
  EventsListResponse,
  FreeBetEventType,
  JobEventType,
  LiveChange,
  LiveEvent,
  LiveFigures,
  LiveMessages,
} from './events.ts';
export { betEventTypes, campaignEventTypes, Event, freeBetEventTypes, live } from './events.ts';
export {
  BetId,
  CampaignId,
  ClientId,
  Currency,
  ErrorBody,
  IssueId,
  ItemError,
  isTimestamp,
  JobId,
  Name,
  PlayerId,
  ProviderId,
  Reason,
  uuidPattern,
} from './formats.ts';
export type {
  BetBody,
  FreeBet as FreeBetBody,
  FreeBetListRequest,
  FreeBetStatus,
  IssueBatchResponse,
  IssueDirect,
  IssueRequest,
} from './free-bets.ts';
export { IssueItem, maxItemsOfBatch } from './free-bets.ts';
export { type CatalogueDiff as CatalogueDiffBody, GameListResponse } from './games.ts';
export type {
  Job as JobBody,
  JobAddRequest,
  JobCreateRequest,
  JobListRequest,
  JobRefusal,
  JobStartRequest,
  JobStatus,
} from './jobs.ts';
export { JobItem, maxItemsOfJob, maxItemsOfPart } from './jobs.ts';
export { openApi } from './openapi.ts';
export { commonErrors } from './operation-types.ts';
export * from './operations.ts';
export * from './paths.ts';
export type { Invitation, Member } from './people.ts';
export {
  Email,
  type Person,
  PersonName,
  StaffId,
} from './people.ts';
export type { SystemGetResponse } from './reports.ts';
export { type ActivityGetRequest, mostOfEach, type ReportExportRequest, type ReportGetRequest } from './reports.ts';
export * from './roles.ts';
export type {
  AvailableRequest,
  AvailableResponse,
  BetAnswer,
  BetRequest,
  RollbackRequest,
  RoundBet,
  SettleAnswer,
  SettleRequest,
} from './rounds.ts';
export type { SandboxClock as SandboxClockBody, SandboxRoundRequest } from './sandbox.ts';
export * from './schema.ts';
export * from './signature.ts';
