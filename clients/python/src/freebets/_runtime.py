"""What differs between the blocking and the asyncio client.

The logic of the clients is written once, in coroutines. The blocking client runs them with `run`: its runtime blocks
instead of suspending, so that a coroutine ends in one step.

The asyncio client exchanges requests in threads, because then TLS, proxies and HTTP are those of http.client. A
cancelled call closes its socket at once, so that its thread ends too, and the connection is not used again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, Protocol, TypeVar, cast

from ._http import HttpRequest, HttpResponse, Lease, NoResponseError, NotSentError, Pool

T = TypeVar("T")


class Runtime(Protocol):
    async def exchange(self, request: HttpRequest, timeout_s: float, is_fresh: bool) -> HttpResponse: ...

    async def sleep(self, seconds: float) -> None: ...


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine whose runtime is a `BlockingRuntime`."""
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return cast(T, ended.value)
    coroutine.close()
    raise AssertionError("a coroutine of the blocking client was suspended")


class BlockingRuntime:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def exchange(self, request: HttpRequest, timeout_s: float, is_fresh: bool) -> HttpResponse:
        return self._pool.exchange(request, timeout_s, is_fresh, Lease())

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncRuntime:
    def __init__(self, pool: Pool, threads: int) -> None:
        self._pool = pool
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="freebets")

    async def exchange(self, request: HttpRequest, timeout_s: float, is_fresh: bool) -> HttpResponse:
        lease = Lease()
        loop = asyncio.get_running_loop()
        exchange = loop.run_in_executor(self._threads, self._pool.exchange, request, timeout_s, is_fresh, lease)
        try:
            # Not wait_for, which can lose a cancellation before Python 3.12.
            done, _ = await asyncio.wait({exchange}, timeout=max(0.0, timeout_s))
            if done:
                return exchange.result()
        finally:
            # Without effect after its end.
            exchange.cancel()
            lease.abort()
        kind = NoResponseError if lease.was_sent else NotSentError
        raise kind("timed out", is_timeout=True)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def close(self) -> None:
        self._threads.shutdown(wait=False)


class Crew(Protocol[T]):
    """Runs coroutines at the same time."""

    def start(self, work: Coroutine[Any, Any, T]) -> None: ...

    async def next_done(self) -> list[T]:
        """Waits until at least one has ended, and returns the results of all that have."""
        ...

    @property
    def size(self) -> int: ...

    async def close(self) -> None: ...


class ThreadCrew(Generic[T]):
    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="freebets-job")
        self._running: set[Future[T]] = set()

    @property
    def size(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> None:
        self._running.add(self._pool.submit(lambda: run(work)))

    async def next_done(self) -> list[T]:
        done, self._running = wait(self._running, return_when=FIRST_COMPLETED)
        return [one.result() for one in done]

    async def close(self) -> None:
        self._pool.shutdown()


class TaskCrew(Generic[T]):
    def __init__(self) -> None:
        self._running: set[asyncio.Task[T]] = set()

    @property
    def size(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> None:
        self._running.add(asyncio.create_task(work))

    async def next_done(self) -> list[T]:
        done, self._running = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        return [one.result() for one in done]

    async def close(self) -> None:
        for one in self._running:
            one.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
