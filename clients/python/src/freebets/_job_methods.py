"""The methods for jobs that combine several operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Callable

from ._jobs import AnyItems, JobRunner, OnSent
from ._options import CallOptions
from ._runtime import TaskCrew, ThreadCrew, run
from .async_resources import AsyncJobs as AsyncJobsOperations
from .resources import Jobs as JobsOperations
from .types import Job, JobItem


def _ignore(_: Job) -> None:
    pass


class Jobs(JobsOperations):
    def run(
        self,
        items: Iterable[JobItem],
        *,
        parallel: int = 3,
        on_sent: OnSent | None = None,
        options: CallOptions | None = None,
        **job: Any,
    ) -> Job:
        """Creates a job, sends its items, starts it, and returns it.

        With the same `job_id` and the same items, it continues where it was interrupted. A job that was started before
        is returned unchanged, and nothing is sent.

        Args:
            items: The players, as dictionaries like those of `add`. Any number, from any iterable.
            parallel: How many parts are sent at the same time. A part takes up to 1 MiB of memory.
            on_sent: Receives the numbers of parts and of items that the service has accepted.
            options: Options of each call.
            **job: The arguments of `create`. Without a `job_id` the client makes one; to continue, take it from the
                `request` of the error.

        Raises:
            ValueError: The list has no items. No job is created.
            ConflictError: ``job_started`` if the job was stopped, ``job_failed`` if it failed: see `retry`.

        Example:
            players = ({"player_id": f"player-{number}", "currency": "EUR"} for number in range(100_000))
            job = partner.jobs.run(players, job_id=stored_job_id, name="Winter", campaign_id="weekend")
        """
        runner = JobRunner(self._caller, options)
        return run(runner.run(items, job, parallel, ThreadCrew(max(parallel, 1)), on_sent))

    def wait(
        self, job_id: str, on_progress: Callable[[Job], None] = _ignore, *, options: CallOptions | None = None
    ) -> Job:
        """Reads a job until it is finished, failed or stopped, at first often and then once a second.

        Example:
            job = partner.jobs.wait(job_id)
            print(job["status"], job["issued"], job["refused"])
        """
        return run(JobRunner(self._caller, options).wait(job_id, on_progress))


class AsyncJobs(AsyncJobsOperations):
    async def run(
        self,
        items: AnyItems,
        *,
        parallel: int = 3,
        on_sent: OnSent | None = None,
        options: CallOptions | None = None,
        **job: Any,
    ) -> Job:
        """Creates a job, sends its items, starts it, and returns it.

        `items` may be an iterable or an asynchronous one. See `Jobs.run` for the other arguments and the errors.

        Example:
            players = ({"player_id": f"player-{number}", "currency": "EUR"} for number in range(100_000))
            job = await partner.jobs.run(players, job_id=stored_job_id, name="Winter", campaign_id="weekend")
        """
        runner = JobRunner(self._caller, options)
        return await runner.run(items, job, parallel, TaskCrew(), on_sent)

    async def wait(
        self, job_id: str, on_progress: Callable[[Job], None] = _ignore, *, options: CallOptions | None = None
    ) -> Job:
        """Reads a job until it is finished, failed or stopped, at first often and then once a second.

        Example:
            job = await partner.jobs.wait(job_id)
            print(job["status"], job["issued"], job["refused"])
        """
        return await JobRunner(self._caller, options).wait(job_id, on_progress)
