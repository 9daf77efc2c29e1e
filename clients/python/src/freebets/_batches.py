"""IDs that the client makes, and the items of a batch that the service could not take."""

from __future__ import annotations

import uuid
from typing import Any, Optional

from ._operations import Operation
from ._responses import Response

Request = dict[str, Any]


def with_ids(operation: Operation, request: Request) -> Request:
    """Adds missing IDs. Otherwise the service would make a new one for every attempt."""
    if operation.makes is None:
        return request
    if operation.each is None:
        return _with_id(operation.makes, request)
    items = request.get(operation.each, [])
    return {**request, operation.each: [_with_id(operation.makes, item) for item in items]}


def _with_id(makes: str, request: Request) -> Request:
    # An ID that is None or empty is a bug of the caller. The service reports it; a new ID would hide it.
    return request if makes in request else {**request, makes: str(uuid.uuid4())}


def remaining_request(operation: Operation, request: Request, response: Response) -> Request | None:
    """The request for the items that the response leaves open; None if there are none. A dry run is never repeated."""
    if operation.each is None or request.get("dry_run"):
        return None
    items, results = request.get(operation.each, []), _results_of(response)
    if len(results) != len(items):
        return None
    rest = [item for item, result in zip(items, results) if _is_open(result)]
    return {**request, operation.each: rest} if rest else None


def merge_results(before: Optional[Response], following: Response) -> Response:
    """Puts the results of the next response into the places that the one before left open."""
    if before is None:
        return following
    later = iter(_results_of(following))
    merged = Response(before)
    merged["results"] = [next(later, one) if _is_open(one) else one for one in _results_of(before)]
    merged.request_id = following.request_id
    return merged


def _results_of(response: Response) -> list[Any]:
    results = response.get("results")
    return results if isinstance(results, list) else []


def _is_open(result: object) -> bool:
    """The service could not take the item, or took it and lost the confirmation."""
    error = result.get("error") if isinstance(result, dict) else None
    return isinstance(error, dict) and error.get("error") in ("unavailable", "internal_error")
