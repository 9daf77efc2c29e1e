<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\EventsListResponse;

final class EventService extends Service
{
    use IteratesEvents;

    /**
     * Read events: `/Events/List`.
     *
     * Returns the events of the partner in order, without gaps. Your cursor is the `sequence` and the `event_id`
     * of the last event that you processed: send them as `after` and `after_event_id`. An empty page means that
     * there are no more events yet. Events are kept for a number of days, 90 by default. The newest event is
     * always kept.
     *
     * Fields of the request:
     * - `after` (optional): The `sequence` of the last event that you processed; 0 to begin. Refused if it is
     *   ahead of the last event.
     * - `after_event_id` (optional): The `event_id` of the event at `after`; not allowed when `after` is 0. With
     *   it, a cursor from before a restore is refused with `feed_changed`. A UUID, such as
     *   7d444840-9dc0-41d1-b245-5ffdce74fad2.
     * - `limit` (optional): How many at most; 100 when absent. 1 to 1,000.
     *
     * Example:
     *
     *     $result = $partner->events->list([
     *         'after' => 7,
     *         'after_event_id' => '01941f29-7b9c-7c3d-9f21-3a5b0c7d9e42',
     *         'limit' => 100,
     *     ]);
     *
     * @param array{after?: int, after_event_id?: string, limit?: int} $request
     *
     * @throws FreebetsException
     */
    public function list(array $request = [], ?CallOptions $options = null): EventsListResponse
    {
        return $this->caller->call('events.list', $request, $options, EventsListResponse::class);
    }
}
