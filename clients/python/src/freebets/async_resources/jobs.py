# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Dict, Literal, cast

from .._caller import Caller
from .._options import NOT_GIVEN, CallOptions, NotGiven
from .._pages import AsyncList, async_list
from ..types import CoefficientConfigParam, Job, JobAddResponse, JobItem, JobRefusal


class AsyncJobs:
    """The methods of ``partner.jobs``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        job_id: str,
        name: str,
        start_at: str | NotGiven = NOT_GIVEN,
        campaign_id: str | NotGiven = NOT_GIVEN,
        bet_amount: str | NotGiven = NOT_GIVEN,
        quantity: int | NotGiven = NOT_GIVEN,
        games: Sequence[str] | NotGiven = NOT_GIVEN,
        valid_from: str | NotGiven = NOT_GIVEN,
        valid_until: str | NotGiven = NOT_GIVEN,
        duration_min: int | NotGiven = NOT_GIVEN,
        config: CoefficientConfigParam | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Job:
        """Create a job: ``/FreeBets/Jobs/Create``.

        Creates a job that issues a free bet to each player of a list: from a campaign (`campaign_id`), or directly with
        shared parameters. Add the players in parts, then start the job. Nothing is issued before that. A job that stays
        open for seven days is removed.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            name: A display name; the free bets of a direct job get it too: 1 to 255 printable characters, none that
                turns the direction of writing.
            start_at: The earliest time at which the job begins after it was started. ISO 8601 in UTC, ending in
                `Z`. A time in UTC, such as 2027-01-31T12:00:00Z.
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            bet_amount: An amount with exactly two decimals, greater than zero, at most 13 digits before the point,
                such as "1.50".
            quantity: The number of bets in one free bet, shared by the games listed. 1 to 1,000.
            games: 1 to 500 items, all different.
            valid_from: A time in UTC, such as 2027-01-31T12:00:00Z.
            valid_until: A time in UTC, such as 2027-01-31T12:00:00Z.
            duration_min: Minutes from the activation (the later of issue and `valid_from`) until the free bet
                expires. 1 to 525,600.
            options: Options of this call.

        Raises:
            NotFoundError: ``campaign_not_found``.
            ConflictError: ``campaign_stopped``, ``campaign_ended``, ``job_quota_reached``, ``id_reused``.
            ValidationError: ``invalid_validity``, ``game_not_available``, ``game_without_free_bets``.

        Example:
            result = await partner.jobs.create(
                job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21",
                name="Everybody of last weekend",
                campaign_id="weekend",
            )
        """
        request = {
            "job_id": job_id,
            "name": name,
            "start_at": start_at,
            "campaign_id": campaign_id,
            "bet_amount": bet_amount,
            "quantity": quantity,
            "games": games,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "duration_min": duration_min,
            "config": config,
        }
        return cast("Job", await self._caller.call("jobs.create", request, options))

    async def add(
        self,
        *,
        job_id: str,
        part: int,
        items: Sequence[JobItem],
        options: CallOptions | None = None,
    ) -> JobAddResponse:
        """Add a part to a job: ``/FreeBets/Jobs/Add``.

        Takes up to 5,000 items per part, and 10,000 parts and 10,000,000 items per job. If you send a part again with
        the same items, it returns the same response; with other items it is refused.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            part: The number of the part. You number the parts from 1 and may send them in any order. 1 to 10,000.
            items: The players of this part. Only a direct job takes `bet_amount` and `quantity`, in place of the
                shared ones. If `issue_id` is absent, it is derived from `job_id`, `part` and the position of the item.
                1 to 5,000 items.
            options: Options of this call.

        Raises:
            NotFoundError: ``job_not_found``.
            ConflictError: ``job_started``, ``job_quota_reached``, ``id_reused``.

        Example:
            result = await partner.jobs.add(
                job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21",
                part=1,
                items=[
                    {"player_id": "player-10", "currency": "EUR"},
                    {"player_id": "player-11", "currency": "GBP"},
                ],
            )
        """
        request = {"job_id": job_id, "part": part, "items": items}
        return cast("JobAddResponse", await self._caller.call("jobs.add", request, options))

    async def start(
        self,
        *,
        job_id: str,
        parts: int,
        items: int,
        options: CallOptions | None = None,
    ) -> Job:
        """Start a job: ``/FreeBets/Jobs/Start``.

        Issues in the background from now on, or from `start_at`. Send the numbers of parts and items that you added, so
        that the service notices lost parts. Your jobs run one after the other, in the order in which they were started.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            parts: The number of parts that you sent. 1 to 10,000.
            items: The number of items that you sent, in all parts. 1 to 10,000,000.
            options: Options of this call.

        Raises:
            NotFoundError: ``job_not_found``.
            ConflictError: ``job_incomplete``.

        Example:
            result = await partner.jobs.start(job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21", parts=1, items=2)
        """
        request = {"job_id": job_id, "parts": parts, "items": items}
        return cast("Job", await self._caller.call("jobs.start", request, options))

    async def get(
        self,
        *,
        job_id: str,
        options: CallOptions | None = None,
    ) -> Job:
        """Read a job: ``/FreeBets/Jobs/Get``.

        Returns the job and its progress.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            options: Options of this call.

        Raises:
            NotFoundError: ``job_not_found``.

        Example:
            result = await partner.jobs.get(job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21")
        """
        request = {"job_id": job_id}
        return cast("Job", await self._caller.call("jobs.get", request, options))

    def list(
        self,
        *,
        status: Literal["open", "scheduled", "running", "finished", "failed", "stopped"] | NotGiven = NOT_GIVEN,
        campaign_id: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncList[Job]:
        """List jobs: ``/FreeBets/Jobs/List``.

        Returns the newest first. A page may have fewer items than `limit`, or none, and still have a `next_cursor`:
        continue until it is null.

        Args:
            status: `open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while
                it waits for an earlier job of yours. `failed` when the service could not process the next item:
                `failure` says why.
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            limit: Items per page, 1 to 200; the most if absent.
            cursor: Starts after the page that has this `next_cursor`.
            options: Options of this call.

        Example:
            async for job in partner.jobs.list(status="finished", limit=50):
                print(job)
        """
        request = {"status": status, "campaign_id": campaign_id, "limit": limit, "cursor": cursor}
        return async_list(self._caller, "jobs.list", request, options)

    def refusals(
        self,
        *,
        job_id: str,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncList[JobRefusal]:
        """List the refused items: ``/FreeBets/Jobs/Refusals``.

        Returns every item that was refused so far, with the error that Issue would have returned. A page may have fewer
        items than `limit` and still have a `next_cursor`: continue until it is null. While the job runs, null means
        that there are no more refused items yet.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            limit: Items per page, 1 to 1,000; the most if absent.
            cursor: Starts after the page that has this `next_cursor`.
            options: Options of this call.

        Raises:
            NotFoundError: ``job_not_found``.

        Example:
            async for refusal in partner.jobs.refusals(job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21"):
                print(refusal)
        """
        request = {"job_id": job_id, "limit": limit, "cursor": cursor}
        return async_list(self._caller, "jobs.refusals", request, options)

    async def retry(
        self,
        *,
        job_id: str,
        options: CallOptions | None = None,
    ) -> Job:
        """Retry a failed job: ``/FreeBets/Jobs/Retry``.

        Continues a failed job with the item that it failed at; free bets issued before stay counted. Returns the job. A
        job that has not failed is returned unchanged, so the call can be repeated safely.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            options: Options of this call.

        Raises:
            NotFoundError: ``job_not_found``.

        Example:
            result = await partner.jobs.retry(job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21")
        """
        request = {"job_id": job_id}
        return cast("Job", await self._caller.call("jobs.retry", request, options))

    async def stop(
        self,
        *,
        job_id: str,
        options: CallOptions | None = None,
    ) -> Dict[str, Any]:
        """Stop a job: ``/FreeBets/Jobs/Stop``.

        Stops the job for good: the remaining items are never issued. Free bets already issued stay valid. A failed job
        can be stopped too.

        Args:
            job_id: The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower
                case.
            options: Options of this call.

        Raises:
            NotFoundError: ``job_not_found``.

        Example:
            result = await partner.jobs.stop(job_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e21")
        """
        request = {"job_id": job_id}
        return cast("Dict[str, Any]", await self._caller.call("jobs.stop", request, options))
