# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from .._caller import Caller
from .._options import NOT_GIVEN, CallOptions, NotGiven
from .._pages import Page, first_page
from .._runtime import run
from ..types import (
    CancelBatchResponse,
    CancelResponse,
    CoefficientConfigParam,
    FreeBet,
    FreeBetWithBets,
    IssueBatchResponse,
    IssueItem,
    IssueResponse,
)


class FreeBets:
    """The methods of ``partner.free_bets``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def issue(
        self,
        *,
        player_id: str,
        currency: str,
        issue_id: str | NotGiven = NOT_GIVEN,
        campaign_id: str | NotGiven = NOT_GIVEN,
        dry_run: bool | NotGiven = NOT_GIVEN,
        bet_amount: str | NotGiven = NOT_GIVEN,
        quantity: int | NotGiven = NOT_GIVEN,
        games: Sequence[str] | NotGiven = NOT_GIVEN,
        valid_until: str | NotGiven = NOT_GIVEN,
        name: str | NotGiven = NOT_GIVEN,
        valid_from: str | NotGiven = NOT_GIVEN,
        duration_min: int | NotGiven = NOT_GIVEN,
        config: CoefficientConfigParam | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> IssueResponse:
        """Issue a free bet: ``/FreeBets/Issue``.

        Issues from a campaign (`campaign_id`), or directly with all parameters in the request. If you send your own
        `issue_id`, a repeated request returns the first response again instead of issuing a second free bet. With
        `dry_run` nothing is issued.

        Args:
            player_id: The partner's id of the player: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            currency: Currency code: 3 to 10 capitals and digits, such as EUR or USDT.
            issue_id: The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case.
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            dry_run: If true, the request is decided as a real one would be now, and nothing is changed.
            bet_amount: An amount with exactly two decimals, greater than zero, at most 13 digits before the point,
                such as "1.50".
            quantity: The number of bets in one free bet, shared by the games listed. 1 to 1,000.
            games: 1 to 500 items, all different.
            valid_until: A time in UTC, such as 2027-01-31T12:00:00Z.
            name: A display name: 1 to 255 printable characters, none that turns the direction of writing.
            valid_from: A time in UTC, such as 2027-01-31T12:00:00Z.
            duration_min: Minutes from the activation (the later of issue and `valid_from`) until the free bet
                expires. 1 to 525,600.
            options: Options of this call.

        Raises:
            ValidationError: ``invalid_validity``, ``game_not_available``, ``game_without_free_bets``,
                ``currency_not_allowed``.
            NotFoundError: ``campaign_not_found``.
            ConflictError: ``campaign_stopped``, ``campaign_ended``, ``campaign_paused``, ``bonus_limit_reached``,
                ``bonus_limit_per_user_reached``, ``id_reused``.

        Example:
            result = partner.free_bets.issue(
                issue_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01",
                campaign_id="weekend",
                player_id="player-7",
                currency="EUR",
            )
        """
        request = {
            "player_id": player_id,
            "currency": currency,
            "issue_id": issue_id,
            "campaign_id": campaign_id,
            "dry_run": dry_run,
            "bet_amount": bet_amount,
            "quantity": quantity,
            "games": games,
            "valid_until": valid_until,
            "name": name,
            "valid_from": valid_from,
            "duration_min": duration_min,
            "config": config,
        }
        return cast("IssueResponse", run(self._caller.call("free_bets.issue", request, options)))

    def issue_batch(
        self,
        *,
        items: Sequence[IssueItem],
        dry_run: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> IssueBatchResponse:
        """Issue many free bets: ``/FreeBets/Issue/Batch``.

        Takes up to 1,000 issue requests. Each succeeds or fails on its own, with the errors of Issue. With `dry_run`
        they are decided one after the other, and nothing is issued.

        Args:
            items: Issue requests without `client_id`. Each is checked on its own: an invalid item fails no other
                item, unless it exceeds a limit of the whole body. 1 to 1,000 items.
            dry_run: If true, the request is decided as a real one would be now, and nothing is changed.
            options: Options of this call.

        Example:
            result = partner.free_bets.issue_batch(
                items=[
                    {
                        "issue_id": "9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03",
                        "campaign_id": "weekend",
                        "player_id": "player-9",
                        "currency": "EUR",
                    },
                    {"campaign_id": "gone", "player_id": "player-9", "currency": "EUR"},
                ],
            )
        """
        request = {"items": items, "dry_run": dry_run}
        return cast("IssueBatchResponse", run(self._caller.call("free_bets.issue_batch", request, options)))

    def cancel(
        self,
        *,
        issue_id: str,
        dry_run: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> CancelResponse:
        """Cancel an unused free bet: ``/FreeBets/Cancel``.

        Cancels a free bet that has no bets, apart from bets that were rolled back. It no longer counts towards the
        campaign cap and the per-player cap. With `dry_run` nothing is cancelled.

        Args:
            issue_id: The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case.
            dry_run: If true, the request is decided as a real one would be now, and nothing is changed.
            options: Options of this call.

        Raises:
            NotFoundError: ``free_bet_not_found``.
            ConflictError: ``free_bet_expired``, ``free_bet_already_used``.

        Example:
            result = partner.free_bets.cancel(issue_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03")
        """
        request = {"issue_id": issue_id, "dry_run": dry_run}
        return cast("CancelResponse", run(self._caller.call("free_bets.cancel", request, options)))

    def cancel_batch(
        self,
        *,
        issue_ids: Sequence[str],
        options: CallOptions | None = None,
    ) -> CancelBatchResponse:
        """Cancel many free bets: ``/FreeBets/Cancel/Batch``.

        Takes up to 1,000 ids. Each free bet is cancelled or refused on its own, with the errors of Cancel.

        Args:
            issue_ids: The ids of the free bets. An id may be repeated. 1 to 1,000 items.
            options: Options of this call.

        Example:
            result = partner.free_bets.cancel_batch(
                issue_ids=["9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03", "9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e04"],
            )
        """
        request = {"issue_ids": issue_ids}
        return cast("CancelBatchResponse", run(self._caller.call("free_bets.cancel_batch", request, options)))

    def get(
        self,
        *,
        issue_id: str,
        options: CallOptions | None = None,
    ) -> FreeBetWithBets:
        """Read a free bet: ``/FreeBets/Get``.

        Returns the current state of the free bet, with its bets.

        Args:
            issue_id: The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case.
            options: Options of this call.

        Raises:
            NotFoundError: ``free_bet_not_found``.

        Example:
            result = partner.free_bets.get(issue_id="9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01")
        """
        request = {"issue_id": issue_id}
        return cast("FreeBetWithBets", run(self._caller.call("free_bets.get", request, options)))

    def list(
        self,
        *,
        player_id: str | NotGiven = NOT_GIVEN,
        campaign_id: str | NotGiven = NOT_GIVEN,
        status: Literal["issued", "active", "in_use", "finished", "cancelled", "expired"] | NotGiven = NOT_GIVEN,
        issued_from: str | NotGiven = NOT_GIVEN,
        issued_until: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> Page[FreeBet]:
        """List free bets: ``/FreeBets/List``.

        Returns the newest first. A page may have fewer items than `limit`, or none, and still have a `next_cursor`:
        continue until it is null.

        Args:
            player_id: The partner's id of the player: 1 to 128 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            status: `issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not rolled
                back.
            issued_from: Only items that were issued at this time or later. A time in UTC, such as
                2027-01-31T12:00:00Z.
            issued_until: Only items that were issued before this time. A time in UTC, such as 2027-01-31T12:00:00Z.
            limit: Items per page, 1 to 200; the most if absent.
            cursor: Starts after the page that has this `next_cursor`.
            options: Options of this call.

        Example:
            for free_bet in partner.free_bets.list(player_id="player-7"):
                print(free_bet)
        """
        request = {
            "player_id": player_id,
            "campaign_id": campaign_id,
            "status": status,
            "issued_from": issued_from,
            "issued_until": issued_until,
            "limit": limit,
            "cursor": cursor,
        }
        return first_page(self._caller, "free_bets.list", request, options)
