"""Options of a client and of a single call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Callable, Optional, TypedDict


class NotGiven:
    """The type of `NOT_GIVEN`, the default of arguments that are left out of the request.

    ``None`` differs from it: ``None`` is sent as null.
    """

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


class CallOptions(TypedDict, total=False):
    """Options of one call. They replace those of the client."""

    max_retries: int
    """How often the call is retried at most."""
    attempt_timeout_s: float
    """Seconds that one attempt may take."""
    deadline_s: float
    """Seconds that the call may take, with all attempts and pauses."""
    request_id: str
    """Your name for the request in the logs of the service: 1 to 64 characters of ``A-Za-z0-9._-``."""
    extra_body: Mapping[str, object]
    """Fields to add to the request, such as one that this version does not have yet."""


@dataclass(frozen=True)
class Attempt:
    """One attempt of a call, as `on_attempt` receives it."""

    method: str
    """The method, such as ``free_bets.issue``."""
    number: int
    """1 for the first attempt."""
    status: Optional[int]
    """The HTTP status; None without a response."""
    error: Optional[str]
    """The name of the error; None after a success."""
    request_id: Optional[str]
    """The request in the logs of the service."""
    duration_s: float
    """How long the attempt took."""
    retry_in_s: Optional[float]
    """The pause before the next attempt; None if there is none."""


OnAttempt = Callable[[Attempt], None]


@dataclass(frozen=True)
class Limits:
    """How often and how long a call is tried."""

    max_retries: int = 2
    attempt_timeout_s: float = 10.0
    deadline_s: float = 30.0

    def __post_init__(self) -> None:
        # So that NaN is refused too.
        if not (self.max_retries >= 0 and self.attempt_timeout_s > 0 and self.deadline_s > 0):
            raise ValueError("max_retries must be at least 0; attempt_timeout_s and deadline_s must be above 0.")

    def with_options(self, options: CallOptions) -> Limits:
        unknown = options.keys() - CallOptions.__annotations__.keys()
        if unknown:
            raise TypeError(f"Unknown option: {', '.join(sorted(unknown))}.")
        return Limits(
            options.get("max_retries", self.max_retries),
            options.get("attempt_timeout_s", self.attempt_timeout_s),
            options.get("deadline_s", self.deadline_s),
        )
