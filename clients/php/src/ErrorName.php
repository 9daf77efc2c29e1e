<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets;

/** The values of `FreebetsException::$error`. */
final class ErrorName
{
    /** HTTP 400, code 154. The currency is not available here. */
    public const CURRENCY_NOT_ALLOWED = 'currency_not_allowed';

    /** HTTP 400, code 400. The request is not valid; details list every invalid field. */
    public const INVALID_REQUEST = 'invalid_request';

    /** HTTP 403, code 403. The caller or the signature is not valid. */
    public const FORBIDDEN = 'forbidden';

    /** HTTP 404, code 404. There is no such operation. */
    public const UNKNOWN_OPERATION = 'unknown_operation';

    /** HTTP 405, code 405. Operations are called with POST. */
    public const METHOD_NOT_ALLOWED = 'method_not_allowed';

    /** HTTP 409, code 409. This id was used before with other content. */
    public const ID_REUSED = 'id_reused';

    /** HTTP 413, code 413. The body is larger than 1 MiB. */
    public const BODY_TOO_LARGE = 'body_too_large';

    /** HTTP 415, code 415. The content type must be application/json, without content encoding. */
    public const NOT_JSON = 'not_json';

    /** HTTP 429, code 429. Too many requests; try again after the time in Retry-After. */
    public const TOO_MANY_REQUESTS = 'too_many_requests';

    /** HTTP 500, code 500. Something went wrong on our side. */
    public const INTERNAL_ERROR = 'internal_error';

    /** HTTP 503, code 503. The service cannot process this request now; send the same request again. */
    public const UNAVAILABLE = 'unavailable';

    /** HTTP 400, code 601. A listed game does not support free bets. */
    public const GAME_WITHOUT_FREE_BETS = 'game_without_free_bets';

    /** HTTP 400, code 603. The validity period is not valid. */
    public const INVALID_VALIDITY = 'invalid_validity';

    /** HTTP 400, code 608. A listed game is not available to this partner. */
    public const GAME_NOT_AVAILABLE = 'game_not_available';

    /** HTTP 404, code 610. There is no such free bet. */
    public const FREE_BET_NOT_FOUND = 'free_bet_not_found';

    /** HTTP 409, code 611. The free bet has expired. */
    public const FREE_BET_EXPIRED = 'free_bet_expired';

    /** HTTP 409, code 612. The free bet is not valid yet. */
    public const FREE_BET_NOT_STARTED = 'free_bet_not_started';

    /** HTTP 409, code 613. Every bet of the free bet has been used. */
    public const FREE_BET_USED_UP = 'free_bet_used_up';

    /** HTTP 409, code 614. The free bet was cancelled. */
    public const FREE_BET_CANCELLED = 'free_bet_cancelled';

    /**
     * HTTP 409, code 615. The coefficient is outside the limits of the free bet, or differs from the odds of the
     * bet.
     */
    public const COEFFICIENT_OUT_OF_RANGE = 'coefficient_out_of_range';

    /** HTTP 409, code 616. The free bet does not cover this game. */
    public const GAME_NOT_COVERED = 'game_not_covered';

    /** HTTP 409, code 620. The free bet has been used and cannot be cancelled. */
    public const FREE_BET_ALREADY_USED = 'free_bet_already_used';

    /** HTTP 404, code 621. There is no such bet. */
    public const BET_NOT_FOUND = 'bet_not_found';

    /** HTTP 409, code 622. The bet has been settled. */
    public const BET_ALREADY_SETTLED = 'bet_already_settled';

    /** HTTP 409, code 623. The bet was rolled back. */
    public const BET_ROLLED_BACK = 'bet_rolled_back';

    /** HTTP 404, code 630. There is no such campaign. */
    public const CAMPAIGN_NOT_FOUND = 'campaign_not_found';

    /** HTTP 409, code 632. The campaign has ended. */
    public const CAMPAIGN_ENDED = 'campaign_ended';

    /** HTTP 409, code 633. The campaign was stopped. */
    public const CAMPAIGN_STOPPED = 'campaign_stopped';

    /** HTTP 409, code 634. The campaign is paused. */
    public const CAMPAIGN_PAUSED = 'campaign_paused';

    /** HTTP 409, code 635. The campaign has issued all its free bets. */
    public const BONUS_LIMIT_REACHED = 'bonus_limit_reached';

    /** HTTP 409, code 636. The player has all the free bets that this campaign allows for one player. */
    public const BONUS_LIMIT_PER_USER_REACHED = 'bonus_limit_per_user_reached';

    /** HTTP 404, code 640. There is no such job. */
    public const JOB_NOT_FOUND = 'job_not_found';

    /** HTTP 409, code 641. You cannot add parts to this job: it was started or stopped. */
    public const JOB_STARTED = 'job_started';

    /** HTTP 409, code 642. The number of parts or items differs from the number added; details show the difference. */
    public const JOB_INCOMPLETE = 'job_incomplete';

    /**
     * HTTP 409, code 643. Your cursor is not in this feed: the database was restored. Reconcile your data, then
     * start over.
     */
    public const FEED_CHANGED = 'feed_changed';

    /**
     * HTTP 409, code 644. Events after your cursor were removed. Reconcile your data, then start over from the
     * oldest event.
     */
    public const EVENTS_REMOVED = 'events_removed';

    /**
     * HTTP 409, code 647. Your unfinished jobs have reached a quota; details show the quota, its limit and its
     * use.
     */
    public const JOB_QUOTA_REACHED = 'job_quota_reached';

    /** HTTP 409, code 650. This partner is not a sandbox. */
    public const NOT_A_SANDBOX = 'not_a_sandbox';

    /** No complete response arrived. */
    public const NO_ANSWER = 'no_answer';

    /** The response did not come from the service. */
    public const UNREADABLE_ANSWER = 'unreadable_answer';

    /** `jobs->run` found that the job has failed. */
    public const JOB_FAILED = 'job_failed';
}
