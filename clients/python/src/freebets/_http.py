"""HTTP/1.1 with connections that are reused, on the standard library."""

from __future__ import annotations

import base64
import collections
import http.client
import io
import os
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, cast
from urllib.parse import SplitResult, unquote, urlsplit

# Load balancers and firewalls drop idle connections, some of them without closing them.
MAX_IDLE_S = 30.0


@dataclass(frozen=True)
class HttpRequest:
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class HttpResponse:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


class NotSentError(Exception):
    """Connecting failed, so that the service has received nothing."""

    def __init__(self, message: str, *, is_timeout: bool = False) -> None:
        super().__init__(message)
        self.is_timeout = is_timeout


class NoResponseError(Exception):
    """The request was sent, and no complete response came."""

    def __init__(self, message: str, *, is_timeout: bool = False, is_stale: bool = False) -> None:
        super().__init__(message)
        self.is_timeout = is_timeout
        # A reused connection ended before the first byte: most likely the server closed it while it was idle.
        self.is_stale = is_stale


class Lease:
    """Lets another thread abort the exchange that holds it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None
        self._is_aborted = False
        self.was_sent = False

    def hold(self, sock: socket.socket) -> None:
        with self._lock:
            if self._is_aborted:
                raise NotSentError("The call was cancelled.")
            self._socket = sock
            self.was_sent = True

    def release(self) -> None:
        """From here on, the connection may belong to another exchange."""
        with self._lock:
            self._socket = None

    def abort(self) -> None:
        with self._lock:
            self._is_aborted = True
            if self._socket is not None:
                try:
                    # Not SSLSocket.shutdown: that would let a thread that is still sending continue without TLS.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
                except OSError:
                    pass


class _Reader(io.RawIOBase):
    def __init__(self, of: _TimedSocket) -> None:
        self._of = of

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._of.receive_into(buffer)


class _TimedSocket:
    """A socket with one end for all its reads and writes. The timeout of a plain socket starts again with each read."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.end = 0.0
        self.received = 0

    def _limit(self) -> None:
        left = self.end - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self.socket.settimeout(left)

    def sendall(self, data: bytes) -> None:
        self._limit()
        self.socket.sendall(data)

    def receive_into(self, buffer: Any) -> int:
        self._limit()
        count = self.socket.recv_into(buffer)
        self.received += count
        return count

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        # http.client closes its socket before it reads the body of a last response.
        pass


class _Connection:
    def __init__(self, to: http.client.HTTPConnection) -> None:
        self._http = to
        try:
            to.connect()
        except BaseException:
            to.close()
            raise
        self.timed = _TimedSocket(to.sock)
        to.sock = cast(Any, self.timed)
        self.idle_since = 0.0

    def exchange(self, request: HttpRequest, end: float) -> tuple[HttpResponse, bool]:
        """Returns the response, and whether the connection can be used again."""
        self.timed.end = end
        self.timed.received = 0
        self._http.request("POST", request.path, request.body, dict(request.headers))
        response = self._http.getresponse()
        body = response.read()
        return HttpResponse(response.status, response.headers, body), not response.will_close

    def is_usable(self) -> bool:
        """Whether the server keeps it open. Unexpected bytes count as closed."""
        if time.monotonic() - self.idle_since > MAX_IDLE_S:
            return False
        try:
            self.timed.socket.settimeout(0)
            # Not SSLSocket.recv, which has no MSG_PEEK.
            socket.socket.recv(self.timed.socket, 1, socket.MSG_PEEK)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False

    def close(self) -> None:
        self._http.close()
        self.timed.socket.close()


class Pool:
    """Connections to one address. Any number of threads may use it."""

    def __init__(self, base: SplitResult, max_idle: int, context: ssl.SSLContext | None) -> None:
        self._base = base
        self._max_idle = max_idle
        self._context = context or (ssl.create_default_context() if base.scheme == "https" else None)
        self._proxy = _proxy_for(base)
        self._idle: collections.deque[_Connection] = collections.deque()
        self._process = os.getpid()

    def exchange(self, request: HttpRequest, timeout_s: float, is_fresh: bool, lease: Lease) -> HttpResponse:
        """Sends a request once. With `is_fresh` it opens a connection instead of reusing one."""
        end = time.monotonic() + timeout_s
        reused = None if is_fresh else self._take()
        connection = reused or self._connect(timeout_s)
        target = self._base.path + request.path
        headers = {}
        if self._proxy is not None and self._base.scheme == "http":
            target = f"http://{self._base.netloc}{target}"
            headers = _proxy_headers(self._proxy)
        response: Optional[HttpResponse] = None
        is_reusable = False
        try:
            lease.hold(connection.timed.socket)
            sent = HttpRequest(target, {**request.headers, **headers}, request.body)
            response, is_reusable = connection.exchange(sent, end)
        except socket.timeout as cause:
            raise NoResponseError("timed out", is_timeout=True) from cause
        except (OSError, http.client.HTTPException) as cause:
            is_stale = reused is not None and connection.timed.received == 0
            raise NoResponseError(str(cause), is_stale=is_stale) from cause
        finally:
            lease.release()
            if is_reusable:
                self._give_back(connection)
            else:
                connection.close()
        return response

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _connect(self, timeout_s: float) -> _Connection:
        if timeout_s <= 0:
            raise NotSentError("timed out", is_timeout=True)
        to = self._proxy or self._base
        host = to.hostname or ""
        try:
            if self._base.scheme == "http":
                return _Connection(http.client.HTTPConnection(host, to.port or 80, timeout=timeout_s))
            port = to.port or (443 if self._proxy is None else 80)
            secure = http.client.HTTPSConnection(host, port, timeout=timeout_s, context=self._context)
            if self._proxy is not None:
                secure.set_tunnel(self._base.hostname or "", self._base.port or 443, _proxy_headers(self._proxy))
            return _Connection(secure)
        except (OSError, http.client.HTTPException) as cause:
            raise NotSentError(str(cause), is_timeout=isinstance(cause, socket.timeout)) from cause

    def _take(self) -> _Connection | None:
        if self._process != os.getpid():
            # After a fork, both processes would use the same connections. Closing them here keeps them open there.
            inherited, self._idle = self._idle, collections.deque()
            self._process = os.getpid()
            for one in inherited:
                one.close()
        while True:
            try:
                # The most recent one, because it is the least likely to be closed.
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.is_usable():
                return connection
            connection.close()

    def _give_back(self, connection: _Connection) -> None:
        if len(self._idle) >= self._max_idle or self._process != os.getpid():
            connection.close()
            return
        connection.idle_since = time.monotonic()
        self._idle.append(connection)


def _proxy_for(base: SplitResult) -> SplitResult | None:
    """The proxy of the environment: `https_proxy`, `http_proxy` and `no_proxy`."""
    address = urllib.request.getproxies().get(base.scheme)
    if not address or urllib.request.proxy_bypass(base.netloc):
        return None
    proxy = urlsplit(address if "://" in address else f"http://{address}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ValueError("The proxy of the environment must be an http:// address.")
    return proxy


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(user.encode()).decode()}"}
