<?php

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\Event;

trait IteratesEvents
{
    /**
     * Yields every event after a cursor in order, and then new events as they happen.
     *
     * The cursor is the `sequence` and the `event_id` of the last event that you processed. Store both in the
     * transaction of your own changes. Pass that event, or an array with the two. A number alone works too, but then a
     * restore of the service goes unnoticed.
     *
     * While the service cannot be reached the iteration continues, and `$onError` gets the exception of each failed
     * call. `feed_changed` and `events_removed` are thrown and never retried.
     *
     *     foreach ($partner->events->iterate(after: $cursor) as $event) {
     *         // Process the event, and store its sequence and event_id.
     *     }
     *
     * @param int|Event|array{sequence: int, event_id?: string|null} $after 0 for the first event
     * @param bool $follow false ends the iteration at the last event
     * @param float $pauseS the pause in seconds before the next request if there was no new event
     * @param (callable(): bool)|null $isStopped ends the iteration when it returns true
     * @param (callable(FreebetsException): void)|null $onError
     * @return \Generator<int, Event>
     *
     * @throws FreebetsException
     */
    public function iterate(
        int|array|Event $after = 0,
        bool $follow = true,
        float $pauseS = 1,
        ?callable $isStopped = null,
        ?callable $onError = null,
        ?CallOptions $options = null,
    ): \Generator {
        $isStopped ??= static fn (): bool => false;
        $cursor = is_int($after) ? ['sequence' => $after] : $after;
        while (!$isStopped()) {
            $events = [];
            try {
                $page = $this->list(self::afterCursor($cursor), $options);
                $events = $page['events'];
            } catch (FreebetsException $exception) {
                if (!$follow || !$exception->isRetryable()) {
                    throw $exception;
                }
                $onError === null || $onError($exception);
            }
            foreach ($events as $event) {
                if ($isStopped()) {
                    return;
                }
                $cursor = $event;
                yield new Event($event, $page->requestId);
            }
            if ($events === []) {
                if (!$follow) {
                    return;
                }
                usleep((int) ($pauseS * 1e6));
            }
        }
    }

    /** @return array{after: int, limit: int, after_event_id?: string} */
    private static function afterCursor(array|Event $cursor): array
    {
        $request = ['after' => $cursor['sequence'], 'limit' => 1000];
        return isset($cursor['event_id']) ? $request + ['after_event_id' => $cursor['event_id']] : $request;
    }
}
