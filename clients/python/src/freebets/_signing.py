from __future__ import annotations

import hashlib
import hmac

SIGNATURE_HEADER = "X-REQUEST-SIGN"
TIME_HEADER = "X-REQUEST-TIME"


def sign(secret: str, body: bytes, timestamp: int | str | None = None, path: str | None = None) -> str:
    """Returns the value of X-REQUEST-SIGN for a body.

    Args:
        secret: Your secret.
        body: The exact bytes of the request.
        timestamp: With strict signing, the value of X-REQUEST-TIME in seconds.
        path: With strict signing, the path of the request, such as ``/v3/Game/List``.

    Example:
        sign("secret", b'{"client_id":1}', timestamp=1800000000, path="/v3/Game/List")
    """
    prefix = b"" if timestamp is None else f"{timestamp}\n{path}\n".encode()
    return hmac.new(secret.encode(), prefix + body, hashlib.sha256).hexdigest()
