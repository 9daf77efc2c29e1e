# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from typing import NamedTuple, Optional


class Operation(NamedTuple):
    path: str
    has: tuple[str, ...]
    """Fields of every response; none if it is empty."""
    makes: Optional[str] = None
    """The ID that the client makes if the request has none."""
    each: Optional[str] = None
    """The list of a batch. Its items have the ID."""
    list: Optional[str] = None
    """The list that a response has one page of."""
    most: Optional[int] = None
    """The most items of a page."""
    once: bool = False
    """Never repeated after an attempt that may have been carried out."""


OPERATIONS = {
    "campaigns.create": Operation("/FreeBets/Campaign/Create", ("campaign_id",), makes="campaign_id"),
    "campaigns.get": Operation("/FreeBets/Campaign/Get", ("campaign_id", "name")),
    "campaigns.list": Operation("/FreeBets/Campaign/List", ("campaigns", "next_cursor"), list="campaigns", most=200),
    "campaigns.stop": Operation("/FreeBets/Campaign/Stop", ()),
    "campaigns.pause": Operation("/FreeBets/Campaign/Pause", (), once=True),
    "campaigns.resume": Operation("/FreeBets/Campaign/Resume", (), once=True),
    "campaigns.limits": Operation("/FreeBets/Campaign/Limits", ("campaign_id", "name"), once=True),
    "free_bets.issue": Operation("/FreeBets/Issue", ("issue_id", "campaign_id"), makes="issue_id"),
    "free_bets.issue_batch": Operation("/FreeBets/Issue/Batch", ("results",), makes="issue_id", each="items"),
    "free_bets.cancel": Operation("/FreeBets/Cancel", ()),
    "free_bets.cancel_batch": Operation("/FreeBets/Cancel/Batch", ("results",), each="issue_ids"),
    "free_bets.get": Operation("/FreeBets/Get", ("issue_id", "campaign_id")),
    "free_bets.list": Operation("/FreeBets/List", ("free_bets", "next_cursor"), list="free_bets", most=200),
    "jobs.create": Operation("/FreeBets/Jobs/Create", ("job_id", "name")),
    "jobs.add": Operation("/FreeBets/Jobs/Add", ("job_id", "part")),
    "jobs.start": Operation("/FreeBets/Jobs/Start", ("job_id", "name")),
    "jobs.get": Operation("/FreeBets/Jobs/Get", ("job_id", "name")),
    "jobs.list": Operation("/FreeBets/Jobs/List", ("jobs", "next_cursor"), list="jobs", most=200),
    "jobs.refusals": Operation("/FreeBets/Jobs/Refusals", ("refusals", "next_cursor"), list="refusals", most=1000),
    "jobs.retry": Operation("/FreeBets/Jobs/Retry", ("job_id", "name")),
    "jobs.stop": Operation("/FreeBets/Jobs/Stop", ()),
    "games.list": Operation("/Game/List", ("providers", "image_assets")),
    "events.list": Operation("/Events/List", ("events", "last_sequence")),
    "rounds.available": Operation("/Rounds/Available", ("free_bets",)),
    "rounds.bet": Operation("/Rounds/Bet", ("bet_id", "issue_id")),
    "rounds.settle": Operation("/Rounds/Settle", ("bet_id", "result")),
    "rounds.rollback": Operation("/Rounds/Rollback", ()),
    "rounds.get": Operation("/Rounds/Get", ("bet_id", "status")),
    "rounds.open": Operation("/Rounds/Open", ("bets", "next_cursor"), list="bets", most=200),
    "sandbox.clock_get": Operation("/Sandbox/Clock/Get", ("now", "offset_s")),
    "sandbox.clock_set": Operation("/Sandbox/Clock/Set", ("now", "offset_s")),
    "sandbox.round": Operation("/Sandbox/Round", ("issue_id", "campaign_id"), once=True),
}
ITEMS_OF_PART = 5000
