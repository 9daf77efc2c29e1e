import asyncio
import json
import logging
import os
import pickle
import socket
import ssl
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import freebets
from freebets import AsyncPartner, Partner, request_id_of
from server import Server, chunked, drip, drop, error, ok, reply, server_context, stall, until_close

WHO = {"client_id": 1, "secret": "a-secret"}
GIFT = {"player_id": "player-1", "currency": "EUR", "campaign_id": "weekend"}
ISSUED = {"issue_id": "one", "campaign_id": "weekend"}


def without_pauses(case):
    patched = mock.patch("random.uniform", return_value=0.0)
    patched.start()
    case.addCleanup(patched.stop)


class Base(unittest.TestCase):
    def setUp(self):
        without_pauses(self)

    def serve(self, *replies, **options):
        server = Server(*replies, **options)
        self.addCleanup(server.close)
        return server

    def partner(self, server, **options):
        partner = Partner(server.url, **WHO, **options)
        self.addCleanup(partner.close)
        return partner

    def failure_of(self, call, *args, **request):
        with self.assertRaises(freebets.FreebetsError) as caught:
            call(*args, **request)
        return caught.exception


class Connections(Base):
    def test_one_connection_serves_calls_one_after_another(self):
        server = self.serve(ok())
        partner = self.partner(server)
        for _ in range(3):
            partner.games.list()
        self.assertEqual(server.connections, [0, 0, 0])

    def test_threads_share_connections(self):
        server = self.serve(ok(delay_s=0.01))
        partner = self.partner(server)
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: partner.games.list(), range(20)))
        self.assertEqual(len(server.received), 20)
        self.assertLessEqual(len(set(server.connections)), 4)

    def test_a_chunked_response_keeps_the_connection(self):
        server = self.serve(chunked)
        partner = self.partner(server)
        self.assertEqual([request_id_of(partner.games.list()) for _ in range(2)], ["chunks", "chunks"])
        self.assertEqual(server.connections, [0, 0])

    def test_a_response_that_ends_the_connection_is_read(self):
        server = self.serve(until_close)
        partner = self.partner(server)
        for _ in range(2):
            partner.games.list()
        self.assertEqual(server.connections, [0, 1])

    def test_a_connection_that_the_server_closed_is_replaced(self):
        server = self.serve(lambda to: ok()(to) or False, ok())
        partner = self.partner(server, max_retries=0)
        partner.games.list()
        self.assertTrue(server.closed.wait(5))
        partner.games.list()
        self.assertEqual(server.connections, [0, 1])

    def test_a_connection_that_closes_while_it_is_reused_is_replaced(self):
        server = self.serve(ok(), drop, ok(ISSUED))
        partner = self.partner(server, max_retries=0)
        partner.games.list()
        partner.free_bets.issue(**GIFT)
        self.assertEqual(server.connections, [0, 0, 1])
        bodies = [body for *_, body in server.received]
        self.assertEqual(bodies[1], bodies[2])

    def test_a_refusal_after_a_lost_connection_does_not_prove_that_nothing_happened(self):
        server = self.serve(ok(), drop, error(403, "forbidden"))
        partner = self.partner(server, max_retries=0)
        partner.games.list()
        failure = self.failure_of(partner.free_bets.issue, **GIFT)
        self.assertIsInstance(failure, freebets.AuthenticationError)
        self.assertTrue(failure.may_have_happened)

    def test_an_operation_that_is_sent_once_opens_a_connection(self):
        server = self.serve(ok(), drop)
        partner = self.partner(server)
        partner.games.list()
        failure = self.failure_of(partner.campaigns.pause, campaign_id="weekend")
        self.assertTrue(failure.may_have_happened)
        self.assertEqual(server.connections, [0, 1])

    def test_a_forked_process_opens_its_own_connections(self):
        server = self.serve(ok())
        partner = self.partner(server)
        partner.games.list()
        child = os.fork()
        if child == 0:
            try:
                partner.games.list()
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        partner.games.list()
        self.assertEqual(server.connections, [0, 1, 0])

    def test_no_more_connections_are_kept_than_allowed(self):
        server = self.serve(ok(delay_s=0.05))
        partner = self.partner(server, max_connections=1)
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda _: partner.games.list(), range(3)))
        self.assertEqual(len(partner._pool._idle), 1)

    def test_a_proxy_of_the_environment_is_used(self):
        proxy = self.serve(ok())
        address = f"http://user:pass%40word@127.0.0.1:{proxy.port}"
        with mock.patch.dict(os.environ, {"http_proxy": address, "no_proxy": "direct.invalid"}):
            with Partner("http://freebets.invalid:81/base", **WHO) as partner:
                partner.games.list()
        _, line, headers, _ = proxy.received[0]
        self.assertEqual(line, "POST http://freebets.invalid:81/base/v3/Game/List HTTP/1.1")
        self.assertEqual(headers["host"], "freebets.invalid:81")
        self.assertEqual(headers["proxy-authorization"], "Basic dXNlcjpwYXNzQHdvcmQ=")

    def test_https_goes_through_the_tunnel_of_a_proxy(self):
        proxy = self.serve(reply(407, b""))
        with mock.patch.dict(os.environ, {"https_proxy": f"http://127.0.0.1:{proxy.port}", "no_proxy": ""}):
            partner = Partner("https://freebets.invalid", **WHO, max_retries=0)
            failure = self.failure_of(partner.campaigns.pause, campaign_id="weekend")
        self.assertTrue(proxy.received[0][1].startswith("CONNECT freebets.invalid:443 "), proxy.received[0][1])
        self.assertFalse(failure.may_have_happened)


@unittest.skipUnless("CERTIFICATE" in os.environ, "CERTIFICATE and KEY are not set")
class Secure(Base):
    def setUp(self):
        super().setUp()
        certificate, key = os.environ["CERTIFICATE"], os.environ["KEY"]
        self.context = ssl.create_default_context(cafile=certificate)
        self.server_context = server_context(certificate, key)
        local = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))]
        resolve = lambda _host, port, *_: [(*one[:4], (one[4][0], port)) for one in local]
        patched = mock.patch("socket.getaddrinfo", side_effect=resolve)
        patched.start()
        self.addCleanup(patched.stop)

    def test_one_connection_serves_calls_one_after_another(self):
        server = self.serve(chunked, ok(), context=self.server_context)
        with Partner(f"https://partner.test:{server.port}", **WHO, ssl_context=self.context) as partner:
            for _ in range(3):
                partner.games.list()
        self.assertEqual(server.connections, [0, 0, 0])

    def test_an_untrusted_certificate_is_refused_before_anything_is_sent(self):
        server = self.serve(ok(), context=self.server_context)
        partner = Partner(f"https://partner.test:{server.port}", **WHO, max_retries=0)
        failure = self.failure_of(partner.campaigns.pause, campaign_id="weekend")
        self.assertFalse(failure.may_have_happened)
        self.assertEqual(server.received, [])

    def test_a_cancelled_call_closes_its_connection(self):
        server = self.serve(stall, ok(), context=self.server_context)

        async def cancel_first():
            async with AsyncPartner(f"https://partner.test:{server.port}", **WHO, ssl_context=self.context) as partner:
                call = asyncio.create_task(partner.games.list())
                while not server.received:
                    await asyncio.sleep(0.01)
                call.cancel()
                self.assertTrue(await asyncio.to_thread(server.closed.wait, 5))
                await partner.games.list()

        asyncio.run(cancel_first())
        self.assertEqual(server.connections, [0, 1])


class Failures(Base):
    def test_classes_follow_the_status(self):
        classes = {
            400: freebets.ValidationError,
            401: freebets.AuthenticationError,
            403: freebets.AuthenticationError,
            404: freebets.NotFoundError,
            409: freebets.ConflictError,
            405: freebets.ValidationError,
            413: freebets.ValidationError,
            415: freebets.ValidationError,
            418: freebets.APIStatusError,
            429: freebets.RateLimitError,
            500: freebets.ServerError,
            503: freebets.ServerError,
        }
        for status, expected in classes.items():
            with self.subTest(status):
                server = self.serve(error(status, "some_error", "Retry-After: 3", doc_url="https://docs.invalid/some"))
                failure = self.failure_of(self.partner(server, max_retries=0).games.list)
                self.assertIs(type(failure), expected)
                self.assertIsInstance(failure, freebets.APIStatusError)
                found = (failure.error, failure.code, failure.status, failure.request_id, failure.doc_url)
                self.assertEqual(found, ("some_error", status, status, "request-1", "https://docs.invalid/some"))
                self.assertEqual(failure.retry_after_s, 3)
                again = pickle.loads(pickle.dumps(failure))
                self.assertEqual((type(again), vars(again)), (type(failure), vars(failure)))

    def test_two_retries_by_default(self):
        server = self.serve(error(503, "unavailable"))
        failure = self.failure_of(self.partner(server).free_bets.issue, **GIFT)
        self.assertEqual(len(server.received), 3)
        self.assertEqual(len({body for *_, body in server.received}), 1)
        self.assertEqual(json.loads(server.received[0][3])["issue_id"], failure.request["issue_id"])

    def test_options_of_a_call_replace_those_of_the_client(self):
        server = self.serve(error(503, "unavailable"))
        options = {"max_retries": 1, "request_id": "mine", "extra_body": {"new_field": 1}}
        self.failure_of(self.partner(server).games.list, options=options)
        self.assertEqual(len(server.received), 2)
        self.assertEqual(server.received[0][2]["x-request-id"], "mine")
        self.assertEqual(json.loads(server.received[0][3]), {"client_id": 1, "new_field": 1})

    def test_a_refusal_is_not_retried(self):
        server = self.serve(error(409, "campaign_ended"))
        self.failure_of(self.partner(server).free_bets.issue, **GIFT)
        self.assertEqual(len(server.received), 1)

    def test_retry_after_is_waited_for_unless_it_exceeds_the_deadline(self):
        server = self.serve(error(429, "too_many_requests", "Retry-After: 1"), ok())
        started = time.monotonic()
        self.partner(server).games.list()
        self.assertGreaterEqual(time.monotonic() - started, 1)
        server = self.serve(error(429, "too_many_requests", "Retry-After: 60"))
        started = time.monotonic()
        failure = self.failure_of(self.partner(server).games.list)
        self.assertIsInstance(failure, freebets.RateLimitError)
        self.assertLess(time.monotonic() - started, 5)

    def test_a_slow_response_ends_with_the_attempt(self):
        server = self.serve(drip)
        partner = self.partner(server, attempt_timeout_s=0.3, max_retries=0)
        started = time.monotonic()
        failure = self.failure_of(partner.games.list)
        self.assertIsInstance(failure, freebets.APITimeoutError)
        self.assertEqual((failure.error, failure.may_have_happened), ("no_answer", True))
        # The whole response would take 50 s.
        self.assertLess(time.monotonic() - started, 10)

    def test_the_deadline_covers_all_attempts(self):
        server = self.serve(drip)
        started = time.monotonic()
        self.failure_of(self.partner(server, deadline_s=0.5, attempt_timeout_s=0.2, max_retries=50).games.list)
        self.assertLess(time.monotonic() - started, 10)
        self.assertLessEqual(len(server.received), 3)

    def test_another_server_is_recognized(self):
        server = self.serve(reply(200, {"hello": "world"}))
        failure = self.failure_of(self.partner(server, max_retries=0).games.list)
        self.assertIsInstance(failure, freebets.UnreadableResponseError)
        self.assertEqual(failure.error, "unreadable_answer")

    def test_a_response_that_is_nested_too_deeply_is_not_of_the_service(self):
        nested = b"[" * 100_000
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(nested)}\r\n\r\n".encode()
        server = self.serve(lambda connection: connection.sendall(head + nested))
        failure = self.failure_of(self.partner(server, max_retries=0).free_bets.issue, **GIFT)
        self.assertIsInstance(failure, freebets.UnreadableResponseError)
        self.assertIn("issue_id", failure.request)

    def test_a_date_that_is_too_far_is_ignored(self):
        server = self.serve(error(503, "unavailable", "Retry-After: Mon, 01 Jan 99999999999 00:00:00 GMT"))
        failure = self.failure_of(self.partner(server, max_retries=0).games.list)
        self.assertIsNone(failure.retry_after_s)

    def test_a_timeout_may_be_infinite(self):
        server = self.serve(ok())
        self.partner(server, attempt_timeout_s=float("inf"), deadline_s=float("inf")).games.list()

    def test_wrong_options_of_a_call_are_refused_before_it_is_sent(self):
        server = self.serve(ok())
        partner = self.partner(server)
        for wrong in ("a b", "a\r\nX-Other: 1", "\u20ac", "", "a" * 65):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "request_id"):
                partner.games.list(options={"request_id": wrong})
        with self.assertRaisesRegex(TypeError, "Unknown option: timeout"):
            partner.games.list(options={"timeout": 2})
        self.assertEqual(server.received, [])

    def test_headers_of_a_webhook_that_are_not_text_are_refused(self):
        for headers in (
            {"webhook-signature": "v1,\udcff", "webhook-timestamp": "100", "webhook-id": "\udcff"},
            {"X-REQUEST-SIGN": "\udcff"},
        ):
            with self.subTest(headers), self.assertRaises(freebets.WebhookError) as caught:
                freebets.verify_webhook(b"{}", headers, "a-secret", now=100)
            self.assertEqual(caught.exception.reason, "wrong_signature")

    def test_wrong_options_are_refused(self):
        for address in ("http://host:port", "http://[", "http://host/a b", "http://host:0"):
            with self.subTest(address), self.assertRaisesRegex(ValueError, "base_url"):
                Partner(address, **WHO)
        nan = float("nan")
        for wrong in ({"max_retries": -1}, {"deadline_s": 0}, {"deadline_s": nan}, {"signing": "weak"}, {"secret": ""}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                Partner("http://127.0.0.1:1", **{**WHO, **wrong})


class Reports(Base):
    def test_attempts_are_reported_and_logged_without_secrets(self):
        server = self.serve(error(503, "unavailable"), ok(ISSUED, "X-Request-Id: request-2"))
        attempts = []
        partner = self.partner(server, on_attempt=attempts.append, signing="strict")
        with self.assertLogs("freebets", logging.DEBUG) as logs:
            issued = partner.free_bets.issue(**GIFT)
        self.assertEqual(request_id_of(issued), "request-2")
        found = [(one.method, one.number, one.status, one.error, one.request_id, one.retry_in_s) for one in attempts]
        first = ("free_bets.issue", 1, 503, "unavailable", "request-1", 0.0)
        self.assertEqual(found, [first, ("free_bets.issue", 2, 200, None, "request-2", None)])
        self.assertEqual([one.split(":")[0] for one in logs.output], ["INFO", "DEBUG"])
        text = "\n".join(logs.output)
        for hidden in ("a-secret", "player-1", server.received[0][2]["x-request-sign"]):
            self.assertNotIn(hidden, text)

    def test_a_failing_hook_does_not_fail_the_call(self):
        server = self.serve(ok())

        def fail(_):
            raise RuntimeError("a bug")

        with self.assertLogs("freebets", logging.ERROR):
            self.partner(server, on_attempt=fail).games.list()

    def test_the_user_agent_has_the_versions(self):
        server = self.serve(ok())
        self.partner(server).games.list()
        self.assertRegex(server.received[0][2]["user-agent"], r"^freebets-python/\d+\.\d+\.\d+ \w+/3\.\d+")


def page(items, cursor):
    return ok({"free_bets": items, "next_cursor": cursor})


class Lists(Base):
    def test_pages_follow_each_other(self):
        server = self.serve(page([1, 2], "two"), page([], "three"), page([3], None))
        self.assertEqual(list(self.partner(server).free_bets.list()), [1, 2, 3])
        bodies = [json.loads(body) for *_, body in server.received]
        self.assertEqual([body.get("cursor") for body in bodies], [None, "two", "three"])
        self.assertEqual({body["limit"] for body in bodies}, {200})

    def test_one_page_is_fetched_at_a_time(self):
        server = self.serve(page([1, 2], "two"), page([3], None))
        first = self.partner(server).free_bets.list(limit=2)
        self.assertEqual((first.data, first.next_cursor, first.has_next_page()), ([1, 2], "two", True))
        self.assertEqual(len(server.received), 1)
        last = first.next_page()
        self.assertEqual((last.data, last.has_next_page()), ([3], False))
        with self.assertRaises(ValueError):
            last.next_page()


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        without_pauses(self)

    def serve(self, *replies):
        server = Server(*replies)
        self.addCleanup(server.close)
        return server

    async def test_calls_run_in_parallel_and_reuse_connections(self):
        server = self.serve(ok(delay_s=0.3))
        async with AsyncPartner(server.url, **WHO, max_connections=5) as partner:
            started = time.monotonic()
            await asyncio.gather(*(partner.games.list() for _ in range(10)))
            # One after another they would take 3 s.
            self.assertLess(time.monotonic() - started, 2.5)
        self.assertLessEqual(len(set(server.connections)), 5)

    async def test_lists(self):
        server = self.serve(page([1, 2], "two"), page([3], None))
        async with AsyncPartner(server.url, **WHO) as partner:
            self.assertEqual([one async for one in partner.free_bets.list()], [1, 2, 3])
        server = self.serve(page([1, 2], "two"), page([3], None))
        async with AsyncPartner(server.url, **WHO) as partner:
            first = await partner.free_bets.list()
            self.assertEqual(first.data, [1, 2])
            self.assertEqual((await first.next_page()).data, [3])

    async def test_a_cancelled_call_closes_its_connection(self):
        server = self.serve(stall, ok())
        async with AsyncPartner(server.url, **WHO) as partner:
            call = asyncio.create_task(partner.games.list())
            while not server.received:
                await asyncio.sleep(0.01)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            self.assertTrue(await asyncio.to_thread(server.closed.wait, 5))
            await partner.games.list()
        self.assertEqual(server.connections, [0, 1])

    async def test_a_call_that_is_cancelled_while_it_waits_for_a_thread_is_not_sent(self):
        gate = threading.Event()
        server = self.serve(lambda to: gate.wait(5) and ok()(to))
        async with AsyncPartner(server.url, **WHO, max_connections=1) as partner:
            first = asyncio.create_task(partner.games.list())
            second = asyncio.create_task(partner.games.list())
            while not server.received:
                await asyncio.sleep(0.01)
            second.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await second
            gate.set()
            await first
            await asyncio.sleep(0.1)
        self.assertEqual(len(server.received), 1)

    async def test_timeouts(self):
        server = self.serve(stall)
        async with AsyncPartner(server.url, **WHO, attempt_timeout_s=0.2, max_retries=1) as partner:
            with self.assertRaises(freebets.APITimeoutError) as caught:
                await partner.free_bets.issue(**GIFT)
        self.assertTrue(caught.exception.may_have_happened)
        self.assertEqual(len(server.received), 2)

    async def test_a_job_takes_an_asynchronous_iterable(self):
        opened = {"job_id": "one", "name": "A job", "status": "open", "part": 1}
        server = self.serve(ok(opened), ok(opened), ok(opened), ok(opened), ok({**opened, "status": "running"}))

        async def players():
            for number in range(5001):
                yield {"player_id": f"player-{number}", "currency": "EUR"}

        sent = []
        async with AsyncPartner(server.url, **WHO) as partner:
            job = await partner.jobs.run(players(), name="A job", on_sent=lambda *one: sent.append(one))
        self.assertEqual(job["status"], "running")
        self.assertEqual(sent[-1], (2, 5001))
        self.assertEqual(json.loads(server.received[-1][3])["items"], 5001)

    async def test_a_cancelled_job_sends_nothing_more(self):
        opened = {"job_id": "one", "name": "A job", "status": "open", "part": 1}
        server = self.serve(ok(opened), ok(opened), stall)
        async with AsyncPartner(server.url, **WHO) as partner:
            items = [{"player_id": f"player-{number}", "currency": "EUR"} for number in range(30_000)]
            run = asyncio.create_task(partner.jobs.run(items, name="A job"))
            while len(server.received) < 5:
                await asyncio.sleep(0.01)
            run.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await run
            await asyncio.sleep(0.2)
        self.assertEqual(len(server.received), 5)


class Unsent(Base):
    def test_a_refused_connection_is_retried_for_every_operation(self):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        attempts = []
        partner = Partner(f"http://127.0.0.1:{port}", **WHO, on_attempt=attempts.append)
        failure = self.failure_of(partner.campaigns.pause, campaign_id="weekend")
        self.assertIsInstance(failure, freebets.APIConnectionError)
        self.assertEqual((failure.may_have_happened, len(attempts)), (False, 3))

    def test_a_lease_that_was_aborted_before_sending_sends_nothing(self):
        server = self.serve(ok())
        from freebets._http import HttpRequest, Lease, NotSentError

        partner = self.partner(server)
        lease = Lease()
        lease.abort()
        with self.assertRaises(NotSentError):
            partner._pool.exchange(HttpRequest("/", {}, b""), 5, False, lease)
        self.assertEqual(server.received, [])
        self.assertFalse(lease.was_sent)


if __name__ == "__main__":
    unittest.main()
