"""A server that responds as a test says."""

import json
import socket
import ssl
import threading
import time


class Server:
    """Uses the replies in turn, and then repeats the last one. A reply writes to the socket; False closes it."""

    def __init__(self, *replies, context=None):
        self._replies, self._context = list(replies), context
        self._lock = threading.Lock()
        # Of each request: the number of its connection, its first line, its headers and its body.
        self.received = []
        self.closed = threading.Event()
        self._sockets = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"{'http' if self._context is None else 'https'}://127.0.0.1:{self.port}"

    @property
    def connections(self):
        return [connection for connection, *_ in self.received]

    def close(self):
        self._listener.close()
        for one in self._sockets:
            one.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _accept(self):
        for number in range(1000):
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            try:
                if self._context is not None:
                    connection = self._context.wrap_socket(connection, server_side=True)
            except OSError:
                connection.close()
                continue
            self._sockets.append(connection)
            threading.Thread(target=self._serve, args=(number, connection), daemon=True).start()

    def _serve(self, number, connection):
        file = connection.makefile("rb")
        try:
            while True:
                line = file.readline().decode().strip()
                if not line:
                    break
                headers = {}
                while header := file.readline().decode().strip():
                    name, _, value = header.partition(": ")
                    headers[name.lower()] = value
                body = file.read(int(headers.get("content-length", 0)))
                with self._lock:
                    self.received.append((number, line, headers, body))
                    reply = self._replies[min(len(self.received), len(self._replies)) - 1]
                if reply(connection) is False:
                    break
        except OSError:
            pass
        finally:
            self.closed.set()
            file.close()
            connection.close()


def reply(status, body, headers=(), delay_s=0.0):
    def write(connection):
        time.sleep(delay_s)
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(text)}", *headers, "", ""]
        connection.sendall("\r\n".join(lines).encode() + text)

    return write


def ok(body=None, *headers, delay_s=0.0):
    return reply(200, {"providers": [], "image_assets": {}} if body is None else body, headers, delay_s)


def error(status, name, *headers, **fields):
    return reply(status, {"code": status, "error": name, "message": "Why.", "request_id": "request-1", **fields}, headers)


def drop(_):
    return False


def stall(connection):
    """Waits until the client closes the connection."""
    connection.recv(1)
    return False


def drip(connection):
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def chunked(connection):
    text = json.dumps({"providers": [], "image_assets": {}}).encode()
    connection.sendall(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\nX-Request-Id: chunks\r\n\r\n")
    for i in range(0, len(text), 7):
        connection.sendall(b"%x\r\n%s\r\n" % (len(text[i : i + 7]), text[i : i + 7]))
    connection.sendall(b"0\r\n\r\n")


def until_close(connection):
    connection.sendall(b'HTTP/1.0 200 X\r\n\r\n{"providers": [], "image_assets": {}}')
    return False


def server_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
