"""Reads responses: a dictionary for a success, and an error for everything else."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Optional

from ._errors import FreebetsError, UnreadableResponseError, status_error
from ._http import HttpResponse


class Response(Dict[str, Any]):
    """A response of the service: a dictionary with its request ID."""

    request_id: Optional[str] = None


def request_id_of(response: Mapping[str, Any]) -> str | None:
    """Returns the request ID of a response, to find the request in the logs of the service.

    Example:
        campaign = partner.campaigns.get(campaign_id="weekend")
        print(request_id_of(campaign))
    """
    found: str | None = getattr(response, "request_id", None)
    return found


def read_response(has: tuple[str, ...], received: HttpResponse) -> Response:
    body = object_in(received.body)
    request_id = received.headers.get("X-Request-Id")
    if received.status == 200 and body is not None and _is_complete(has, body):
        response = Response(body)
        response.request_id = request_id
        return response
    raise _error_of(received, body, request_id)


def object_in(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_complete(has: tuple[str, ...], body: dict[str, Any]) -> bool:
    """Another server may return an object too. An empty response may have only the field `dry_run`."""
    return all(field in body for field in has) if has else body.keys() <= {"dry_run"}


def _error_of(received: HttpResponse, body: dict[str, Any] | None, request_id: str | None) -> FreebetsError:
    status = received.status
    retry_after_s = _retry_after_s(received.headers.get("Retry-After"))
    if status == 200 or body is None or not isinstance(body.get("error"), str) or not isinstance(body.get("code"), int):
        message = f"The response with status {status} is not from Freebets."
        return UnreadableResponseError(
            "unreadable_answer", message, status=status, request_id=request_id, retry_after_s=retry_after_s
        )
    details = body.get("details")
    return status_error(status)(
        body["error"],
        _text(body.get("message")) or "",
        status=status,
        code=body["code"],
        details=[one for one in details if _is_detail(one)] if isinstance(details, list) else [],
        request_id=_text(body.get("request_id")) or request_id,
        retry_after_s=retry_after_s,
        doc_url=_text(body.get("doc_url")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _is_detail(one: object) -> bool:
    return isinstance(one, dict) and all(isinstance(one.get(name), str) for name in ("field", "reason"))


def _retry_after_s(value: str | None) -> float | None:
    """Seconds, or a date. A date begins with the day of the week; the parser accepts other text too."""
    if value is None or not re.match(r"\d+$|[A-Z][a-z]+,? .+:", value):
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
