export type {
  Campaign as CampaignBody,
  CampaignCreateRequest,
  CampaignGetResponse,
  CampaignListRequest,
  CampaignStatus,
} from './campaigns.ts';
export * from './errors.ts';
export type {
  BetEventType,
  CampaignEventType,
  Event as EventBody,
  EventsListResponse,
  FreeBetEventType,
} from './events.ts';
export { betEventTypes, campaignEventTypes, Event, freeBetEventTypes } from './events.ts';
export { BetId, CampaignId, ClientId, Currency, IssueId, isTimestamp, Name, ProviderId } from './formats.ts';
export type {
  BetBody,
  FreeBet as FreeBetBody,
  FreeBetListRequest,
  FreeBetStatus,
  IssueBatchResponse,
  IssueRequest,
} from './free-bets.ts';
export { IssueItem } from './free-bets.ts';
export { GameListResponse } from './games.ts';
export { openApi } from './openapi.ts';
export * from './operations.ts';
export * from './paths.ts';
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
export * from './schema.ts';
export * from './signature.ts';
