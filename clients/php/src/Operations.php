<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets;

/** @internal */
final class Operations
{
    /** The largest number of items in one part of a job. */
    public const ITEMS_OF_PART = 5000;

    public const ALL = [
        'campaigns.create' => [
            'path' => '/FreeBets/Campaign/Create',
            'caller' => 'client_id',
            'makes' => 'campaign_id',
            'has' => ['campaign_id'],
        ],
        'campaigns.get' => [
            'path' => '/FreeBets/Campaign/Get',
            'caller' => 'client_id',
            'has' => ['campaign_id', 'name'],
        ],
        'campaigns.list' => [
            'path' => '/FreeBets/Campaign/List',
            'caller' => 'client_id',
            'list' => 'campaigns',
            'most' => 200,
            'has' => ['campaigns', 'next_cursor'],
        ],
        'campaigns.stop' => [
            'path' => '/FreeBets/Campaign/Stop',
            'caller' => 'client_id',
            'has' => [],
        ],
        'campaigns.pause' => [
            'path' => '/FreeBets/Campaign/Pause',
            'caller' => 'client_id',
            'has' => [],
            'once' => true,
        ],
        'campaigns.resume' => [
            'path' => '/FreeBets/Campaign/Resume',
            'caller' => 'client_id',
            'has' => [],
            'once' => true,
        ],
        'campaigns.limits' => [
            'path' => '/FreeBets/Campaign/Limits',
            'caller' => 'client_id',
            'has' => ['campaign_id', 'name'],
            'once' => true,
        ],
        'freeBets.issue' => [
            'path' => '/FreeBets/Issue',
            'caller' => 'client_id',
            'makes' => 'issue_id',
            'has' => ['issue_id', 'campaign_id'],
        ],
        'freeBets.issueBatch' => [
            'path' => '/FreeBets/Issue/Batch',
            'caller' => 'client_id',
            'makes' => 'issue_id',
            'each' => 'items',
            'has' => ['results'],
        ],
        'freeBets.cancel' => ['path' => '/FreeBets/Cancel', 'caller' => 'client_id', 'has' => []],
        'freeBets.cancelBatch' => [
            'path' => '/FreeBets/Cancel/Batch',
            'caller' => 'client_id',
            'each' => 'issue_ids',
            'has' => ['results'],
        ],
        'freeBets.get' => [
            'path' => '/FreeBets/Get',
            'caller' => 'client_id',
            'has' => ['issue_id', 'campaign_id'],
        ],
        'freeBets.list' => [
            'path' => '/FreeBets/List',
            'caller' => 'client_id',
            'list' => 'free_bets',
            'most' => 200,
            'has' => ['free_bets', 'next_cursor'],
        ],
        'jobs.create' => [
            'path' => '/FreeBets/Jobs/Create',
            'caller' => 'client_id',
            'has' => ['job_id', 'name'],
        ],
        'jobs.add' => [
            'path' => '/FreeBets/Jobs/Add',
            'caller' => 'client_id',
            'has' => ['job_id', 'part'],
        ],
        'jobs.start' => [
            'path' => '/FreeBets/Jobs/Start',
            'caller' => 'client_id',
            'has' => ['job_id', 'name'],
        ],
        'jobs.get' => [
            'path' => '/FreeBets/Jobs/Get',
            'caller' => 'client_id',
            'has' => ['job_id', 'name'],
        ],
        'jobs.list' => [
            'path' => '/FreeBets/Jobs/List',
            'caller' => 'client_id',
            'list' => 'jobs',
            'most' => 200,
            'has' => ['jobs', 'next_cursor'],
        ],
        'jobs.refusals' => [
            'path' => '/FreeBets/Jobs/Refusals',
            'caller' => 'client_id',
            'list' => 'refusals',
            'most' => 1000,
            'has' => ['refusals', 'next_cursor'],
        ],
        'jobs.retry' => [
            'path' => '/FreeBets/Jobs/Retry',
            'caller' => 'client_id',
            'has' => ['job_id', 'name'],
        ],
        'jobs.stop' => [
            'path' => '/FreeBets/Jobs/Stop',
            'caller' => 'client_id',
            'has' => [],
        ],
        'games.list' => [
            'path' => '/Game/List',
            'caller' => 'client_id',
            'has' => ['providers', 'image_assets'],
        ],
        'events.list' => [
            'path' => '/Events/List',
            'caller' => 'client_id',
            'has' => ['events', 'last_sequence'],
        ],
        'rounds.available' => [
            'path' => '/Rounds/Available',
            'caller' => 'provider_id',
            'has' => ['free_bets'],
        ],
        'rounds.bet' => [
            'path' => '/Rounds/Bet',
            'caller' => 'provider_id',
            'has' => ['bet_id', 'issue_id'],
        ],
        'rounds.settle' => [
            'path' => '/Rounds/Settle',
            'caller' => 'provider_id',
            'has' => ['bet_id', 'result'],
        ],
        'rounds.rollback' => [
            'path' => '/Rounds/Rollback',
            'caller' => 'provider_id',
            'has' => [],
        ],
        'rounds.get' => [
            'path' => '/Rounds/Get',
            'caller' => 'provider_id',
            'has' => ['bet_id', 'status'],
        ],
        'rounds.open' => [
            'path' => '/Rounds/Open',
            'caller' => 'provider_id',
            'list' => 'bets',
            'most' => 200,
            'has' => ['bets', 'next_cursor'],
        ],
        'sandbox.clockGet' => [
            'path' => '/Sandbox/Clock/Get',
            'caller' => 'client_id',
            'has' => ['now', 'offset_s'],
        ],
        'sandbox.clockSet' => [
            'path' => '/Sandbox/Clock/Set',
            'caller' => 'client_id',
            'has' => ['now', 'offset_s'],
        ],
        'sandbox.round' => [
            'path' => '/Sandbox/Round',
            'caller' => 'client_id',
            'has' => ['issue_id', 'campaign_id'],
            'once' => true,
        ],
    ];
}
