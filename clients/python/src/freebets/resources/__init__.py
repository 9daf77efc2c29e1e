# Made from the contract by "node test/docs/write-tables.ts": change it there.

from .campaigns import Campaigns
from .events import Events
from .free_bets import FreeBets
from .games import Games
from .jobs import Jobs
from .rounds import Rounds
from .sandbox import Sandbox

__all__ = [
    "Campaigns",
    "Events",
    "FreeBets",
    "Games",
    "Jobs",
    "Rounds",
    "Sandbox",
]
