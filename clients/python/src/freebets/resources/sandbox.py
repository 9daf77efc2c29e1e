# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from typing import Any, Dict, Literal, cast

from .._caller import Caller
from .._options import NOT_GIVEN, CallOptions, NotGiven
from .._runtime import run
from ..types import FreeBetWithBets, SandboxClock


class Sandbox:
    """The methods of ``partner.sandbox``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def clock_get(
        self,
        *,
        options: CallOptions | None = None,
    ) -> SandboxClock:
        """Read the clock of a sandbox: ``/Sandbox/Clock/Get``.

        Returns the time of this partner, and how far it is ahead of the real time.

        Args:
            options: Options of this call.

        Raises:
            ConflictError: ``not_a_sandbox``.

        Example:
            result = partner.sandbox.clock_get()
        """
        request: Dict[str, Any] = {}
        return cast("SandboxClock", run(self._caller.call("sandbox.clock_get", request, options)))

    def clock_set(
        self,
        *,
        now: str,
        options: CallOptions | None = None,
    ) -> SandboxClock:
        """Set the clock of a sandbox: ``/Sandbox/Clock/Set``.

        Moves the clock forward, by at most two years at a time, and never past 2100. The clock continues from there.
        Everything that depends on time follows at once. Expiry events are emitted within two seconds, in order.

        Args:
            now: A time in UTC, such as 2027-01-31T12:00:00Z.
            options: Options of this call.

        Raises:
            ConflictError: ``not_a_sandbox``.

        Example:
            result = partner.sandbox.clock_set(now="2027-01-03T18:00:00.000Z")
        """
        request = {"now": now}
        return cast("SandboxClock", run(self._caller.call("sandbox.clock_set", request, options)))

    def round(
        self,
        *,
        issue_id: str,
        result: Literal["won", "lost", "rolled_back"],
        game_id: str | NotGiven = NOT_GIVEN,
        coefficient: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> FreeBetWithBets:
        """Play a round: ``/Sandbox/Round``.

        Plays one round as the game provider would, with `/Rounds/Bet` and then `/Rounds/Settle` or `/Rounds/Rollback`.
        The game is the first one of the free bet if `game_id` is absent. The `coefficient` of a win applies at the end
        of the round, as in a crash game. Every call plays a new round, also a repeated one.

        Args:
            issue_id: The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case.
            game_id: The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            coefficient: Odds or multiplier: a number of at least 1, with up to six digits and four decimals, such
                as "1.20".
            options: Options of this call.

        Raises:
            ConflictError: ``not_a_sandbox``, ``game_not_covered``, ``free_bet_cancelled``,
                ``free_bet_not_started``, ``free_bet_used_up``, ``free_bet_expired``, ``coefficient_out_of_range``.
            NotFoundError: ``free_bet_not_found``.

        Example:
            result = partner.sandbox.round(
                issue_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e02",
                result="won",
                coefficient="2.00",
            )
        """
        request = {"issue_id": issue_id, "result": result, "game_id": game_id, "coefficient": coefficient}
        return cast("FreeBetWithBets", run(self._caller.call("sandbox.round", request, options)))
