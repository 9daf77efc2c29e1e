# Made from the contract by "node test/docs/write-tables.ts": change it there.

from .campaigns import AsyncCampaigns
from .events import AsyncEvents
from .free_bets import AsyncFreeBets
from .games import AsyncGames
from .jobs import AsyncJobs
from .rounds import AsyncRounds
from .sandbox import AsyncSandbox

__all__ = [
    "AsyncCampaigns",
    "AsyncEvents",
    "AsyncFreeBets",
    "AsyncGames",
    "AsyncJobs",
    "AsyncRounds",
    "AsyncSandbox",
]
