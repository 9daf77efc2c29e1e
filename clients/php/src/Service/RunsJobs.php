<?php

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\ErrorName;
use Freebets\Exception\ConflictException;
use Freebets\Exception\FreebetsException;
use Freebets\Model\Job;
use Freebets\Uuid;

trait RunsJobs
{
    /**
     * Creates a job, sends its items in parts, starts it, and returns it. One part is in memory at a time, so the list
     * may have any length.
     *
     * With the same `job_id` and the same items it continues where it was interrupted, and no player gets two free
     * bets. If the client made the `job_id`, the exception has it in `request`. A job that was stopped is an exception
     * (`job_started`), and so is one that failed (`job_failed`): see `retry`.
     *
     *     $job = $partner->jobs->run($players, ['job_id' => $jobId, 'name' => 'Winter', 'campaign_id' => 'winter']);
     *
     * @param iterable<array<string, mixed>> $items the items, as `add` takes them
     * @param array<string, mixed> $job the request of `create`; `job_id` is optional here
     * @param (callable(int $parts, int $items): void)|null $onSent called after each part with the totals sent so far
     *
     * @throws FreebetsException
     * @throws \InvalidArgumentException if the list has no items; then no job is created
     */
    public function run(iterable $items, array $job, ?callable $onSent = null, ?CallOptions $options = null): Job
    {
        if (array_key_exists('job_id', $job)) {
            return $this->runNamed($items, $job, $onSent, $options);
        }
        $made = ['job_id' => Uuid::v4()];
        try {
            return $this->runNamed($items, $job + $made, $onSent, $options);
        } catch (FreebetsException $exception) {
            throw $exception->withRequest($made);
        }
    }

    /**
     * Polls a job until it is finished, failed or stopped, at first often and then once a second.
     *
     *     $job = $partner->jobs->wait($jobId, fn (Job $job) => print($job->issued . "\n"));
     *
     * @param (callable(Job): void)|null $onProgress called with each state
     *
     * @throws FreebetsException
     */
    public function wait(string $jobId, ?callable $onProgress = null, ?CallOptions $options = null): Job
    {
        for ($pauseS = 0.1; ; $pauseS = min($pauseS * 2, 1)) {
            $job = $this->get(['job_id' => $jobId], $options);
            $onProgress === null || $onProgress($job);
            if (in_array($job->status, ['finished', 'failed', 'stopped'], true)) {
                return $job;
            }
            usleep((int) ($pauseS * 1e6));
        }
    }

    private function runNamed(iterable $items, array $job, ?callable $onSent, ?CallOptions $options): Job
    {
        $current = $this->sendAll($items, $job, $onSent, $options);
        if ($current->status === 'failed') {
            $reason = $current['failure']['reason'] ?? 'The service gives no reason.';
            $exception = new ConflictException(ErrorName::JOB_FAILED, "The job failed. $reason", 409);
            $exception->mayHaveHappened = true;
            throw $exception;
        }
        if ($current->status === 'stopped') {
            $exception = new ConflictException(ErrorName::JOB_STARTED, 'The job was stopped.', 409, 641);
            $exception->mayHaveHappened = isset($current['started_at']);
            throw $exception;
        }
        return $current;
    }

    private function sendAll(iterable $items, array $job, ?callable $onSent, ?CallOptions $options): Job
    {
        $all = JobParts::of($items);
        if (!$all->valid()) {
            throw new \InvalidArgumentException('The list has no items.');
        }
        $key = ['job_id' => $job['job_id']];
        $this->create($job, $options);
        // A repeated create returns the job as it was created, so its current state needs another request.
        $current = $this->get($key, $options);
        if ($current->status !== 'open') {
            return $current;
        }
        $parts = $count = 0;
        try {
            foreach ($all as $part) {
                $this->sendPart($key + ['part' => ++$parts, 'items' => $part], $count, $options);
                $count += count($part);
                $onSent === null || $onSent($parts, $count);
            }
            return $this->start($key + ['parts' => $parts, 'items' => $count], $options);
        } catch (FreebetsException $exception) {
            if ($exception->error !== ErrorName::JOB_STARTED) {
                throw $exception;
            }
            return $this->startedElsewhere($key, $options);
        }
    }

    /** Another caller has started or stopped the job. */
    private function startedElsewhere(array $key, ?CallOptions $options): Job
    {
        try {
            return $this->get($key, $options);
        } catch (FreebetsException $unread) {
            $unread->mayHaveHappened = true;
            throw $unread;
        }
    }

    /** Counts the positions of wrong items through the whole list, where the service counts through the part. */
    private function sendPart(array $part, int $before, ?CallOptions $options): void
    {
        try {
            $this->add($part, $options);
        } catch (FreebetsException $exception) {
            $shifted = static fn (array $found): string => (string) ($before + (int) $found[0]);
            foreach ($exception->details as &$detail) {
                $detail['field'] = preg_replace_callback('/(?<=^items\[)\d+/', $shifted, $detail['field']);
            }
            throw $exception;
        }
    }
}
