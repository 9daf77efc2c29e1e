"""Signs, sends and retries a call."""

from __future__ import annotations

import json
import logging
import platform
import random
import re
import time
from collections.abc import Mapping
from typing import Any, Literal, Optional
from urllib.parse import SplitResult, urlsplit

from ._batches import Request, merge_results, remaining_request, with_ids
from ._errors import APIConnectionError, APITimeoutError, FreebetsError, ServerError
from ._http import HttpRequest, NoResponseError, NotSentError
from ._operations import OPERATIONS, Operation
from ._options import NOT_GIVEN, Attempt, CallOptions, Limits, OnAttempt
from ._responses import Response, read_response
from ._runtime import Runtime
from ._signing import SIGNATURE_HEADER, TIME_HEADER, sign
from ._version import __version__

Signing = Literal["plain", "strict"]

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.4, 10.0
# A socket takes no infinite timeout.
LONGEST_ATTEMPT_S = 86_400.0
USER_AGENT = (
    f"freebets-python/{__version__} {platform.python_implementation()}/{platform.python_version()} {platform.system()}"
)

logger = logging.getLogger("freebets")


def parse_base_url(base_url: str) -> SplitResult:
    """The address of the service, without the path /v3. The error does not repeat it: it may hold a password."""
    wrong = ValueError("base_url must be like https://freebets.example.com, without a user or a query.")
    try:
        parts = urlsplit(base_url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise wrong from None
    if not is_address or "@" in parts.netloc or parts.query or re.search(r"[^!-~]", parts.path):
        raise wrong
    return parts._replace(path=re.sub(r"(/v3)?/*$", "", parts.path), fragment="")


class Caller:
    def __init__(
        self,
        base: SplitResult,
        identity: Mapping[str, Any],
        secret: str,
        signing: Signing,
        limits: Limits,
        on_attempt: Optional[OnAttempt],
        runtime: Runtime,
    ) -> None:
        if not secret:
            raise ValueError("The secret is empty.")
        if signing not in ("plain", "strict"):
            raise ValueError('signing must be "plain" or "strict".')
        self._address = base.geturl()
        self._identity, self._secret, self._signing = identity, secret, signing
        self._limits, self._on_attempt, self.runtime = limits, on_attempt, runtime

    async def call(self, method: str, given: Mapping[str, Any], options: CallOptions | None = None) -> Response:
        """Returns the response. Every failure is raised as a `FreebetsError`."""
        options = options or {}
        fields = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        asked = {**self._identity, **fields, **options.get("extra_body", {})}
        sent = with_ids(OPERATIONS[method], asked)
        try:
            return await _Call(self, method, sent, options).result()
        except FreebetsError as error:
            # Only the client knows the IDs that it made.
            raise error if sent == asked else error._with_request(sent)

    def signed(self, path: str, body: bytes, request_id: str | None) -> HttpRequest:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": USER_AGENT}
        if request_id is not None:
            headers["X-Request-Id"] = request_id
        timestamp = None
        if self._signing == "strict":
            # The time of this attempt: the service refuses a late attempt with the time of the first.
            timestamp = headers[TIME_HEADER] = str(int(time.time()))
        headers[SIGNATURE_HEADER] = sign(self._secret, body, timestamp, path)
        return HttpRequest(path, headers, body)


class _Call:
    """One call with all its attempts."""

    def __init__(self, caller: Caller, method: str, request: Request, options: CallOptions) -> None:
        self._caller, self._method, self._request = caller, method, request
        self._operation: Operation = OPERATIONS[method]
        self._limits = caller._limits.with_options(options)
        self._request_id = options.get("request_id")
        if self._request_id is not None and not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", self._request_id):
            raise ValueError("request_id must be 1 to 64 letters, digits, dots, underscores and hyphens.")
        self._end = time.monotonic() + self._limits.deadline_s
        self._body = _encoded(request)
        self._response: Optional[Response] = None
        # Only a new connection shows for certain whether the request was received.
        self._is_fresh = self._operation.once
        self._may_have_happened = False

    async def result(self) -> Response:
        number, longest_s = 1, FIRST_PAUSE_S
        while True:
            started = time.monotonic()
            try:
                response = await self._attempt()
            except _StaleConnectionError:
                # Repeated at once, and not counted: the server closes idle connections.
                self._is_fresh = self._may_have_happened = True
                continue
            except FreebetsError as caught:
                error = caught
            else:
                self._report(number, started, None, response.request_id, None)
                return response
            error.may_have_happened = self._may_have_happened = self._may_have_happened or error.may_have_happened
            # With jitter, so that callers that failed together do not retry together.
            pause_s = (error.retry_after_s or 0) + random.uniform(0, longest_s)
            longest_s = min(longest_s * 2, LONGEST_PAUSE_S)
            is_last = not self._is_worth_retrying(error, number) or time.monotonic() + pause_s >= self._end
            self._report(number, started, error, error.request_id, None if is_last else pause_s)
            if not is_last:
                await self._caller.runtime.sleep(pause_s)
                # The process may have been stopped meanwhile.
                is_last = time.monotonic() >= self._end
            if is_last:
                # Items of a batch that are still open have their errors among the results.
                if self._response is not None:
                    return self._response
                raise error
            number += 1

    def _is_worth_retrying(self, error: FreebetsError, number: int) -> bool:
        is_done_once = self._operation.once and self._may_have_happened
        return error.is_retryable and number <= self._limits.max_retries and not is_done_once

    async def _attempt(self) -> Response:
        left_s = self._end - time.monotonic()
        request = self._caller.signed("/v3" + self._operation.path, self._body, self._request_id)
        timeout_s = min(self._limits.attempt_timeout_s, left_s, LONGEST_ATTEMPT_S)
        try:
            received = await self._caller.runtime.exchange(request, timeout_s, self._is_fresh)
        except NoResponseError as cause:
            if cause.is_stale:
                raise _StaleConnectionError from cause
            raise self._no_response(cause, cause.is_timeout, timeout_s) from cause
        except NotSentError as cause:
            error = self._no_response(cause, cause.is_timeout, timeout_s)
            error.may_have_happened = False
            raise error from cause
        self._response = merge_results(self._response, read_response(self._operation.has, received))
        rest = remaining_request(self._operation, self._request, self._response)
        if rest is None:
            return self._response
        self._body = _encoded(rest)
        raise ServerError("unavailable", "Some items could not be taken.", status=503)

    def _no_response(self, cause: Exception, is_timeout: bool, timeout_s: float) -> APIConnectionError:
        if is_timeout:
            return APITimeoutError(
                "no_answer", f"No complete response from {self._caller._address} within {timeout_s:.1f} s."
            )
        return APIConnectionError("no_answer", f"No response from {self._caller._address}: {cause}.")

    def _report(
        self,
        number: int,
        started: float,
        error: FreebetsError | None,
        request_id: str | None,
        retry_in_s: float | None,
    ) -> None:
        """Logs an attempt, and passes it to the hook. Both get neither the body nor anything secret."""
        status = 200 if error is None else error.status
        duration_s = time.monotonic() - started
        name = None if error is None else error.error
        attempt = Attempt(self._method, number, status, name, request_id, duration_s, retry_in_s)
        logger.log(
            logging.DEBUG if error is None else logging.INFO,
            "%s attempt=%d status=%s error=%s request_id=%s duration_ms=%.0f retry_in_s=%s",
            *(self._method, number, status, name, request_id, duration_s * 1000, retry_in_s),
        )
        if self._caller._on_attempt is not None:
            try:
                self._caller._on_attempt(attempt)
            except Exception:
                # The call may have been carried out, so its result matters more.
                logger.exception("on_attempt failed")


class _StaleConnectionError(Exception):
    pass


def _encoded(request: Request) -> bytes:
    return json.dumps(request, separators=(",", ":")).encode()
