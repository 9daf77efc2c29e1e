"""Calls the Freebets service as a partner or a game provider.

    from freebets import Partner

    partner = Partner("https://freebets.example.com", client_id=1, secret="...", signing="strict")
    free_bet = partner.free_bets.issue(campaign_id="welcome", player_id="player-1", currency="EUR")

Responses are dictionaries with the field names of the API. Every call is safe to retry: a request without an ID gets
one from the client, and every attempt sends the same request.
"""

from ._clients import AsyncPartner, AsyncProvider, Partner, Provider
from ._errors import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    ConflictError,
    ErrorDetail,
    FreebetsError,
    NotFoundError,
    RateLimitError,
    ServerError,
    UnreadableResponseError,
    ValidationError,
    WebhookError,
)
from ._jobs import parts_of
from ._options import NOT_GIVEN, Attempt, CallOptions, NotGiven
from ._pages import AsyncList, AsyncPage, Page
from ._responses import request_id_of
from ._signing import sign
from ._version import __version__
from ._webhooks import verify_webhook

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "AsyncList",
    "AsyncPage",
    "AsyncPartner",
    "AsyncProvider",
    "Attempt",
    "AuthenticationError",
    "CallOptions",
    "ConflictError",
    "ErrorDetail",
    "FreebetsError",
    "NOT_GIVEN",
    "NotFoundError",
    "NotGiven",
    "Page",
    "Partner",
    "Provider",
    "RateLimitError",
    "ServerError",
    "UnreadableResponseError",
    "ValidationError",
    "WebhookError",
    "__version__",
    "parts_of",
    "request_id_of",
    "sign",
    "verify_webhook",
]
