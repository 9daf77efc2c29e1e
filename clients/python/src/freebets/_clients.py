from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar

from . import async_resources, resources
from ._caller import Caller, Signing, parse_base_url
from ._errors import FreebetsError
from ._feed import Cursor, Feed
from ._http import Pool
from ._job_methods import AsyncJobs, Jobs
from ._options import Limits, OnAttempt
from ._runtime import AsyncRuntime, BlockingRuntime, run
from .types import FreebetsEvent

_Self = TypeVar("_Self", bound="_BlockingClient")
_AsyncSelf = TypeVar("_AsyncSelf", bound="_AsyncClient")


class _BlockingClient:
    def __init__(
        self,
        base_url: str,
        identity: Mapping[str, Any],
        secret: str,
        signing: Signing,
        limits: Limits,
        max_connections: int,
        ssl_context: Optional[ssl.SSLContext],
        on_attempt: Optional[OnAttempt],
    ) -> None:
        base = parse_base_url(base_url)
        self._pool = Pool(base, max_connections, ssl_context)
        runtime = BlockingRuntime(self._pool)
        self._caller = Caller(base, identity, secret, signing, limits, on_attempt, runtime)

    def close(self) -> None:
        """Closes the idle connections. Later calls open new ones."""
        self._pool.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _AsyncClient:
    def __init__(
        self,
        base_url: str,
        identity: Mapping[str, Any],
        secret: str,
        signing: Signing,
        limits: Limits,
        max_connections: int,
        ssl_context: Optional[ssl.SSLContext],
        on_attempt: Optional[OnAttempt],
    ) -> None:
        base = parse_base_url(base_url)
        self._pool = Pool(base, max_connections, ssl_context)
        self._runtime = AsyncRuntime(self._pool, max_connections)
        self._caller = Caller(base, identity, secret, signing, limits, on_attempt, self._runtime)

    async def close(self) -> None:
        """Closes the connections and ends the threads. The client can't be used after it."""
        self._runtime.close()
        self._pool.close()

    async def __aenter__(self: _AsyncSelf) -> _AsyncSelf:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


def _never() -> bool:
    return False


def _ignore(_: FreebetsError) -> None:
    pass


class Partner(_BlockingClient):
    """The blocking client of a partner. Any number of threads may use it.

    Args:
        base_url: The address of the service, with or without ``/v3``.
        client_id: Your number, 1 to 2,147,483,647.
        secret: Your secret. It is never sent.
        signing: ``strict`` signs the time and the path too. It needs an exact clock.
        max_retries: How often a call is retried at most.
        attempt_timeout_s: Seconds that one attempt may take.
        deadline_s: Seconds that a call may take, with all attempts and pauses.
        max_connections: How many idle connections are kept.
        ssl_context: For a certificate authority of your own, or a client certificate.
        on_attempt: Receives an `Attempt` after each attempt. Its exceptions are logged and ignored.

    Example:
        partner = Partner("https://freebets.example.com", client_id=1, secret="your secret", signing="strict")
    """

    def __init__(
        self,
        base_url: str,
        client_id: int,
        secret: str,
        *,
        signing: Signing = "plain",
        max_retries: int = 2,
        attempt_timeout_s: float = 10.0,
        deadline_s: float = 30.0,
        max_connections: int = 20,
        ssl_context: ssl.SSLContext | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        limits = Limits(max_retries, attempt_timeout_s, deadline_s)
        options = (signing, limits, max_connections, ssl_context, on_attempt)
        super().__init__(base_url, {"client_id": client_id}, secret, *options)
        self.campaigns = resources.Campaigns(self._caller)
        self.free_bets = resources.FreeBets(self._caller)
        self.jobs = Jobs(self._caller)
        self.games = resources.Games(self._caller)
        self.events = resources.Events(self._caller)
        self.sandbox = resources.Sandbox(self._caller)

    def follow_events(
        self,
        after: Cursor = 0,
        follow: bool = True,
        pause_s: float = 1.0,
        is_stopped: Callable[[], bool] = _never,
        on_error: Callable[[FreebetsError], None] = _ignore,
    ) -> Iterator[FreebetsEvent]:
        """Yields every event after a cursor in order, and then new events as they happen.

        Args:
            after: The last event that you processed, or a dictionary with its ``sequence`` and ``event_id``. A number
                alone works too, but then a restore of the service goes unnoticed.
            follow: False ends at the last event. True continues while the service can't be reached.
            pause_s: Seconds between two calls without new events.
            is_stopped: Ends the iteration when it returns True.
            on_error: Receives the error of each call that failed and is repeated.

        Raises:
            ConflictError: ``feed_changed`` or ``events_removed``: reconcile your data. They are never retried.

        Example:
            for event in partner.follow_events(after={"sequence": 7, "event_id": stored_event_id}):
                print(event["sequence"], event["type"])
        """
        feed = Feed(self._caller, after, follow, pause_s, is_stopped, on_error)
        while True:
            events = run(feed.next_events())
            if events is None:
                return
            for event in events:
                if is_stopped():
                    return
                feed.advance(event)
                yield event


class AsyncPartner(_AsyncClient):
    """The asyncio client of a partner. Any number of tasks may use it.

    Args:
        base_url: The address of the service, with or without ``/v3``.
        client_id: Your number, 1 to 2,147,483,647.
        secret: Your secret. It is never sent.
        signing: ``strict`` signs the time and the path too. It needs an exact clock.
        max_retries: How often a call is retried at most.
        attempt_timeout_s: Seconds that one attempt may take.
        deadline_s: Seconds that a call may take, with all attempts and pauses.
        max_connections: How many calls are sent at the same time. Further calls wait.
        ssl_context: For a certificate authority of your own, or a client certificate.
        on_attempt: Receives an `Attempt` after each attempt. Its exceptions are logged and ignored.

    Example:
        async with AsyncPartner("https://freebets.example.com", client_id=1, secret="your secret") as partner:
            games = await partner.games.list()
    """

    def __init__(
        self,
        base_url: str,
        client_id: int,
        secret: str,
        *,
        signing: Signing = "plain",
        max_retries: int = 2,
        attempt_timeout_s: float = 10.0,
        deadline_s: float = 30.0,
        max_connections: int = 20,
        ssl_context: ssl.SSLContext | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        limits = Limits(max_retries, attempt_timeout_s, deadline_s)
        options = (signing, limits, max_connections, ssl_context, on_attempt)
        super().__init__(base_url, {"client_id": client_id}, secret, *options)
        self.campaigns = async_resources.AsyncCampaigns(self._caller)
        self.free_bets = async_resources.AsyncFreeBets(self._caller)
        self.jobs = AsyncJobs(self._caller)
        self.games = async_resources.AsyncGames(self._caller)
        self.events = async_resources.AsyncEvents(self._caller)
        self.sandbox = async_resources.AsyncSandbox(self._caller)

    async def follow_events(
        self,
        after: Cursor = 0,
        follow: bool = True,
        pause_s: float = 1.0,
        is_stopped: Callable[[], bool] = _never,
        on_error: Callable[[FreebetsError], None] = _ignore,
    ) -> AsyncIterator[FreebetsEvent]:
        """Yields every event after a cursor in order, and then new events as they happen.

        See `Partner.follow_events` for the arguments and errors.

        Example:
            async for event in partner.follow_events(after={"sequence": 7, "event_id": stored_event_id}):
                print(event["sequence"], event["type"])
        """
        feed = Feed(self._caller, after, follow, pause_s, is_stopped, on_error)
        while True:
            events = await feed.next_events()
            if events is None:
                return
            for event in events:
                if is_stopped():
                    return
                feed.advance(event)
                yield event


class Provider(_BlockingClient):
    """The blocking client of a game provider. Any number of threads may use it.

    `provider_id` is your name: 1 to 64 lower-case letters, digits and hyphens. See `Partner` for the other arguments.

    Example:
        provider = Provider("https://freebets.example.com", provider_id="lantern-quay", secret="your secret")
    """

    def __init__(
        self,
        base_url: str,
        provider_id: str,
        secret: str,
        *,
        signing: Signing = "plain",
        max_retries: int = 2,
        attempt_timeout_s: float = 10.0,
        deadline_s: float = 30.0,
        max_connections: int = 20,
        ssl_context: ssl.SSLContext | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        limits = Limits(max_retries, attempt_timeout_s, deadline_s)
        options = (signing, limits, max_connections, ssl_context, on_attempt)
        super().__init__(base_url, {"provider_id": provider_id}, secret, *options)
        self.rounds = resources.Rounds(self._caller)


class AsyncProvider(_AsyncClient):
    """The asyncio client of a game provider. See `Provider` and `AsyncPartner` for the arguments.

    Example:
        async with AsyncProvider("https://freebets.example.com", "lantern-quay", "your secret") as provider:
            bet = await provider.rounds.get(client_id=1, bet_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11")
    """

    def __init__(
        self,
        base_url: str,
        provider_id: str,
        secret: str,
        *,
        signing: Signing = "plain",
        max_retries: int = 2,
        attempt_timeout_s: float = 10.0,
        deadline_s: float = 30.0,
        max_connections: int = 20,
        ssl_context: ssl.SSLContext | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        limits = Limits(max_retries, attempt_timeout_s, deadline_s)
        options = (signing, limits, max_connections, ssl_context, on_attempt)
        super().__init__(base_url, {"provider_id": provider_id}, secret, *options)
        self.rounds = async_resources.AsyncRounds(self._caller)
