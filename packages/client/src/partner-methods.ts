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
  SandboxClockGetResponse,
  SandboxClockSetResponse,
} from './answers.ts';
import type { CallOptions, WithRequestId } from './caller.ts';
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
  SandboxClockGetRequest,
  SandboxClockSetRequest,
  SandboxRoundRequest,
} from './requests.ts';
import type { Campaign, CampaignWithCounts, FreeBet, FreeBetWithBets, Job, JobRefusal } from './things.ts';

/** A method for each operation of a partner. */
export interface PartnerMethods {
  campaigns: {
    /**
     * Create a campaign: `/FreeBets/Campaign/Create`. Creates a reusable template for free bets. If you send
     * your own `campaign_id`, you can repeat the call safely; otherwise the service creates one. With `dry_run`
     * nothing is created, and the response also has the maximum liability of the campaign.
     * @throws {ValidationError} `invalid_validity`, `game_not_available`, `game_without_free_bets`,
     * `currency_not_allowed`
     * @throws {ConflictError} `id_reused`
     * @example
     * const response = await partner.campaigns.create({
     *   campaign_id: 'weekend',
     *   name: 'Weekend free bets',
     *   quantity: 3,
     *   valid_from: '2026-01-01T00:00:00.000Z',
     *   valid_until: '2036-01-01T00:00:00.000Z',
     *   games: ['lantern-skyline-ascent'],
     *   bet_amounts: [
     *     { currency: 'EUR', amount: '1.00' },
     *     { currency: 'USD', amount: '1.20' },
     *   ],
     *   duration_min: 1440,
     *   config: { bonus_limit: 5000, bonus_limit_per_user: 2, min_coefficient: '1.20', max_coefficient: '5.00' },
     * });
     */
    create(request: CampaignCreateRequest, options?: CallOptions): Promise<WithRequestId<CampaignCreateResponse>>;
    /**
     * Read a campaign: `/FreeBets/Campaign/Get`. Returns the campaign as created, its status, and the counts of
     * its free bets.
     * @throws {NotFoundError} `campaign_not_found`
     * @example
     * const response = await partner.campaigns.get({ campaign_id: 'weekend' });
     */
    get(request: CampaignGetRequest, options?: CallOptions): Promise<WithRequestId<CampaignWithCounts>>;
    /**
     * List campaigns: `/FreeBets/Campaign/List`. Returns the newest first. A page may have fewer items than
     * `limit`, or none, and still have a `next_cursor`: continue until it is null.
     * @example
     * for await (const campaign of partner.campaigns.list({ status: 'active', limit: 50 })) console.log(campaign);
     */
    list(request?: CampaignListRequest, options?: CallOptions): List<CampaignListResponse, CampaignWithCounts>;
    /**
     * Stop a campaign: `/FreeBets/Campaign/Stop`. Stops issuing from this campaign for good. Free bets already
     * issued stay valid.
     * @throws {NotFoundError} `campaign_not_found`
     * @example
     * await partner.campaigns.stop({ campaign_id: 'weekend' });
     */
    stop(request: CampaignStopRequest, options?: CallOptions): Promise<WithRequestId<object>>;
    /**
     * Pause a campaign: `/FreeBets/Campaign/Pause`. Stops issuing from this campaign until it is resumed. Free
     * bets already issued stay valid. A campaign that was stopped or has ended doesn't change.
     * @throws {NotFoundError} `campaign_not_found`
     * @example
     * await partner.campaigns.pause({ campaign_id: 'weekend' });
     */
    pause(request: CampaignPauseRequest, options?: CallOptions): Promise<WithRequestId<object>>;
    /**
     * Resume a campaign: `/FreeBets/Campaign/Resume`. Allows issuing from a paused campaign again. A campaign
     * that was stopped or has ended doesn't change.
     * @throws {NotFoundError} `campaign_not_found`
     * @example
     * await partner.campaigns.resume({ campaign_id: 'weekend' });
     */
    resume(request: CampaignResumeRequest, options?: CallOptions): Promise<WithRequestId<object>>;
    /**
     * Change the limits of a campaign: `/FreeBets/Campaign/Limits`. Sets both limits. A limit may be below the
     * number already issued: free bets already issued stay valid, and no more are issued.
     * @throws {NotFoundError} `campaign_not_found`
     * @example
     * const response = await partner.campaigns.limits({
     *   campaign_id: 'weekend',
     *   bonus_limit: 8000,
     *   bonus_limit_per_user: null,
     * });
     */
    limits(request: CampaignLimitsRequest, options?: CallOptions): Promise<WithRequestId<Campaign>>;
  };
  freeBets: {
    /**
     * Issue a free bet: `/FreeBets/Issue`. Issues from a campaign (`campaign_id`), or directly with all
     * parameters in the request. If you send your own `issue_id`, a repeated request returns the first response
     * again instead of issuing a second free bet. With `dry_run` nothing is issued.
     * @throws {ValidationError} `invalid_validity`, `game_not_available`, `game_without_free_bets`,
     * `currency_not_allowed`
     * @throws {NotFoundError} `campaign_not_found`
     * @throws {ConflictError} `campaign_stopped`, `campaign_ended`, `campaign_paused`, `bonus_limit_reached`,
     * `bonus_limit_per_user_reached`, `id_reused`
     * @example
     * const response = await partner.freeBets.issue({
     *   issue_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01',
     *   campaign_id: 'weekend',
     *   player_id: 'player-7',
     *   currency: 'EUR',
     * });
     */
    issue(request: IssueRequest, options?: CallOptions): Promise<WithRequestId<IssueResponse>>;
    /**
     * Issue many free bets: `/FreeBets/Issue/Batch`. Takes up to 1,000 issue requests. Each succeeds or fails on
     * its own, with the errors of Issue. With `dry_run` they are decided one after the other, and nothing is
     * issued.
     * @example
     * const response = await partner.freeBets.issueBatch({
     *   items: [
     *     {
     *       issue_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03',
     *       campaign_id: 'weekend',
     *       player_id: 'player-9',
     *       currency: 'EUR',
     *     },
     *     { campaign_id: 'gone', player_id: 'player-9', currency: 'EUR' },
     *   ],
     * });
     */
    issueBatch(request: IssueBatchRequest, options?: CallOptions): Promise<WithRequestId<IssueBatchResponse>>;
    /**
     * Cancel an unused free bet: `/FreeBets/Cancel`. Cancels a free bet that has no bets, apart from bets that
     * were rolled back. It no longer counts towards the campaign cap and the per-player cap. With `dry_run`
     * nothing is cancelled.
     * @throws {NotFoundError} `free_bet_not_found`
     * @throws {ConflictError} `free_bet_expired`, `free_bet_already_used`
     * @example
     * const response = await partner.freeBets.cancel({ issue_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03' });
     */
    cancel(request: CancelRequest, options?: CallOptions): Promise<WithRequestId<CancelResponse>>;
    /**
     * Cancel many free bets: `/FreeBets/Cancel/Batch`. Takes up to 1,000 ids. Each free bet is cancelled or
     * refused on its own, with the errors of Cancel.
     * @example
     * const response = await partner.freeBets.cancelBatch({
     *   issue_ids: ['9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03', '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e04'],
     * });
     */
    cancelBatch(request: CancelBatchRequest, options?: CallOptions): Promise<WithRequestId<CancelBatchResponse>>;
    /**
     * Read a free bet: `/FreeBets/Get`. Returns the current state of the free bet, with its bets.
     * @throws {NotFoundError} `free_bet_not_found`
     * @example
     * const response = await partner.freeBets.get({ issue_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01' });
     */
    get(request: FreeBetGetRequest, options?: CallOptions): Promise<WithRequestId<FreeBetWithBets>>;
    /**
     * List free bets: `/FreeBets/List`. Returns the newest first. A page may have fewer items than `limit`, or
     * none, and still have a `next_cursor`: continue until it is null.
     * @example
     * for await (const freeBet of partner.freeBets.list({ player_id: 'player-7' })) console.log(freeBet);
     */
    list(request?: FreeBetListRequest, options?: CallOptions): List<FreeBetListResponse, FreeBet>;
  };
  jobs: {
    /**
     * Create a job: `/FreeBets/Jobs/Create`. Creates a job that issues a free bet to each player of a list: from
     * a campaign (`campaign_id`), or directly with shared parameters. Add the players in parts, then start the
     * job. Nothing is issued before that. A job that stays open for seven days is removed.
     * @throws {NotFoundError} `campaign_not_found`
     * @throws {ConflictError} `campaign_stopped`, `campaign_ended`, `job_quota_reached`, `id_reused`
     * @throws {ValidationError} `invalid_validity`, `game_not_available`, `game_without_free_bets`
     * @example
     * const response = await partner.jobs.create({
     *   job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21',
     *   name: 'Everybody of last weekend',
     *   campaign_id: 'weekend',
     * });
     */
    create(request: JobCreateRequest, options?: CallOptions): Promise<WithRequestId<Job>>;
    /**
     * Add a part to a job: `/FreeBets/Jobs/Add`. Takes up to 5,000 items per part, and 10,000 parts and
     * 10,000,000 items per job. If you send a part again with the same items, it returns the same response; with
     * other items it is refused.
     * @throws {NotFoundError} `job_not_found`
     * @throws {ConflictError} `job_started`, `job_quota_reached`, `id_reused`
     * @example
     * const response = await partner.jobs.add({
     *   job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21',
     *   part: 1,
     *   items: [
     *     { player_id: 'player-10', currency: 'EUR' },
     *     { player_id: 'player-11', currency: 'GBP' },
     *   ],
     * });
     */
    add(request: JobAddRequest, options?: CallOptions): Promise<WithRequestId<JobAddResponse>>;
    /**
     * Start a job: `/FreeBets/Jobs/Start`. Issues in the background from now on, or from `start_at`. Send the
     * numbers of parts and items that you added, so that the service notices lost parts. Your jobs run one after
     * the other, in the order in which they were started.
     * @throws {NotFoundError} `job_not_found`
     * @throws {ConflictError} `job_incomplete`
     * @example
     * const response = await partner.jobs.start({ job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21', parts: 1, items: 2 });
     */
    start(request: JobStartRequest, options?: CallOptions): Promise<WithRequestId<Job>>;
    /**
     * Read a job: `/FreeBets/Jobs/Get`. Returns the job and its progress.
     * @throws {NotFoundError} `job_not_found`
     * @example
     * const response = await partner.jobs.get({ job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21' });
     */
    get(request: JobGetRequest, options?: CallOptions): Promise<WithRequestId<Job>>;
    /**
     * List jobs: `/FreeBets/Jobs/List`. Returns the newest first. A page may have fewer items than `limit`, or
     * none, and still have a `next_cursor`: continue until it is null.
     * @example
     * for await (const job of partner.jobs.list({ status: 'finished', limit: 50 })) console.log(job);
     */
    list(request?: JobListRequest, options?: CallOptions): List<JobListResponse, Job>;
    /**
     * List the refused items: `/FreeBets/Jobs/Refusals`. Returns every item that was refused so far, with the
     * error that Issue would have returned. A page may have fewer items than `limit` and still have a
     * `next_cursor`: continue until it is null. While the job runs, null means that there are no more refused
     * items yet.
     * @throws {NotFoundError} `job_not_found`
     * @example
     * for await (const refusal of partner.jobs.refusals({ job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21' }))
     *   console.log(refusal);
     */
    refusals(request: JobRefusalsRequest, options?: CallOptions): List<JobRefusalsResponse, JobRefusal>;
    /**
     * Retry a failed job: `/FreeBets/Jobs/Retry`. Continues a failed job with the item that it failed at; free
     * bets issued before stay counted. Returns the job. A job that has not failed is returned unchanged, so the
     * call can be repeated safely.
     * @throws {NotFoundError} `job_not_found`
     * @example
     * const response = await partner.jobs.retry({ job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21' });
     */
    retry(request: JobRetryRequest, options?: CallOptions): Promise<WithRequestId<Job>>;
    /**
     * Stop a job: `/FreeBets/Jobs/Stop`. Stops the job for good: the remaining items are never issued. Free bets
     * already issued stay valid. A failed job can be stopped too.
     * @throws {NotFoundError} `job_not_found`
     * @example
     * await partner.jobs.stop({ job_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21' });
     */
    stop(request: JobStopRequest, options?: CallOptions): Promise<WithRequestId<object>>;
  };
  games: {
    /**
     * List the games: `/Game/List`. Returns the games offered to this partner. The response is compressed if you
     * accept that, and has an `ETag`.
     * @example
     * const response = await partner.games.list();
     */
    list(request?: GameListRequest, options?: CallOptions): Promise<WithRequestId<GameListResponse>>;
  };
  events: {
    /**
     * Read events: `/Events/List`. Returns the events of the partner in order, without gaps. Your cursor is the
     * `sequence` and the `event_id` of the last event that you processed: send them as `after` and
     * `after_event_id`. An empty page means that there are no more events yet. Events are kept for a number of
     * days, 90 by default. The newest event is always kept.
     * @throws {ConflictError} `feed_changed`, `events_removed`
     * @example
     * const response = await partner.events.list({
     *   after: 7,
     *   after_event_id: '01941f29-7b9c-7c3d-9f21-3a5b0c7d9e42',
     *   limit: 100,
     * });
     */
    list(request?: EventsListRequest, options?: CallOptions): Promise<WithRequestId<EventsListResponse>>;
  };
  sandbox: {
    /**
     * Read the clock of a sandbox: `/Sandbox/Clock/Get`. Returns the time of this partner, and how far it is
     * ahead of the real time.
     * @throws {ConflictError} `not_a_sandbox`
     * @example
     * const response = await partner.sandbox.clockGet();
     */
    clockGet(request?: SandboxClockGetRequest, options?: CallOptions): Promise<WithRequestId<SandboxClockGetResponse>>;
    /**
     * Set the clock of a sandbox: `/Sandbox/Clock/Set`. Moves the clock forward, by at most two years at a time,
     * and never past 2100. The clock continues from there. Everything that depends on time follows at once.
     * Expiry events are emitted within two seconds, in order.
     * @throws {ConflictError} `not_a_sandbox`
     * @example
     * const response = await partner.sandbox.clockSet({ now: '2027-01-03T18:00:00.000Z' });
     */
    clockSet(request: SandboxClockSetRequest, options?: CallOptions): Promise<WithRequestId<SandboxClockSetResponse>>;
    /**
     * Play a round: `/Sandbox/Round`. Plays one round as the game provider would, with `/Rounds/Bet` and then
     * `/Rounds/Settle` or `/Rounds/Rollback`. The game is the first one of the free bet if `game_id` is absent.
     * The `coefficient` of a win applies at the end of the round, as in a crash game. Every call plays a new
     * round, also a repeated one.
     * @throws {ConflictError} `not_a_sandbox`, `game_not_covered`, `free_bet_cancelled`, `free_bet_not_started`,
     * `free_bet_used_up`, `free_bet_expired`, `coefficient_out_of_range`
     * @throws {NotFoundError} `free_bet_not_found`
     * @example
     * const response = await partner.sandbox.round({
     *   issue_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e02',
     *   result: 'won',
     *   coefficient: '2.00',
     * });
     */
    round(request: SandboxRoundRequest, options?: CallOptions): Promise<WithRequestId<FreeBetWithBets>>;
  };
}

/** The request and the response of each operation, by its name. */
export interface PartnerCalls {
  CampaignCreate: [request: CampaignCreateRequest, response: CampaignCreateResponse];
  CampaignGet: [request: CampaignGetRequest, response: CampaignWithCounts];
  CampaignList: [request: CampaignListRequest, response: CampaignListResponse];
  CampaignStop: [request: CampaignStopRequest, response: object];
  CampaignPause: [request: CampaignPauseRequest, response: object];
  CampaignResume: [request: CampaignResumeRequest, response: object];
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
  JobStop: [request: JobStopRequest, response: object];
  GameList: [request: GameListRequest, response: GameListResponse];
  EventsList: [request: EventsListRequest, response: EventsListResponse];
  SandboxClockGet: [request: SandboxClockGetRequest, response: SandboxClockGetResponse];
  SandboxClockSet: [request: SandboxClockSetRequest, response: SandboxClockSetResponse];
  SandboxRound: [request: SandboxRoundRequest, response: FreeBetWithBets];
}
