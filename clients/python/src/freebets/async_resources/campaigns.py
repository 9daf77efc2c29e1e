# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Dict, Literal, Optional, cast

from .._caller import Caller
from .._options import NOT_GIVEN, CallOptions, NotGiven
from .._pages import AsyncList, async_list
from ..types import BetAmount, Campaign, CampaignConfigParam, CampaignCreateResponse, CampaignWithCounts


class AsyncCampaigns:
    """The methods of ``partner.campaigns``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        name: str,
        quantity: int,
        valid_from: str,
        valid_until: str,
        games: Sequence[str],
        bet_amounts: Sequence[BetAmount],
        campaign_id: str | NotGiven = NOT_GIVEN,
        duration_min: int | NotGiven = NOT_GIVEN,
        config: CampaignConfigParam | NotGiven = NOT_GIVEN,
        dry_run: bool | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> CampaignCreateResponse:
        """Create a campaign: ``/FreeBets/Campaign/Create``.

        Creates a reusable template for free bets. If you send your own `campaign_id`, you can repeat the call safely;
        otherwise the service creates one. With `dry_run` nothing is created, and the response also has the maximum
        liability of the campaign.

        Args:
            name: A display name: 1 to 255 printable characters, none that turns the direction of writing.
            quantity: The number of bets in one free bet, shared by the games listed. 1 to 1,000.
            valid_from: A time in UTC, such as 2027-01-31T12:00:00Z.
            valid_until: A time in UTC, such as 2027-01-31T12:00:00Z.
            games: 1 to 500 items, all different.
            bet_amounts: The amount of one bet in each currency. 1 to 100 items.
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            duration_min: Minutes from the activation (the later of issue and `valid_from`) until the free bet
                expires. 1 to 525,600.
            dry_run: If true, the request is decided as a real one would be now, and nothing is changed.
            options: Options of this call.

        Raises:
            ValidationError: ``invalid_validity``, ``game_not_available``, ``game_without_free_bets``,
                ``currency_not_allowed``.
            ConflictError: ``id_reused``.

        Example:
            result = await partner.campaigns.create(
                campaign_id="weekend",
                name="Weekend free bets",
                quantity=3,
                valid_from="2026-01-01T00:00:00.000Z",
                valid_until="2036-01-01T00:00:00.000Z",
                games=["lantern-skyline-ascent"],
                bet_amounts=[{"currency": "EUR", "amount": "1.00"}, {"currency": "USD", "amount": "1.20"}],
                duration_min=1440,
                config={
                    "bonus_limit": 5000,
                    "bonus_limit_per_user": 2,
                    "min_coefficient": "1.20",
                    "max_coefficient": "5.00",
                },
            )
        """
        request = {
            "name": name,
            "quantity": quantity,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "games": games,
            "bet_amounts": bet_amounts,
            "campaign_id": campaign_id,
            "duration_min": duration_min,
            "config": config,
            "dry_run": dry_run,
        }
        return cast("CampaignCreateResponse", await self._caller.call("campaigns.create", request, options))

    async def get(
        self,
        *,
        campaign_id: str,
        options: CallOptions | None = None,
    ) -> CampaignWithCounts:
        """Read a campaign: ``/FreeBets/Campaign/Get``.

        Returns the campaign as created, its status, and the counts of its free bets.

        Args:
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            options: Options of this call.

        Raises:
            NotFoundError: ``campaign_not_found``.

        Example:
            result = await partner.campaigns.get(campaign_id="weekend")
        """
        request = {"campaign_id": campaign_id}
        return cast("CampaignWithCounts", await self._caller.call("campaigns.get", request, options))

    def list(
        self,
        *,
        status: Literal["scheduled", "active", "exhausted", "paused", "ended", "stopped"] | NotGiven = NOT_GIVEN,
        created_from: str | NotGiven = NOT_GIVEN,
        created_until: str | NotGiven = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        cursor: str | NotGiven = NOT_GIVEN,
        options: CallOptions | None = None,
    ) -> AsyncList[CampaignWithCounts]:
        """List campaigns: ``/FreeBets/Campaign/List``.

        Returns the newest first. A page may have fewer items than `limit`, or none, and still have a `next_cursor`:
        continue until it is null.

        Args:
            status: `exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good.
            created_from: Only items that were created at this time or later. A time in UTC, such as
                2027-01-31T12:00:00Z.
            created_until: Only items that were created before this time. A time in UTC, such as
                2027-01-31T12:00:00Z.
            limit: Items per page, 1 to 200; the most if absent.
            cursor: Starts after the page that has this `next_cursor`.
            options: Options of this call.

        Example:
            async for campaign in partner.campaigns.list(status="active", limit=50):
                print(campaign)
        """
        request = {
            "status": status,
            "created_from": created_from,
            "created_until": created_until,
            "limit": limit,
            "cursor": cursor,
        }
        return async_list(self._caller, "campaigns.list", request, options)

    async def stop(
        self,
        *,
        campaign_id: str,
        options: CallOptions | None = None,
    ) -> Dict[str, Any]:
        """Stop a campaign: ``/FreeBets/Campaign/Stop``.

        Stops issuing from this campaign for good. Free bets already issued stay valid.

        Args:
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            options: Options of this call.

        Raises:
            NotFoundError: ``campaign_not_found``.

        Example:
            result = await partner.campaigns.stop(campaign_id="weekend")
        """
        request = {"campaign_id": campaign_id}
        return cast("Dict[str, Any]", await self._caller.call("campaigns.stop", request, options))

    async def pause(
        self,
        *,
        campaign_id: str,
        options: CallOptions | None = None,
    ) -> Dict[str, Any]:
        """Pause a campaign: ``/FreeBets/Campaign/Pause``.

        Stops issuing from this campaign until it is resumed. Free bets already issued stay valid. A campaign that was
        stopped or has ended doesn't change.

        Args:
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            options: Options of this call.

        Raises:
            NotFoundError: ``campaign_not_found``.

        Example:
            result = await partner.campaigns.pause(campaign_id="weekend")
        """
        request = {"campaign_id": campaign_id}
        return cast("Dict[str, Any]", await self._caller.call("campaigns.pause", request, options))

    async def resume(
        self,
        *,
        campaign_id: str,
        options: CallOptions | None = None,
    ) -> Dict[str, Any]:
        """Resume a campaign: ``/FreeBets/Campaign/Resume``.

        Allows issuing from a paused campaign again. A campaign that was stopped or has ended doesn't change.

        Args:
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            options: Options of this call.

        Raises:
            NotFoundError: ``campaign_not_found``.

        Example:
            result = await partner.campaigns.resume(campaign_id="weekend")
        """
        request = {"campaign_id": campaign_id}
        return cast("Dict[str, Any]", await self._caller.call("campaigns.resume", request, options))

    async def limits(
        self,
        *,
        campaign_id: str,
        bonus_limit: Optional[int],
        bonus_limit_per_user: Optional[int],
        options: CallOptions | None = None,
    ) -> Campaign:
        """Change the limits of a campaign: ``/FreeBets/Campaign/Limits``.

        Sets both limits. A limit may be below the number already issued: free bets already issued stay valid, and no
        more are issued.

        Args:
            campaign_id: The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format
                characters, such as a zero-width space.
            bonus_limit: The campaign cap: the number of free bets in all; null for no cap. 1 to 2,147,483,647.
            bonus_limit_per_user: The per-player cap: the number of free bets for one player; null for no cap. 1 to
                2,147,483,647.
            options: Options of this call.

        Raises:
            NotFoundError: ``campaign_not_found``.

        Example:
            result = await partner.campaigns.limits(
                campaign_id="weekend",
                bonus_limit=8000,
                bonus_limit_per_user=None,
            )
        """
        request = {"campaign_id": campaign_id, "bonus_limit": bonus_limit, "bonus_limit_per_user": bonus_limit_per_user}
        return cast("Campaign", await self._caller.call("campaigns.limits", request, options))
