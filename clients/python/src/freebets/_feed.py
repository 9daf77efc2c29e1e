"""Follows the events of a partner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, Union, cast

from ._caller import Caller
from ._errors import FreebetsError
from .types import FreebetsEvent

Cursor = Union[int, Mapping[str, Any]]


class Feed:
    """Reads the events after a cursor, batch by batch. The cursor follows the events that were handed out."""

    def __init__(
        self,
        caller: Caller,
        after: Cursor,
        follow: bool,
        pause_s: float,
        is_stopped: Callable[[], bool],
        on_error: Callable[[FreebetsError], None],
    ) -> None:
        self._caller, self._follow, self._pause_s, self._on_error = caller, follow, pause_s, on_error
        self._cursor: Mapping[str, Any] = {"sequence": after} if isinstance(after, int) else after
        self.is_stopped = is_stopped

    def advance(self, event: FreebetsEvent) -> None:
        self._cursor = cast("Mapping[str, Any]", event)

    async def next_events(self) -> list[FreebetsEvent] | None:
        """The next events; None at the end. With `follow` it waits for them."""
        while not self.is_stopped():
            request = {"after": self._cursor["sequence"], "limit": 1000}
            if self._cursor.get("event_id") is not None:
                request["after_event_id"] = self._cursor["event_id"]
            try:
                events: list[FreebetsEvent] = (await self._caller.call("events.list", request))["events"]
            except FreebetsError as error:
                if not self._follow or not error.is_retryable:
                    raise
                self._on_error(error)
                events = []
            if events:
                return events
            if not self._follow:
                return None
            await self._caller.runtime.sleep(self._pause_s)
        return None
