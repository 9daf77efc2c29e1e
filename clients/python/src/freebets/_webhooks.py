from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Mapping
from typing import Callable, cast

from ._errors import WebhookError
from ._responses import object_in
from ._signing import SIGNATURE_HEADER, TIME_HEADER
from .types import FreebetsEvent


def verify_webhook(
    raw_body: bytes,
    headers: Mapping[str, str],
    secrets: str | Iterable[str],
    path: str | None = None,
    tolerance_s: float = 300,
    now: float | None = None,
    allow_untimed: bool = False,
) -> FreebetsEvent:
    """Returns the event of a webhook request, or raises a `WebhookError` if it is not genuine.

    Args:
        raw_body: The body as received, before anything has parsed it.
        headers: The headers of the request.
        secrets: Your secret, or several during a rotation.
        path: The path of the request with its query. With strict signing it is needed to check X-REQUEST-SIGN.
        tolerance_s: How many seconds the request may differ from your clock.
        now: Your clock in seconds since 1970; the clock of this machine if absent.
        allow_untimed: Accepts X-REQUEST-SIGN alone where it covers no time. Then only the `event_id` shows whether the
            event is new.

    Raises:
        WebhookError: The event is not genuine; `reason` says why.
        TypeError: The body was parsed before.
        ValueError: A secret is empty.

    Example:
        event = verify_webhook(request.get_data(), request.headers, "your secret")
    """
    if not isinstance(raw_body, (bytes, bytearray)):
        raise TypeError(
            "verify_webhook needs the body as the bytes that came, before anything has parsed them: "
            "read it raw, such as request.get_data() in Flask or request.body in Django."
        )
    known = [secrets] if isinstance(secrets, str) else list(secrets)
    if not all(known):
        raise ValueError("A secret is empty: anyone could sign with it.")
    check = _Check(bytes(raw_body), headers, known, tolerance_s, time.time() if now is None else now)
    has_standard = "webhook-signature" in check.named
    if not has_standard and not check.plain_signatures:
        raise WebhookError("missing_signature", "There is neither webhook-signature nor X-REQUEST-SIGN.")
    if has_standard:
        check.standard()
    if check.plain_signatures:
        check.own(path, is_only=not has_standard)
    if not has_standard and not check.covers_time and not allow_untimed:
        raise WebhookError("wrong_time", "webhook-signature is missing, and X-REQUEST-SIGN alone covers no time.")
    event = object_in(check.body)
    if event is None or not all(name in event for name in ("event_id", "sequence", "type")):
        raise WebhookError("not_an_event", "The signature is right, but the body is no event.")
    return cast(FreebetsEvent, event)


class _Check:
    def __init__(
        self, body: bytes, headers: Mapping[str, str], secrets: list[str], tolerance_s: float, now: float
    ) -> None:
        self.body = body
        self.named = {name.lower(): value for name, value in headers.items()}
        self._keys = [secret.encode() for secret in secrets]
        self._tolerance_s, self._now = tolerance_s, now
        names = (SIGNATURE_HEADER.lower(), f"{SIGNATURE_HEADER}-previous".lower())
        self.plain_signatures = [self.named[name] for name in names if name in self.named]
        self.covers_time = TIME_HEADER.lower() in self.named

    def standard(self) -> None:
        """The signature of Standard Webhooks."""
        sent_at = self._recent("webhook-timestamp")
        content = _bytes_of(f"{self.named.get('webhook-id', '')}.{sent_at}.") + self.body
        given = [_bytes_of(one) for one in self.named["webhook-signature"].split(" ")]
        self._require("webhook-signature", given, content, lambda digest: b"v1," + base64.b64encode(digest))

    def own(self, path: str | None, is_only: bool) -> None:
        """X-REQUEST-SIGN, which covers the path as well if it covers the time."""
        sent_at = self._recent(TIME_HEADER) if self.covers_time else None
        if sent_at is not None and path is None:
            if is_only:
                raise WebhookError("path_needed", "X-REQUEST-SIGN covers the path of the request: give it as path.")
            return
        prefix = b"" if sent_at is None else _bytes_of(f"{sent_at}\n{path}\n")
        given = [_bytes_of(one.lower()) for one in self.plain_signatures]
        self._require(SIGNATURE_HEADER, given, prefix + self.body, lambda digest: digest.hex().encode())

    def _recent(self, header: str) -> str:
        value = self.named.get(header.lower(), "")
        if not re.fullmatch(r"[0-9]{1,15}", value) or abs(self._now - int(value)) > self._tolerance_s:
            raise WebhookError("wrong_time", f"{header} is missing or too far off.")
        return value

    def _require(self, header: str, given: list[bytes], content: bytes, written: Callable[[bytes], bytes]) -> None:
        expected = [written(hmac.new(key, content, hashlib.sha256).digest()) for key in self._keys]
        if not any(hmac.compare_digest(one, right) for one in given for right in expected):
            raise WebhookError("wrong_signature", f"{header} is wrong: another secret, or another body than was sent.")


def _bytes_of(text: str) -> bytes:
    # Some frameworks decode bytes of a header that are not UTF-8 to surrogates, which a plain `encode` refuses.
    return text.encode(errors="surrogatepass")
