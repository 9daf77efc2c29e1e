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
     * Create a campaign: `/FreeBets/Campaign/Create`. Creates a reusable template for free bets. If you send
     * your own `campaign_id`, you can repeat the call safely; otherwise the service creates one. With `dry_run`
     * nothing is created, and the response also has the maximum liability of the campaign.
     */
    create(request: CampaignCreateRequest, options?: CallOptions): Promise<CampaignCreateResponse>;
    /**
     * Read a campaign: `/FreeBets/Campaign/Get`. Returns the campaign as created, its status, and the counts of
     * its free bets.
     */
    get(request: CampaignGetRequest, options?: CallOptions): Promise<CampaignWithCounts>;
    /**
     * List campaigns: `/FreeBets/Campaign/List`. Returns the newest first. A page may have fewer items than
     * `limit`, or none, and still have a `next_cursor`: continue until it is null.
     */
    list(request?: CampaignListRequest, options?: CallOptions): List<CampaignListResponse, CampaignWithCounts>;
    /**
     * Stop a campaign: `/FreeBets/Campaign/Stop`. Stops issuing from this campaign for good. Free bets already
     * issued stay valid.
     */
    stop(request: CampaignStopRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Pause a campaign: `/FreeBets/Campaign/Pause`. Stops issuing from this campaign until it is resumed. Free
     * bets already issued stay valid. A campaign that was stopped or has ended doesn't change.
     */
    pause(request: CampaignPauseRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Resume a campaign: `/FreeBets/Campaign/Resume`. Allows issuing from a paused campaign again. A campaign
     * that was stopped or has ended doesn't change.
     */
    resume(request: CampaignResumeRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Change the limits of a campaign: `/FreeBets/Campaign/Limits`. Sets both limits. A limit may be below the
     * number already issued: free bets already issued stay valid, and no more are issued.
     */
    limits(request: CampaignLimitsRequest, options?: CallOptions): Promise<Campaign>;
  };
  freeBets: {
    /**
     * Issue a free bet: `/FreeBets/Issue`. Issues from a campaign (`campaign_id`), or directly with all
     * parameters in the request. If you send your own `issue_id`, a repeated request returns the first response
     * again instead of issuing a second free bet. With `dry_run` nothing is issued.
     */
    issue(request: IssueRequest, options?: CallOptions): Promise<IssueResponse>;
    /**
     * Issue many free bets: `/FreeBets/Issue/Batch`. Takes up to 1,000 issue requests. Each succeeds or fails on
     * its own, with the errors of Issue. With `dry_run` they are decided one after the other, and nothing is
     * issued.
     */
    issueBatch(request: IssueBatchRequest, options?: CallOptions): Promise<IssueBatchResponse>;
    /**
     * Cancel an unused free bet: `/FreeBets/Cancel`. Cancels a free bet that has no bets, apart from bets that
     * were rolled back. It no longer counts towards the campaign cap and the per-player cap. With `dry_run`
     * nothing is cancelled.
     */
    cancel(request: CancelRequest, options?: CallOptions): Promise<CancelResponse>;
    /**
     * Cancel many free bets: `/FreeBets/Cancel/Batch`. Takes up to 1,000 ids. Each free bet is cancelled or
     * refused on its own, with the errors of Cancel.
     */
    cancelBatch(request: CancelBatchRequest, options?: CallOptions): Promise<CancelBatchResponse>;
    /**
     * Read a free bet: `/FreeBets/Get`. Returns the current state of the free bet, with its bets.
     */
    get(request: FreeBetGetRequest, options?: CallOptions): Promise<FreeBetWithBets>;
    /**
     * List free bets: `/FreeBets/List`. Returns the newest first. A page may have fewer items than `limit`, or
     * none, and still have a `next_cursor`: continue until it is null.
     */
    list(request?: FreeBetListRequest, options?: CallOptions): List<FreeBetListResponse, FreeBet>;
  };
  jobs: {
    /**
     * Create a job: `/FreeBets/Jobs/Create`. Creates a job that issues a free bet to each player of a list: from
     * a campaign (`campaign_id`), or directly with shared parameters. Add the players in parts, then start the
     * job. Nothing is issued before that. A job that stays open for seven days is removed.
     */
    create(request: JobCreateRequest, options?: CallOptions): Promise<Job>;
    /**
     * Add a part to a job: `/FreeBets/Jobs/Add`. Takes up to 5,000 items per part, and 10,000 parts and
     * 10,000,000 items per job. If you send a part again with the same items, it returns the same response; with
     * other items it is refused.
     */
    add(request: JobAddRequest, options?: CallOptions): Promise<JobAddResponse>;
    /**
     * Start a job: `/FreeBets/Jobs/Start`. Issues in the background from now on, or from `start_at`. Send the
     * numbers of parts and items that you added, so that the service notices lost parts. Your jobs run one after
     * the other, in the order in which they were started.
     */
    start(request: JobStartRequest, options?: CallOptions): Promise<Job>;
    /**
     * Read a job: `/FreeBets/Jobs/Get`. Returns the job and its progress.
     */
    get(request: JobGetRequest, options?: CallOptions): Promise<Job>;
    /**
     * List jobs: `/FreeBets/Jobs/List`. Returns the newest first. A page may have fewer items than `limit`, or
     * none, and still have a `next_cursor`: continue until it is null.
     */
    list(request?: JobListRequest, options?: CallOptions): List<JobListResponse, Job>;
    /**
     * List the refused items: `/FreeBets/Jobs/Refusals`. Returns every item that was refused so far, with the
     * error that Issue would have returned. A page may have fewer items than `limit` and still have a
     * `next_cursor`: continue until it is null. While the job runs, null means that there are no more refused
     * items yet.
     */
    refusals(request: JobRefusalsRequest, options?: CallOptions): List<JobRefusalsResponse, JobRefusal>;
    /**
     * Retry a failed job: `/FreeBets/Jobs/Retry`. Continues a failed job with the item that it failed at; free
     * bets issued before stay counted. Returns the job. A job that has not failed is returned unchanged, so the
     * call can be repeated safely.
     */
    retry(request: JobRetryRequest, options?: CallOptions): Promise<Job>;
    /**
     * Stop a job: `/FreeBets/Jobs/Stop`. Stops the job for good: the remaining items are never issued. Free bets
     * already issued stay valid. A failed job can be stopped too.
     */
    stop(request: JobStopRequest, options?: CallOptions): Promise<Record<string, never>>;
  };
  games: {
    /**
     * List the games: `/Game/List`. Returns the games offered to this partner. The response is compressed if you
     * accept that, and has an `ETag`.
     */
    list(request?: GameListRequest, options?: CallOptions): Promise<GameListResponse>;
  };
  events: {
    /**
     * Read events: `/Events/List`. Returns the events of the partner in order, without gaps. Your cursor is the
     * `sequence` and the `event_id` of the last event that you processed: send them as `after` and
     * `after_event_id`. An empty page means that there are no more events yet. Events are kept for a number of
     * days, 90 by default. The newest event is always kept.
     */
    list(request?: EventsListRequest, options?: CallOptions): Promise<EventsListResponse>;
  };
  sandbox: {
    /**
     * Read the clock of a sandbox: `/Sandbox/Clock/Get`. Returns the time of this partner, and how far it is
     * ahead of the real time.
     */
    clockGet(request?: SandboxClockGetRequest, options?: CallOptions): Promise<SandboxClockGetResponse>;
    /**
     * Set the clock of a sandbox: `/Sandbox/Clock/Set`. Moves the clock forward, by at most two years at a time,
     * and never past 2100. The clock continues from there. Everything that depends on time follows at once.
     * Expiry events are emitted within two seconds, in order.
     */
    clockSet(request: SandboxClockSetRequest, options?: CallOptions): Promise<SandboxClockSetResponse>;
    /**
     * Play a round: `/Sandbox/Round`. Plays one round as the game provider would, with `/Rounds/Bet` and then
     * `/Rounds/Settle` or `/Rounds/Rollback`. The game is the first one of the free bet if `game_id` is absent.
     * The `coefficient` of a win applies at the end of the round, as in a crash game. Every call plays a new
     * round, also a repeated one.
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
     * Find the free bets a player can use: `/Rounds/Available`. Returns the free bets that the player can use in
     * this game now. The first expires soonest.
     */
    available(request: RoundsAvailableRequest, options?: CallOptions): Promise<RoundsAvailableResponse>;
    /**
     * Place a bet with a free bet: `/Rounds/Bet`. Uses one bet of a free bet. For fixed odds, send the
     * `coefficient` here; it must be within the limits. For a crash game, send it with the settlement.
     */
    bet(request: RoundsBetRequest, options?: CallOptions): Promise<RoundsBetResponse>;
    /**
     * Settle a bet: `/Rounds/Settle`. Settles a bet as won or lost, for good. A bet placed with odds wins at
     * these odds. Otherwise the `coefficient` sent here must reach the minimum, and is lowered to the maximum if
     * it is higher. The stake is not returned, unless the partner is configured so.
     */
    settle(request: RoundsSettleRequest, options?: CallOptions): Promise<RoundsSettleResponse>;
    /**
     * Roll a bet back: `/Rounds/Rollback`. Cancels the bet. The free bet can use it again until it expires. If
     * the bet is not known yet, it is refused when it arrives later.
     */
    rollback(request: RoundsRollbackRequest, options?: CallOptions): Promise<Record<string, never>>;
    /**
     * Read a bet: `/Rounds/Get`. Returns the state of your bet. If the bet was rolled back before it arrived,
     * all other fields are null.
     */
    get(request: RoundsGetRequest, options?: CallOptions): Promise<RoundBet>;
    /**
     * List the open bets: `/Rounds/Open`. Returns your bets on free bets of this partner that are neither
     * settled nor rolled back, oldest first. Continue with `next_cursor` until it is null.
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
