"""Sends a list of players as a job, and waits for it.

Only a few parts are in memory at a time. The same items always make the same parts, and every call is idempotent. So
an interrupted job continues with the same `job_id` and the same items.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Callable, Optional, Union, cast

from ._caller import Caller
from ._errors import ConflictError, FreebetsError
from ._operations import ITEMS_OF_PART
from ._options import CallOptions
from ._runtime import Crew
from .types import Job, JobItem

# A body may have 1 MiB. This leaves room for the fields around the items.
BYTES_OF_PART = 1024 * 1024 - 1024
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 1.0

OnSent = Callable[[int, int], None]
AnyItems = Union[Iterable[JobItem], AsyncIterable[JobItem]]
Parts = AsyncIterator["list[JobItem]"]


class _Part:
    """The items of the part that is being filled."""

    def __init__(self) -> None:
        self.items: list[JobItem] = []
        self._size = 0

    def add(self, item: JobItem) -> list[JobItem] | None:
        """Adds an item. Returns the part before it if that is full."""
        # With the comma.
        size = len(json.dumps(item, separators=(",", ":"))) + 1
        full = None
        if len(self.items) == ITEMS_OF_PART or (self.items and self._size + size > BYTES_OF_PART):
            full, self.items, self._size = self.items, [], 0
        self.items.append(item)
        self._size += size
        return full


def parts_of(items: Iterable[JobItem]) -> Iterator[list[JobItem]]:
    """Divides a list into parts as large as the limits on items and bytes allow, as `jobs.run` does.

    Example:
        for number, part in enumerate(parts_of(players), 1):
            partner.jobs.add(job_id=job_id, part=number, items=part)
    """
    filling = _Part()
    for item in items:
        full = filling.add(item)
        if full is not None:
            yield full
    if filling.items:
        yield filling.items


class PartSource:
    """The parts of any iterable, one at a time."""

    def __init__(self, items: AnyItems) -> None:
        self._async = items.__aiter__() if isinstance(items, AsyncIterable) else None
        self._blocking = iter(()) if isinstance(items, AsyncIterable) else parts_of(items)
        self._filling = _Part()

    async def next(self) -> list[JobItem] | None:
        if self._async is None:
            return next(self._blocking, None)
        async for item in self._async:
            full = self._filling.add(item)
            if full is not None:
                return full
        rest, self._filling = self._filling.items, _Part()
        return rest or None


class JobRunner:
    def __init__(self, caller: Caller, options: CallOptions | None) -> None:
        self._caller, self._options = caller, options

    async def _call(self, method: str, request: dict[str, Any]) -> Any:
        return await self._caller.call(method, request, self._options)

    async def run(
        self, items: AnyItems, job: dict[str, Any], parallel: int, crew: Crew[int], on_sent: Optional[OnSent]
    ) -> Job:
        try:
            if "job_id" in job:
                return await self._run(items, job, parallel, crew, on_sent)
            made = {"job_id": str(uuid.uuid4())}
            try:
                return await self._run(items, {**job, **made}, parallel, crew, on_sent)
            except FreebetsError as error:
                raise error._with_request(made)
        finally:
            await crew.close()

    async def wait(self, job_id: str, on_progress: Callable[[Job], None]) -> Job:
        pause_s = FIRST_PAUSE_S
        while True:
            job = cast(Job, await self._call("jobs.get", {"job_id": job_id}))
            on_progress(job)
            if job["status"] in ("finished", "failed", "stopped"):
                return job
            await self._caller.runtime.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _run(
        self, items: AnyItems, job: dict[str, Any], parallel: int, crew: Crew[int], on_sent: Optional[OnSent]
    ) -> Job:
        present = await self._hand_over(items, job, parallel, crew, on_sent)
        if present["status"] == "failed":
            failure = present.get("failure") or {"reason": "The service does not say why."}
            failed = ConflictError("job_failed", f"The job failed. {failure['reason']}", status=409)
            failed.may_have_happened = True
            raise failed
        if present["status"] == "stopped":
            stopped = ConflictError("job_started", "The job was stopped.", status=409, code=641)
            stopped.may_have_happened = present.get("started_at") is not None
            raise stopped
        return cast(Job, present)

    async def _hand_over(
        self, items: AnyItems, job: dict[str, Any], parallel: int, crew: Crew[int], on_sent: Optional[OnSent]
    ) -> Any:
        source = PartSource(items)
        first = await source.next()
        if first is None:
            raise ValueError("The list has no items.")
        job_id = job["job_id"]
        await self._call("jobs.create", job)
        # `create` returns the job as it was first created, so read its current state.
        present = await self._call("jobs.get", {"job_id": job_id})
        if present["status"] != "open":
            return present
        try:
            parts, count = await self._send_parts(job_id, first, source, parallel, crew, on_sent)
            return await self._call("jobs.start", {"job_id": job_id, "parts": parts, "items": count})
        except FreebetsError as error:
            # Another process has started or stopped the job meanwhile.
            if error.error != "job_started":
                raise
            try:
                return await self._call("jobs.get", {"job_id": job_id})
            except FreebetsError as unread:
                unread.may_have_happened = True
                raise

    async def _send_parts(
        self,
        job_id: str,
        first: list[JobItem],
        source: PartSource,
        parallel: int,
        crew: Crew[int],
        on_sent: Optional[OnSent],
    ) -> tuple[int, int]:
        part: Optional[list[JobItem]] = first
        taken = before = sent_parts = sent_items = 0
        while part is not None or crew.size > 0:
            if part is not None and crew.size < max(parallel, 1):
                taken += 1
                crew.start(self._send_part(job_id, taken, part, before))
                before += len(part)
                part = await source.next()
                continue
            for items in await crew.next_done():
                sent_parts, sent_items = sent_parts + 1, sent_items + items
                if on_sent is not None:
                    on_sent(sent_parts, sent_items)
        return sent_parts, sent_items

    async def _send_part(self, job_id: str, number: int, items: list[JobItem], before: int) -> int:
        try:
            await self._call("jobs.add", {"job_id": job_id, "part": number, "items": items})
        except FreebetsError as error:
            # The service counts within the part; the caller knows only the list.
            for detail in error.details:
                detail["field"] = re.sub(r"(?<=^items\[)\d+", lambda it: str(before + int(it[0])), detail["field"])
            raise
        return len(items)
