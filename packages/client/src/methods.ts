// Made from the contract by "node test/docs/write-tables.ts": change it there.

import type {
  CampaignCreateResponse,
  CampaignListResponse,
  CancelBatchResponse,
  CancelResponse,
  EventsListResponse,
  FreeBetListResponse,
  GameListResponse,
  IssueBatchResponse,
  IssueResponse,
  JobAddResponse,
  JobListResponse,
  JobRefusalsResponse,
  RoundsAvailableResponse,
  RoundsBetResponse,
  RoundsOpenResponse,
  RoundsSettleResponse,
  SandboxClockGetResponse,
  SandboxClockSetResponse,
} from './answers.ts';
import type { CallOptions } from './caller.ts';
import type { List } from './lists.ts';
import type {
  CampaignCreateRequest,
  CampaignGetRequest,
  CampaignLimitsRequest,
  CampaignListRequest,
  CampaignPauseRequest,
  CampaignResumeRequest,
  CampaignStopRequest,
  CancelBatchRequest,
  CancelRequest,
  EventsListRequest,
  FreeBetGetRequest,
  FreeBetListRequest,
  GameListRequest,
  IssueBatchRequest,
  IssueRequest,
  JobAddRequest,
  JobCreateRequest,
  JobGetRequest,
  JobListRequest,
  JobRefusalsRequest,
  JobRetryRequest,
  JobStartRequest,
  JobStopRequest,
  RoundsAvailableRequest,
  RoundsBetRequest,
  RoundsGetRequest,
  RoundsOpenRequest,
  RoundsRollbackRequest,
  RoundsSettleRequest,
  SandboxClockGetRequest,
  SandboxClockSetRequest,
  SandboxRoundRequest,
} from './requests.ts';
import type { Campaign, CampaignWithCounts, FreeBet, FreeBetWithBets, Job, JobRefusal, RoundBet } from './things.ts';

/** A method for each operation of a partner. */
export interface PartnerMethods {
  campaigns: {
    /**
     * Create a campaign: `/FreeBets/Campaign/Create`. Creates a reusable template for free bets. With a
     * `campaign_id` of your own the call can be repeated safely; without one the service makes one. With
     * `dry_run` nothing is created, and the answer also tells the most that the campaign could ever win.
     */
    create(request: CampaignCreateRequest, options?: CallOptions): Promise<CampaignCreateResponse>;
    /**
     * Read a campaign: `/FreeBets/Campaign/Get`. The campaign as created, its status, and what has become of its
     * free bets.
     */
    get(request: CampaignGetRequest, options?: CallOptions): Promise<CampaignWithCounts>;
    /**
     * List campaigns: `/FreeBets/Campaign/List`. Newest first. A page may hold fewer than `limit`, even none,
     * and still have a `next_cursor`: go on until it is null.
     */
    list(request?: CampaignListRequest, options?: CallOptions): List<CampaignListResponse, CampaignWithCounts>;
    /**
     * Stop a campaign: `/FreeBets/Campaign/Stop`. No more issues from this campaign, for good. Free bets already
     * issued live on.
     */
    stop(request: CampaignStopRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Pause a campaign: `/FreeBets/Campaign/Pause`. No more issues from this campaign until it is resumed. Free
     * bets already issued live on. A campaign that was stopped or has ended stays as it is.
     */
    pause(request: CampaignPauseRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Resume a campaign: `/FreeBets/Campaign/Resume`. Issues from a paused campaign again. A campaign that was
     * stopped or has ended stays as it is.
     */
    resume(request: CampaignResumeRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Change the limits of a campaign: `/FreeBets/Campaign/Limits`. Both limits as they hold from then on. Lower
     * than what was given is allowed: nothing is taken back, and nothing more is given.
     */
    limits(request: CampaignLimitsRequest, options?: CallOptions): Promise<Campaign>;
  };
  freeBets: {
    /**
     * Issue a free bet: `/FreeBets/Issue`. By campaign (`campaign_id`), or directly with every parameter in the
     * request. Send an `issue_id` of your own, and a repeated request gives the first answer again instead of a
     * second free bet. With `dry_run` nothing is issued.
     */
    issue(request: IssueRequest, options?: CallOptions): Promise<IssueResponse>;
    /**
     * Issue many free bets: `/FreeBets/Issue/Batch`. Up to 1000 issue requests in one call. Each succeeds or
     * fails by itself, with the errors of Issue. With `dry_run` they are decided one after the other, and
     * nothing is issued.
     */
    issueBatch(request: IssueBatchRequest, options?: CallOptions): Promise<IssueBatchResponse>;
    /**
     * Cancel an unused free bet: `/FreeBets/Cancel`. Only a free bet that no bet stands against can be
     * cancelled. Its place in the limits is free again. With `dry_run` nothing is cancelled.
     */
    cancel(request: CancelRequest, options?: CallOptions): Promise<CancelResponse>;
    /**
     * Cancel many free bets: `/FreeBets/Cancel/Batch`. Up to 1000 in one call. Each is cancelled or refused by
     * itself, with the errors of Cancel.
     */
    cancelBatch(request: CancelBatchRequest, options?: CallOptions): Promise<CancelBatchResponse>;
    /**
     * Read a free bet: `/FreeBets/Get`. The free bet as it is now, with its bets.
     */
    get(request: FreeBetGetRequest, options?: CallOptions): Promise<FreeBetWithBets>;
    /**
     * List free bets: `/FreeBets/List`. Newest first. A page may hold fewer than `limit`, even none, and still
     * have a `next_cursor`: go on until it is null.
     */
    list(request?: FreeBetListRequest, options?: CallOptions): List<FreeBetListResponse, FreeBet>;
  };
  jobs: {
    /**
     * Create a job: `/FreeBets/Jobs/Create`. A list of players who are all to get a free bet: from a campaign
     * (`campaign_id`), or directly, with the parameters they share. Its players are added in parts, and nothing
     * is issued before it is started. A job that is left open for seven days is removed.
     */
    create(request: JobCreateRequest, options?: CallOptions): Promise<Job>;
    /**
     * Add a part to a job: `/FreeBets/Jobs/Add`. Up to 5000 items a part, 10 000 parts and 10 000 000 items a
     * job. A part sent again with the same items gives the same answer; with other items it is refused.
     */
    add(request: JobAddRequest, options?: CallOptions): Promise<JobAddResponse>;
    /**
     * Start a job: `/FreeBets/Jobs/Start`. Issues in the background from now on, or from `start_at`. Say how
     * many parts and items you sent, so that nothing that went missing on the way stays unnoticed. Two jobs of
     * yours run one after the other, in the order of their start.
     */
    start(request: JobStartRequest, options?: CallOptions): Promise<Job>;
    /**
     * Read a job: `/FreeBets/Jobs/Get`. The job and its progress.
     */
    get(request: JobGetRequest, options?: CallOptions): Promise<Job>;
    /**
     * List jobs: `/FreeBets/Jobs/List`. Newest first. A page may hold fewer than `limit`, even none, and still
     * have a `next_cursor`: go on until it is null.
     */
    list(request?: JobListRequest, options?: CallOptions): List<JobListResponse, Job>;
    /**
     * Read which items were refused: `/FreeBets/Jobs/Refusals`. Every item of the job that was refused so far,
     * with the error that an issue would have got. A page may hold fewer than `limit` and still have a
     * `next_cursor`: go on until it is null. While the job runs, that means that there are no more so far: wait
     * until it is finished or stopped.
     */
    refusals(request: JobRefusalsRequest, options?: CallOptions): List<JobRefusalsResponse, JobRefusal>;
    /**
     * Retry a failed job: `/FreeBets/Jobs/Retry`. Continues a failed job with the item that it failed at; free
     * bets issued before stay counted. Returns the job. A job that has not failed is returned unchanged, so the
     * call can be repeated safely.
     */
    retry(request: JobRetryRequest, options?: CallOptions): Promise<Job>;
    /**
     * Stop a job: `/FreeBets/Jobs/Stop`. Items that are not issued yet never will be. Free bets already issued
     * stay valid. A failed job can be stopped too.
     */
    stop(request: JobStopRequest, options?: CallOptions): Promise<Record<string, never>>;
  };
  games: {
    /**
     * List the games: `/Game/List`. The games offered to this partner. Compressed when you accept it; send the
     * `ETag` back as `If-None-Match` and an unchanged list is answered with 304 and no body.
     */
    list(request?: GameListRequest, options?: CallOptions): Promise<GameListResponse>;
  };
  events: {
    /**
     * Read what has happened: `/Events/List`. The events of this partner in their order, none skipped. Your
     * cursor is the `sequence` and the `event_id` of the last event that you processed: send both as `after` and
     * `after_event_id`. An empty page means that there are no more events yet. Events are kept for a number of
     * days, 90 by default. The newest event is always kept.
     */
    list(request?: EventsListRequest, options?: CallOptions): Promise<EventsListResponse>;
  };
  sandbox: {
    /**
     * Read the clock of a sandbox: `/Sandbox/Clock/Get`. What time it is for this partner, and by how much that
     * is later than in the world.
     */
    clockGet(request?: SandboxClockGetRequest, options?: CallOptions): Promise<SandboxClockGetResponse>;
    /**
     * Set the clock of a sandbox: `/Sandbox/Clock/Set`. Forward only, by at most two years at a time, and never
     * past 2100. From then on the clock runs on from there. Whatever time decides for this partner follows at
     * once, and what has expired on the way is told within two seconds, in its order.
     */
    clockSet(request: SandboxClockSetRequest, options?: CallOptions): Promise<SandboxClockSetResponse>;
    /**
     * Play a round: `/Sandbox/Round`. One round of the provider of the game, as `/Rounds/Bet` and then
     * `/Rounds/Settle` or `/Rounds/Rollback` would do it, in the first game of the free bet unless another is
     * named. The `coefficient` of a win comes at the end of the round, as in a crash game. Every call plays a
     * round of its own: a repeated one plays another.
     */
    round(request: SandboxRoundRequest, options?: CallOptions): Promise<FreeBetWithBets>;
  };
}

/** What each is asked and answers, by the name of the operation. */
export interface PartnerCalls {
  CampaignCreate: [request: CampaignCreateRequest, response: CampaignCreateResponse];
  CampaignGet: [request: CampaignGetRequest, response: CampaignWithCounts];
  CampaignList: [request: CampaignListRequest, response: CampaignListResponse];
  CampaignStop: [request: CampaignStopRequest, response: Record<string, never>];
  CampaignPause: [request: CampaignPauseRequest, response: Record<string, never>];
  CampaignResume: [request: CampaignResumeRequest, response: Record<string, never>];
  CampaignLimits: [request: CampaignLimitsRequest, response: Campaign];
  Issue: [request: IssueRequest, response: IssueResponse];
  IssueBatch: [request: IssueBatchRequest, response: IssueBatchResponse];
  Cancel: [request: CancelRequest, response: CancelResponse];
  CancelBatch: [request: CancelBatchRequest, response: CancelBatchResponse];
  FreeBetGet: [request: FreeBetGetRequest, response: FreeBetWithBets];
  FreeBetList: [request: FreeBetListRequest, response: FreeBetListResponse];
  JobCreate: [request: JobCreateRequest, response: Job];
  JobAdd: [request: JobAddRequest, response: JobAddResponse];
  JobStart: [request: JobStartRequest, response: Job];
  JobGet: [request: JobGetRequest, response: Job];
  JobList: [request: JobListRequest, response: JobListResponse];
  JobRefusals: [request: JobRefusalsRequest, response: JobRefusalsResponse];
  JobRetry: [request: JobRetryRequest, response: Job];
  JobStop: [request: JobStopRequest, response: Record<string, never>];
  GameList: [request: GameListRequest, response: GameListResponse];
  EventsList: [request: EventsListRequest, response: EventsListResponse];
  SandboxClockGet: [request: SandboxClockGetRequest, response: SandboxClockGetResponse];
  SandboxClockSet: [request: SandboxClockSetRequest, response: SandboxClockSetResponse];
  SandboxRound: [request: SandboxRoundRequest, response: FreeBetWithBets];
}

/** A method for each operation of a provider. */
export interface ProviderMethods {
  rounds: {
    /**
     * Find the free bets a player can use: `/Rounds/Available`. The free bets of a player that can be used in
     * this game now, the soonest to expire first.
     */
    available(request: RoundsAvailableRequest, options?: CallOptions): Promise<RoundsAvailableResponse>;
    /**
     * Place a bet with a free bet: `/Rounds/Bet`. Uses one bet of a free bet. With fixed odds the `coefficient`
     * comes here and must lie within the limits; in a crash game it comes with the settlement.
     */
    bet(request: RoundsBetRequest, options?: CallOptions): Promise<RoundsBetResponse>;
    /**
     * Settle a bet: `/Rounds/Settle`. Won or lost, once and for all. A bet placed with odds is won at these
     * odds. Without, the `coefficient` given here must reach the minimum, and above the maximum the maximum is
     * applied. The stake of a free bet is not returned, unless the partner is set up so.
     */
    settle(request: RoundsSettleRequest, options?: CallOptions): Promise<RoundsSettleResponse>;
    /**
     * Take a bet back: `/Rounds/Rollback`. The bet never happened, and its free bet can be used again while it
     * lasts. A bet that is not known yet is refused when it arrives later.
     */
    rollback(request: RoundsRollbackRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Read a bet: `/Rounds/Get`. What has become of a bet of yours. Of a bet that was rolled back before it came
     * only that is known, and the rest is null.
     */
    get(request: RoundsGetRequest, options?: CallOptions): Promise<RoundBet>;
    /**
     * List the open bets: `/Rounds/Open`. Your bets with the free bets of this partner that are placed and
     * neither settled nor rolled back, the oldest first. Go on with `next_cursor` until it is null.
     */
    open(request: RoundsOpenRequest, options?: CallOptions): List<RoundsOpenResponse, RoundBet>;
  };
}

/** What each is asked and answers, by the name of the operation. */
export interface ProviderCalls {
  RoundsAvailable: [request: RoundsAvailableRequest, response: RoundsAvailableResponse];
  RoundsBet: [request: RoundsBetRequest, response: RoundsBetResponse];
  RoundsSettle: [request: RoundsSettleRequest, response: RoundsSettleResponse];
  RoundsRollback: [request: RoundsRollbackRequest, response: Record<string, never>];
  RoundsGet: [request: RoundsGetRequest, response: RoundBet];
  RoundsOpen: [request: RoundsOpenRequest, response: RoundsOpenResponse];
}
