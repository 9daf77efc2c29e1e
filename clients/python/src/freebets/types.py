# Made from the contract by "node test/docs/write-tables.ts": change it there.

from __future__ import annotations

from typing import Dict, List, Literal, Optional, TypedDict, Union


class CoefficientConfig(TypedDict):
    min_coefficient: Optional[str]
    max_coefficient: Optional[str]


class FreeBet(TypedDict):
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""
    campaign_id: Optional[str]
    status: Literal["issued", "active", "in_use", "finished", "cancelled", "expired"]
    """`issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not rolled back."""
    player_id: str
    """The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    bet_amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""
    remaining: int
    """The number of bets left."""
    games: List[str]
    config: CoefficientConfig
    valid_from: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    valid_until: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    expires_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    issued_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""


class Bet(TypedDict):
    bet_id: str
    """The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case."""
    game_id: str
    """The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters,
    such as a zero-width space.
    """
    status: Literal["placed", "won", "lost", "rolled_back"]
    """`rolled_back` occurs only in events: responses leave out bets that were rolled back."""
    coefficient: Optional[str]
    win_amount: Optional[str]
    placed_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    settled_at: Optional[str]


class FreeBetWithBets(FreeBet):
    bets: List[Bet]


class BetAmount(TypedDict):
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""


class CampaignConfig(TypedDict):
    bonus_limit: Optional[int]
    bonus_limit_per_user: Optional[int]
    min_coefficient: Optional[str]
    max_coefficient: Optional[str]


class Campaign(TypedDict):
    campaign_id: str
    """The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    name: str
    """A display name: 1 to 255 printable characters, none that turns the direction of writing."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""
    valid_from: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    valid_until: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    games: List[str]
    bet_amounts: List[BetAmount]
    """The amount of one bet in each currency."""
    duration_min: Optional[int]
    stake_returned: bool
    """Whether a win returns the stake too: the setting of the partner when the campaign was created."""
    config: CampaignConfig
    status: Literal["scheduled", "active", "exhausted", "paused", "ended", "stopped"]
    """`exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped` for good."""
    created_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    stopped_at: Optional[str]
    paused_at: Optional[str]
    limits_changed_at: Optional[str]


class CampaignCounts(TypedDict):
    issued: int
    """The number of free bets issued, including cancelled ones."""
    cancelled: int
    """The number of cancelled free bets."""
    expired: int
    """The number of free bets that expired with bets left."""
    finished: int
    """The number of free bets whose bets are all used and settled."""
    bets_placed: int
    """The number of bets placed and not rolled back."""


class MoneyPerCurrency(TypedDict):
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    amount: str
    """Amount with two decimals."""


class MostPerCurrency(TypedDict):
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    amount: Optional[str]


class CampaignWithCounts(Campaign):
    counts: CampaignCounts
    winnings: List[MoneyPerCurrency]
    exposure: List[MostPerCurrency]
    """The maximum liability of bets that are left and of bets that are not settled, including those of expired
    free bets; `amount` is null without a `max_coefficient`.
    """


class GameImages(TypedDict):
    landscape: str
    """The path of a picture, relative to `image_assets.base_url`: 1 to 512 printable characters, none that turns
    the direction of writing.
    """
    portrait: str
    """The path of a picture, relative to `image_assets.base_url`: 1 to 512 printable characters, none that turns
    the direction of writing.
    """
    square: str
    """The path of a picture, relative to `image_assets.base_url`: 1 to 512 printable characters, none that turns
    the direction of writing.
    """


class Game(TypedDict):
    id: str
    """The `id` of the game in the game list: 1 to 128 printable characters, none of Unicode's format characters,
    such as a zero-width space.
    """
    title: str
    """Display title: 1 to 255 printable characters, none that turns the direction of writing."""
    category: str
    """Game category, such as `BetOnGames`: 1 to 64 printable characters, none that turns the direction of
    writing.
    """
    promoTypes: List[str]
    images: GameImages


class JobFailure(TypedDict):
    reason: str
    """The reason for the failure, as a sentence."""
    part: Optional[int]
    item: int
    """The position of the next item in its part, counted from 0 as in `items[0]`."""
    failed_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""


class _JobRequired(TypedDict):
    job_id: str
    """The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case."""
    name: str
    """A display name; the free bets of a direct job get it too: 1 to 255 printable characters, none that turns
    the direction of writing.
    """
    status: Literal["open", "scheduled", "running", "finished", "failed", "stopped"]
    """`open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while it waits
    for an earlier job of yours. `failed` when the service could not process the next item: `failure` says
    why.
    """
    parts: int
    """The number of parts added."""
    items: int
    """The number of items added, in all parts."""
    issued: int
    """The number of items whose free bet was issued."""
    refused: Dict[str, int]
    """The number of refused items for each error; errors without refused items are absent."""
    remaining: int
    """The number of items not processed yet. A stopped job never processes them; a failed job does after a
    retry.
    """
    per_second: Optional[int]
    eta: Optional[str]
    created_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    start_at: Optional[str]
    started_at: Optional[str]
    finished_at: Optional[str]
    stopped_at: Optional[str]
    failure: Optional[JobFailure]


class Job(_JobRequired, total=False):
    campaign_id: str
    """The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    bet_amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""
    games: List[str]
    valid_from: Optional[str]
    valid_until: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    duration_min: Optional[int]
    config: CoefficientConfig


class _JobItemRequired(TypedDict):
    player_id: str
    """The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    currency: str
    """Currency code, such as `EUR` or `USDT`."""


class JobItem(_JobItemRequired, total=False):
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""
    bet_amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""


class _JobRefusalRequired(TypedDict):
    part: int
    """The number of the part. You number the parts from 1 and may send them in any order."""
    item: int
    """The position of the item in its part, counted from 0 as in `items[0]`."""
    player_id: str
    """The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""
    error: ItemError


class JobRefusal(_JobRefusalRequired, total=False):
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    bet_amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""


class EventData(TypedDict, total=False):
    free_bet: FreeBet
    bet: Bet
    campaign: Campaign
    job: Job


class FreebetsEvent(TypedDict):
    event_id: str
    """The id of the event: a UUID of version 7. It stays the same when the event is sent again."""
    sequence: int
    """The number of the event in the partner's feed, without gaps."""
    type: Literal[
        "freebet.issued",
        "freebet.finished",
        "freebet.cancelled",
        "freebet.expired",
        "freebet.used",
        "freebet.settled",
        "freebet.rolled_back",
        "campaign.created",
        "campaign.exhausted",
        "campaign.stopped",
        "campaign.paused",
        "campaign.resumed",
        "campaign.limits_changed",
        "job.finished",
        "job.failed",
        "job.stopped",
    ]
    occurred_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    client_id: int
    """The partner on whose behalf the call is made; its secret signs the request."""
    data: EventData


class RoundBet(TypedDict):
    bet_id: str
    """The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case."""
    status: Literal["placed", "won", "lost", "rolled_back"]
    issue_id: Optional[str]
    player_id: Optional[str]
    game_id: Optional[str]
    currency: Optional[str]
    amount: Optional[str]
    coefficient: Optional[str]
    win_amount: Optional[str]
    placed_at: Optional[str]
    settled_at: Optional[str]


class CoefficientConfigParam(TypedDict, total=False):
    min_coefficient: str
    """Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`."""
    max_coefficient: str
    """Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`."""


class _IssueItemRequired(TypedDict):
    player_id: str
    """The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    currency: str
    """Currency code, such as `EUR` or `USDT`."""


class IssueItem(_IssueItemRequired, total=False):
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""
    campaign_id: str
    """The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    bet_amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""
    games: List[str]
    valid_until: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    name: str
    """A display name: 1 to 255 printable characters, none that turns the direction of writing."""
    valid_from: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    duration_min: int
    """Minutes from the activation (the later of issue and `valid_from`) until the free bet expires."""
    config: CoefficientConfigParam


class _ItemErrorDetailRequired(TypedDict):
    field: str
    """Path of the field, such as `bet_amounts[1].amount`."""
    reason: str


class ItemErrorDetail(_ItemErrorDetailRequired, total=False):
    value: str
    """The value for programs, such as the `last_sequence` of `feed_changed`."""


class _ItemErrorRequired(TypedDict):
    code: int
    """The number of the error."""
    error: str
    """A stable word for programs."""
    message: str
    """A sentence for people."""


class ItemError(_ItemErrorRequired, total=False):
    details: List[ItemErrorDetail]
    """With status 400: every invalid field. With `job_incomplete`: the missing parts or items. With
    `feed_changed` and `events_removed`: the end or the start of the feed. With `job_quota_reached`: the
    quota, its limit and its use. With status 503: whether the request did not arrive in time.
    """


class CampaignConfigParam(TypedDict, total=False):
    bonus_limit: int
    """The campaign cap: the number of free bets in all; no cap if absent."""
    bonus_limit_per_user: int
    """The per-player cap: the number of free bets for one player; no cap if absent."""
    min_coefficient: str
    """Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`."""
    max_coefficient: str
    """Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`."""


class _CampaignCreateResponseRequired(TypedDict):
    campaign_id: str
    """The partner's id of the campaign: 1 to 64 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """


class CampaignCreateResponse(_CampaignCreateResponseRequired, total=False):
    dry_run: Literal[True]
    """Only in the response to a dry run: nothing was changed."""
    max_exposure: List[MostPerCurrency]
    """Only in the response to a dry run: the maximum liability of the campaign; `amount` is null without a
    `bonus_limit` or a `max_coefficient`.
    """


class IssueResponse(FreeBet, total=False):
    dry_run: Literal[True]
    """Only in the response to a dry run: nothing was changed."""


class _IssueBatchResultRequired(TypedDict):
    issue_id: Union[str, Optional[str]]
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""


class IssueBatchResult(_IssueBatchResultRequired, total=False):
    campaign_id: Optional[str]
    status: Literal["issued", "active", "in_use", "finished", "cancelled", "expired"]
    """`issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not rolled back."""
    player_id: str
    """The partner's id of the player: 1 to 128 printable characters, none of Unicode's format characters, such
    as a zero-width space.
    """
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    bet_amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    quantity: int
    """The number of bets in one free bet, shared by the games listed."""
    remaining: int
    """The number of bets left."""
    games: List[str]
    config: CoefficientConfig
    valid_from: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    valid_until: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    expires_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    issued_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    error: ItemError


class _IssueBatchResponseRequired(TypedDict):
    results: List[IssueBatchResult]


class IssueBatchResponse(_IssueBatchResponseRequired, total=False):
    dry_run: Literal[True]
    """Only in the response to a dry run: nothing was changed."""


class CancelResponse(TypedDict, total=False):
    dry_run: Literal[True]
    """Only in the response to a dry run: nothing was changed."""


class _CancelBatchResultRequired(TypedDict):
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""


class CancelBatchResult(_CancelBatchResultRequired, total=False):
    error: ItemError


class CancelBatchResponse(TypedDict):
    results: List[CancelBatchResult]
    """The results in the order of the ids."""


class JobAddResponse(TypedDict):
    job_id: str
    """The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case."""
    part: int
    """The number of the part. You number the parts from 1 and may send them in any order."""
    items: int
    """The number of items in the part."""


class GameProvider(TypedDict):
    name: str
    """Name of the provider: 1 to 128 printable characters, none that turns the direction of writing."""
    currencies: List[str]
    games: List[Game]


class ImageSize(TypedDict):
    width: str
    """Pixels, as a string."""
    height: str
    """Pixels, as a string."""


class GameImageSizes(TypedDict):
    landscape: ImageSize
    portrait: ImageSize
    square: ImageSize


class ImagePresets(TypedDict):
    game: GameImageSizes


class ImageAssets(TypedDict):
    base_url: str
    """The prefix of image paths: 1 to 512 printable characters, none that turns the direction of writing."""
    presets: ImagePresets


class GameListResponse(TypedDict):
    providers: List[GameProvider]
    image_assets: ImageAssets


class EventsListResponse(TypedDict):
    events: List[FreebetsEvent]
    """The events, in the order of their `sequence`."""
    last_sequence: int
    """The `sequence` of the last event on this page, or `after` if the page is empty: the next `after`."""
    oldest_sequence: int
    """The `sequence` of the oldest event that is kept, or of the next event if there is none."""


class AvailableFreeBet(TypedDict):
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    remaining: int
    """The number of bets left."""
    min_coefficient: Optional[str]
    max_coefficient: Optional[str]
    expires_at: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""


class RoundsAvailableResponse(TypedDict):
    free_bets: List[AvailableFreeBet]
    """The free bets that can be used in the game now; the first expires soonest."""


class RoundsBetResponse(TypedDict):
    bet_id: str
    """The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case."""
    issue_id: str
    """The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case."""
    currency: str
    """Currency code, such as `EUR` or `USDT`."""
    amount: str
    """Amount with exactly two decimals, greater than zero, such as `"1.50"`."""
    remaining: int
    """The number of bets left."""
    min_coefficient: Optional[str]
    max_coefficient: Optional[str]


class RoundsSettleResponse(TypedDict):
    bet_id: str
    """The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case."""
    result: Literal["won", "lost"]
    coefficient: Optional[str]
    win_amount: str
    """Amount with two decimals."""
    currency: str
    """Currency code, such as `EUR` or `USDT`."""


class SandboxClock(TypedDict):
    now: str
    """ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond."""
    offset_s: int
    """The number of seconds that the sandbox clock is ahead of the real time."""
