# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from typing import cast

from .._caller import Caller
from .._options import NOT_GIVEN, CallOptions, NotGiven
from ..types import EventsListResponse


class AsyncEvents:
    """The methods of ``partner.events``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        after: int | NotGiven = NOT_GIVEN,
        after_event_id: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> EventsListResponse:
        """Read events: ``/Events/List``.

        Returns the events of the partner in order, without gaps. Your cursor is the `sequence` and the `event_id` of
        the last event that you processed: send them as `after` and `after_event_id`. An empty page means that there are
        no more events yet. Events are kept for a number of days, 90 by default. The newest event is always kept.

        Args:
            after: The `sequence` of the last event that you processed; 0 to begin. Refused if it is ahead of the
                last event. 0 to 9,007,199,254,740,991.
            after_event_id: The `event_id` of the event at `after`; not allowed when `after` is 0. With it, a cursor
                from before a restore is refused with `feed_changed`. A UUID, such as
                7d444840-9dc0-41d1-b245-5ffdce74fad2.
            limit: How many at most; 100 when absent. 1 to 1,000.
            options: Options of this call.

        Raises:
            ConflictError: ``feed_changed``, ``events_removed``.

        Example:
            result = await partner.events.list(
                after=7,
                after_event_id="01941f29-7b9c-7c3d-9f21-3a5b0c7d9e42",
                limit=100,
            )
        """
        request = {"after": after, "after_event_id": after_event_id, "limit": limit}
        return cast("EventsListResponse", await self._caller.call("events.list", request, options))
