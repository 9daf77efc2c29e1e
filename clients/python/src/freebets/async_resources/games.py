# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from typing import Any, Dict, cast

from .._caller import Caller
from .._options import CallOptions
from ..types import GameListResponse


class AsyncGames:
    """The methods of ``partner.games``."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        options: CallOptions | None = None,
    ) -> GameListResponse:
        """List the games: ``/Game/List``.

        Returns the games offered to this partner. The response is compressed if you accept that, and has an `ETag`.

        Args:
            options: Options of this call.

        Example:
            result = await partner.games.list()
        """
        request: Dict[str, Any] = {}
        return cast("GameListResponse", await self._caller.call("games.list", request, options))
