# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from typing import Any, Dict, Literal, cast

from .._caller import Caller
from .._options import NOT_GIVEN, CallOptions, NotGiven
from .._pages import Page, first_page
from .._runtime import run
from ..types import RoundBet, RoundsAvailableResponse, RoundsBetResponse, RoundsSettleResponse


class Rounds:
    """The methods of ``provider.rounds``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def available(
        self,
        *,
        client_id: int,
        player_id: str,
        game_id: str,
        currency: str,
        options: CallOptions | None = None,
    ) -> RoundsAvailableResponse:
        """Find the free bets a player can use: ``/Rounds/Available``.

        Returns the free bets that the player can use in this game now. The first expires soonest.

        Args:
            client_id: The partner of the player. 1 to 2,147,483,647.
            player_id: The partner's id of the player: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            game_id: The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            currency: Currency code: 3 to 10 capitals and digits, such as EUR or USDT.
            options: Options of this call.

        Example:
            result = provider.rounds.available(
                client_id=1,
                player_id="player-7",
                game_id="lantern-skyline-ascent",
                currency="EUR",
            )
        """
        request = {"client_id": client_id, "player_id": player_id, "game_id": game_id, "currency": currency}
        return cast("RoundsAvailableResponse", run(self._caller.call("rounds.available", request, options)))

    def bet(
        self,
        *,
        client_id: int,
        bet_id: str,
        issue_id: str,
        player_id: str,
        game_id: str,
        coefficient: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> RoundsBetResponse:
        """Place a bet with a free bet: ``/Rounds/Bet``.

        Uses one bet of a free bet. For fixed odds, send the `coefficient` here; it must be within the limits. For a
        crash game, send it with the settlement.

        Args:
            client_id: The partner of the player. 1 to 2,147,483,647.
            bet_id: The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower
                case.
            issue_id: The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case.
            player_id: The partner's id of the player: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            game_id: The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            coefficient: Odds or multiplier: a number of at least 1, with up to six digits and four decimals, such
                as "1.20".
            options: Options of this call.

        Raises:
            NotFoundError: ``free_bet_not_found``.
            ConflictError: ``game_not_covered``, ``free_bet_cancelled``, ``free_bet_not_started``,
                ``free_bet_used_up``, ``free_bet_expired``, ``coefficient_out_of_range``, ``bet_rolled_back``,
                ``id_reused``.

        Example:
            result = provider.rounds.bet(
                client_id=1,
                bet_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11",
                issue_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01",
                player_id="player-7",
                game_id="lantern-skyline-ascent",
            )
        """
        request = {
            "client_id": client_id,
            "bet_id": bet_id,
            "issue_id": issue_id,
            "player_id": player_id,
            "game_id": game_id,
            "coefficient": coefficient,
        }
        return cast("RoundsBetResponse", run(self._caller.call("rounds.bet", request, options)))

    def settle(
        self,
        *,
        client_id: int,
        bet_id: str,
        result: Literal["lost", "won"],
        coefficient: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> RoundsSettleResponse:
        """Settle a bet: ``/Rounds/Settle``.

        Settles a bet as won or lost, for good. A bet placed with odds wins at these odds. Otherwise the `coefficient`
        sent here must reach the minimum, and is lowered to the maximum if it is higher. The stake is not returned,
        unless the partner is configured so.

        Args:
            client_id: The partner of the player. 1 to 2,147,483,647.
            bet_id: The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower
                case.
            coefficient: Odds or multiplier: a number of at least 1, with up to six digits and four decimals, such
                as "1.20".
            options: Options of this call.

        Raises:
            NotFoundError: ``bet_not_found``.
            ConflictError: ``bet_rolled_back``, ``bet_already_settled``, ``coefficient_out_of_range``.

        Example:
            result = provider.rounds.settle(
                client_id=1,
                bet_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11",
                result="won",
                coefficient="2.35",
            )
        """
        request = {"client_id": client_id, "bet_id": bet_id, "result": result, "coefficient": coefficient}
        return cast("RoundsSettleResponse", run(self._caller.call("rounds.settle", request, options)))

    def rollback(
        self,
        *,
        client_id: int,
        bet_id: str,
        options: CallOptions | None = None,
    ) -> Dict[str, Any]:
        """Roll a bet back: ``/Rounds/Rollback``.

        Cancels the bet. The free bet can use it again until it expires. If the bet is not known yet, it is refused when
        it arrives later.

        Args:
            client_id: The partner of the player. 1 to 2,147,483,647.
            bet_id: The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower
                case.
            options: Options of this call.

        Raises:
            ConflictError: ``bet_already_settled``.

        Example:
            result = provider.rounds.rollback(client_id=1, bet_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e13")
        """
        request = {"client_id": client_id, "bet_id": bet_id}
        return cast("Dict[str, Any]", run(self._caller.call("rounds.rollback", request, options)))

    def get(
        self,
        *,
        client_id: int,
        bet_id: str,
        options: CallOptions | None = None,
    ) -> RoundBet:
        """Read a bet: ``/Rounds/Get``.

        Returns the state of your bet. If the bet was rolled back before it arrived, all other fields are null.

        Args:
            client_id: The partner of the player. 1 to 2,147,483,647.
            bet_id: The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower
                case.
            options: Options of this call.

        Raises:
            NotFoundError: ``bet_not_found``.

        Example:
            result = provider.rounds.get(client_id=1, bet_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11")
        """
        request = {"client_id": client_id, "bet_id": bet_id}
        return cast("RoundBet", run(self._caller.call("rounds.get", request, options)))

    def open(
        self,
        *,
        client_id: int,
        placed_until: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[RoundBet]:
        """List the open bets: ``/Rounds/Open``.

        Returns your bets on free bets of this partner that are neither settled nor rolled back, oldest first. Continue
        with `next_cursor` until it is null.

        Args:
            client_id: The partner of the player. 1 to 2,147,483,647.
            placed_until: Only items that were placed before this time. A time in UTC, such as 2027-01-31T12:00:00Z.
            limit: Items per page, 1 to 200; the most if absent.
            cursor: Starts after the page that has this `next_cursor`.
            options: Options of this call.

        Example:
            for bet in provider.rounds.open(client_id=1, placed_until="2027-01-02T19:05:00.000Z", limit=50):
                print(bet)
        """
        request = {"client_id": client_id, "placed_until": placed_until, "limit": limit, "cursor": cursor}
        return first_page(self._caller, "rounds.open", request, options)
