from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Optional, TypedDict


class _RequiredDetail(TypedDict):
    field: str
    reason: str


class ErrorDetail(_RequiredDetail, total=False):
    """A field that is wrong, and why."""

    value: str
    """A value for programs, such as the last sequence of `feed_changed`."""


class FreebetsError(Exception):
    """The base class of every error of a call.

    Attributes:
        error: A stable name for programs, such as ``bonus_limit_reached``.
        message: A sentence for people.
        status: The HTTP status; None without a response.
        code: The number of the error; None if the service did not send one.
        details: Every field that is wrong, as dictionaries with ``field``, ``reason`` and sometimes ``value``.
        request_id: The request in the logs of the service.
        retry_after_s: Seconds that the service asks you to wait.
        doc_url: The page that explains the error, if the service sent one.
        may_have_happened: Whether any attempt of the call may have been carried out, even if a later one was refused.
        request: The request with the IDs that the client made, to call again with. None if it made none.
    """

    def __init__(
        self,
        error: str,
        message: str,
        *,
        status: int | None = None,
        code: int | None = None,
        details: Iterable[ErrorDetail] = (),
        request_id: str | None = None,
        retry_after_s: float | None = None,
        doc_url: str | None = None,
    ) -> None:
        super().__init__(f"{error}: {message}")
        self.error = error
        self.message = message
        self.status = status
        self.code = code
        self.details: list[ErrorDetail] = list(details)
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        self.doc_url = doc_url
        # A status of 429 and any other refusal prove that nothing was done.
        self.may_have_happened = error == "unreadable_answer" or (self.is_retryable and status != 429)
        self.request: Optional[dict[str, Any]] = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickling passes only `args` to the constructor, so it needs these two by name.
        return type(self), (self.error, self.message), self.__dict__

    @property
    def name(self) -> str:
        """The earlier name of `error`."""
        return self.error

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status is None or self.status < 300 or self.status in (408, 429) or self.status >= 500

    def _with_request(self, request: Mapping[str, Any]) -> FreebetsError:
        if self.request is not None:
            return self
        self.request = dict(request)
        if self.may_have_happened and not request.get("dry_run"):
            self.message += " It may have been carried out: to call again, use this error's request, which has the ids."
            self.args = (f"{self.error}: {self.message}",)
        return self


class APIConnectionError(FreebetsError):
    """No response: the connection failed or was lost. `error` is ``no_answer``."""


class APITimeoutError(APIConnectionError):
    """No complete response in time. `error` is ``no_answer``."""


class UnreadableResponseError(FreebetsError):
    """Something other than the service has responded, such as a proxy. `error` is ``unreadable_answer``."""


class APIStatusError(FreebetsError):
    """The service refused the request, or failed. The subclasses follow the HTTP status."""


class ValidationError(APIStatusError):
    """400, 405, 413 or 415: the request is not valid. `details` lists every invalid field."""


class AuthenticationError(APIStatusError):
    """401 or 403: the caller or the signature is not valid."""


class NotFoundError(APIStatusError):
    """404: the object does not exist."""


class ConflictError(APIStatusError):
    """409: the state of an object does not allow the call, such as ``campaign_ended`` or ``id_reused``."""


class RateLimitError(APIStatusError):
    """429: too many requests. `retry_after_s` is the time to wait."""


class ServerError(APIStatusError):
    """500 and above: the service failed, or is not available."""


_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: AuthenticationError,
    404: NotFoundError,
    405: ValidationError,
    409: ConflictError,
    413: ValidationError,
    415: ValidationError,
    429: RateLimitError,
}


def status_error(status: int) -> type[APIStatusError]:
    return _BY_STATUS.get(status, ServerError if status >= 500 else APIStatusError)


class WebhookError(Exception):
    """An event that is not genuine. Respond with 401, or with 400 if `reason` is ``not_an_event``.

    Attributes:
        reason: ``missing_signature``, ``wrong_signature``, ``wrong_time``, ``path_needed`` or ``not_an_event``.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, str(self)), self.__dict__
