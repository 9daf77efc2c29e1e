<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\Job;
use Freebets\Model\JobAddResponse;
use Freebets\Model\JobListResponse;
use Freebets\Model\JobRefusal;
use Freebets\Model\JobRefusalsResponse;
use Freebets\PagedList;
use Freebets\Result;

final class JobService extends Service
{
    use RunsJobs;

    /**
     * Create a job: `/FreeBets/Jobs/Create`.
     *
     * Creates a job that issues a free bet to each player of a list: from a campaign (`campaign_id`), or directly
     * with shared parameters. Add the players in parts, then start the job. Nothing is issued before that. A job
     * that stays open for seven days is removed.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     * - `name` (required): A display name; the free bets of a direct job get it too: 1 to 255 printable
     *   characters, none that turns the direction of writing.
     * - `start_at` (optional): The earliest time at which the job begins after it was started. ISO 8601 in UTC,
     *   ending in `Z`.
     * - `campaign_id` (required in the form “By campaign”): The partner's id of the campaign: 1 to 64 printable
     *   characters, none of Unicode's format characters, such as a zero-width space.
     * - `bet_amount` (required in the form “Direct”): An amount with exactly two decimals, greater than zero, at
     *   most 13 digits before the point, such as "1.50".
     * - `quantity` (required in the form “Direct”): The number of bets in one free bet, shared by the games
     *   listed. 1 to 1,000.
     * - `games` (required in the form “Direct”): 1 to 500 items, none twice.
     * - `valid_from` (optional in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999;
     *   kept to the millisecond.
     * - `valid_until` (required in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970 to
     *   9999; kept to the millisecond.
     * - `duration_min` (optional in the form “Direct”): Minutes from the activation (the later of issue and
     *   `valid_from`) until the free bet expires. 1 to 525,600.
     * - `config` (optional in the form “Direct”)
     * - `config.min_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as
     *   `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `config.max_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as
     *   `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     *
     * Example:
     *
     *     $result = $partner->jobs->create([
     *         'job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21',
     *         'name' => 'Everybody of last weekend',
     *         'campaign_id' => 'weekend',
     *     ]);
     *
     * @param array{
     *     job_id: string,
     *     name: string,
     *     start_at?: string,
     *     campaign_id: string,
     * }|array{
     *     job_id: string,
     *     name: string,
     *     start_at?: string,
     *     bet_amount: string,
     *     quantity: int,
     *     games: list<string>,
     *     valid_from?: string,
     *     valid_until: string,
     *     duration_min?: int,
     *     config?: array{min_coefficient?: string, max_coefficient?: string},
     * } $request
     *
     * @throws FreebetsException
     */
    public function create(array $request, ?CallOptions $options = null): Job
    {
        return $this->caller->call('jobs.create', $request, $options, Job::class);
    }

    /**
     * Add a part to a job: `/FreeBets/Jobs/Add`.
     *
     * Takes up to 5,000 items per part, and 10,000 parts and 10,000,000 items per job. If you send a part again
     * with the same items, it returns the same response; with other items it is refused.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     * - `part` (required): The number of the part. You number the parts from 1 and may send them in any order. 1
     *   to 10,000.
     * - `items` (required): The players of this part. Only a direct job takes `bet_amount` and `quantity`, in
     *   place of the shared ones. If `issue_id` is absent, it is derived from `job_id`, `part` and the position of
     *   the item. 1 to 5,000 items.
     * - `items[].player_id` (required): The partner's id of the player: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `items[].currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     * - `items[].issue_id` (optional): The id of the free bet: a UUID of any version, in upper or lower case;
     *   returned in lower case.
     * - `items[].bet_amount` (optional): An amount with exactly two decimals, greater than zero, at most 13 digits
     *   before the point, such as "1.50".
     * - `items[].quantity` (optional): The number of bets in one free bet, shared by the games listed. 1 to 1,000.
     *
     * Example:
     *
     *     $result = $partner->jobs->add([
     *         'job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21',
     *         'part' => 1,
     *         'items' => [
     *             ['player_id' => 'player-10', 'currency' => 'EUR'],
     *             ['player_id' => 'player-11', 'currency' => 'GBP'],
     *         ],
     *     ]);
     *
     * @param array{
     *     job_id: string,
     *     part: int,
     *     items: list<array{
     *         player_id: string,
     *         currency: string,
     *         issue_id?: string,
     *         bet_amount?: string,
     *         quantity?: int,
     *     }>,
     * } $request
     *
     * @throws FreebetsException
     */
    public function add(array $request, ?CallOptions $options = null): JobAddResponse
    {
        return $this->caller->call('jobs.add', $request, $options, JobAddResponse::class);
    }

    /**
     * Start a job: `/FreeBets/Jobs/Start`.
     *
     * Issues in the background from now on, or from `start_at`. Send the numbers of parts and items that you
     * added, so that the service notices lost parts. Your jobs run one after the other, in the order in which they
     * were started.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     * - `parts` (required): The number of parts that you sent. 1 to 10,000.
     * - `items` (required): The number of items that you sent, in all parts. 1 to 10,000,000.
     *
     * Example:
     *
     *     $result = $partner->jobs->start([
     *         'job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21',
     *         'parts' => 1,
     *         'items' => 2,
     *     ]);
     *
     * @param array{job_id: string, parts: int, items: int} $request
     *
     * @throws FreebetsException
     */
    public function start(array $request, ?CallOptions $options = null): Job
    {
        return $this->caller->call('jobs.start', $request, $options, Job::class);
    }

    /**
     * Read a job: `/FreeBets/Jobs/Get`.
     *
     * Returns the job and its progress.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     *
     * Example:
     *
     *     $result = $partner->jobs->get(['job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21']);
     *
     * @param array{job_id: string} $request
     *
     * @throws FreebetsException
     */
    public function get(array $request, ?CallOptions $options = null): Job
    {
        return $this->caller->call('jobs.get', $request, $options, Job::class);
    }

    /**
     * List jobs: `/FreeBets/Jobs/List`.
     *
     * Returns the newest first. A page may have fewer items than `limit`, or none, and still have a `next_cursor`:
     * continue until it is null.
     *
     * Fields of the request:
     * - `status` (optional): `open` until it is started, then `scheduled` while `start_at` lies ahead; `running`
     *   also while it waits for an earlier job of yours. `failed` when the service could not process the next
     *   item: `failure` says why.
     * - `campaign_id` (optional): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `limit` (optional): How many at most; 50 when absent. 1 to 200.
     * - `cursor` (optional): The `next_cursor` of the previous page. The next_cursor of the previous page.
     *
     * Example:
     *
     *     foreach ($partner->jobs->list(['status' => 'finished', 'limit' => 50]) as $item) {
     *         // …
     *     }
     *
     * @param array{
     *     status?: 'open'|'scheduled'|'running'|'finished'|'failed'|'stopped',
     *     campaign_id?: string,
     *     limit?: int,
     *     cursor?: string,
     * } $request
     * @return PagedList<Job, JobListResponse>
     *
     * @throws FreebetsException
     */
    public function list(array $request = [], ?CallOptions $options = null): PagedList
    {
        return new PagedList(
            $this->caller,
            'jobs.list',
            $request,
            $options,
            JobListResponse::class,
            Job::class,
        );
    }

    /**
     * List the refused items: `/FreeBets/Jobs/Refusals`.
     *
     * Returns every item that was refused so far, with the error that Issue would have returned. A page may have
     * fewer items than `limit` and still have a `next_cursor`: continue until it is null. While the job runs, null
     * means that there are no more refused items yet.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     * - `limit` (optional): How many at most; 100 when absent. 1 to 1,000.
     * - `cursor` (optional): The `next_cursor` of the previous page. The next_cursor of the previous page.
     *
     * Example:
     *
     *     foreach ($partner->jobs->refusals(['job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21']) as $item) {
     *         // …
     *     }
     *
     * @param array{job_id: string, limit?: int, cursor?: string} $request
     * @return PagedList<JobRefusal, JobRefusalsResponse>
     *
     * @throws FreebetsException
     */
    public function refusals(array $request, ?CallOptions $options = null): PagedList
    {
        return new PagedList(
            $this->caller,
            'jobs.refusals',
            $request,
            $options,
            JobRefusalsResponse::class,
            JobRefusal::class,
        );
    }

    /**
     * Retry a failed job: `/FreeBets/Jobs/Retry`.
     *
     * Continues a failed job with the item that it failed at; free bets issued before stay counted. Returns the
     * job. A job that has not failed is returned unchanged, so the call can be repeated safely.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     *
     * Example:
     *
     *     $result = $partner->jobs->retry(['job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21']);
     *
     * @param array{job_id: string} $request
     *
     * @throws FreebetsException
     */
    public function retry(array $request, ?CallOptions $options = null): Job
    {
        return $this->caller->call('jobs.retry', $request, $options, Job::class);
    }

    /**
     * Stop a job: `/FreeBets/Jobs/Stop`.
     *
     * Stops the job for good: the remaining items are never issued. Free bets already issued stay valid. A failed
     * job can be stopped too.
     *
     * Fields of the request:
     * - `job_id` (required): The partner's id of the job: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     *
     * Example:
     *
     *     $result = $partner->jobs->stop(['job_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21']);
     *
     * @param array{job_id: string} $request
     *
     * @throws FreebetsException
     */
    public function stop(array $request, ?CallOptions $options = null): Result
    {
        return $this->caller->call('jobs.stop', $request, $options, Result::class);
    }
}
