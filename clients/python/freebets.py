"""Calls the Freebets service as a partner or a game provider.

One file, no dependencies, Python 3.9 and newer: copy it into your project.

    from freebets import Partner

    partner = Partner("https://freebets.example.com", client_id=1, secret="...")
    free_bet = partner.free_bets.issue(campaign_id="welcome", player_id="player-1", currency="EUR")

Requests and answers are dictionaries with the names of the interface. A request without an id gets one here, and every
attempt sends the same bytes, or of a batch what is left of it: so whatever was lost on the way, nothing happens twice.
"""

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import random
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from email.utils import parsedate_to_datetime

# Made from the contract by "node test/docs/write-tables.ts": change it there.
# <!-- operations -->
OPERATIONS = {
    "campaigns.create": {"path": "/FreeBets/Campaign/Create", "caller": "client_id", "makes": "campaign_id", "has": ["campaign_id"]},
    "campaigns.get": {"path": "/FreeBets/Campaign/Get", "caller": "client_id", "has": ["campaign_id", "name"]},
    "campaigns.list": {"path": "/FreeBets/Campaign/List", "caller": "client_id", "list": "campaigns", "most": 200, "has": ["campaigns", "next_cursor"]},
    "campaigns.stop": {"path": "/FreeBets/Campaign/Stop", "caller": "client_id", "has": []},
    "campaigns.pause": {"path": "/FreeBets/Campaign/Pause", "caller": "client_id", "has": [], "once": True},
    "campaigns.resume": {"path": "/FreeBets/Campaign/Resume", "caller": "client_id", "has": [], "once": True},
    "campaigns.limits": {"path": "/FreeBets/Campaign/Limits", "caller": "client_id", "has": ["campaign_id", "name"], "once": True},
    "free_bets.issue": {"path": "/FreeBets/Issue", "caller": "client_id", "makes": "issue_id", "has": ["issue_id", "campaign_id"]},
    "free_bets.issue_batch": {"path": "/FreeBets/Issue/Batch", "caller": "client_id", "makes": "issue_id", "each": "items", "has": ["results"]},
    "free_bets.cancel": {"path": "/FreeBets/Cancel", "caller": "client_id", "has": []},
    "free_bets.cancel_batch": {"path": "/FreeBets/Cancel/Batch", "caller": "client_id", "each": "issue_ids", "has": ["results"]},
    "free_bets.get": {"path": "/FreeBets/Get", "caller": "client_id", "has": ["issue_id", "campaign_id"]},
    "free_bets.list": {"path": "/FreeBets/List", "caller": "client_id", "list": "free_bets", "most": 200, "has": ["free_bets", "next_cursor"]},
    "jobs.create": {"path": "/FreeBets/Jobs/Create", "caller": "client_id", "has": ["job_id", "name"]},
    "jobs.add": {"path": "/FreeBets/Jobs/Add", "caller": "client_id", "has": ["job_id", "part"]},
    "jobs.start": {"path": "/FreeBets/Jobs/Start", "caller": "client_id", "has": ["job_id", "name"]},
    "jobs.get": {"path": "/FreeBets/Jobs/Get", "caller": "client_id", "has": ["job_id", "name"]},
    "jobs.list": {"path": "/FreeBets/Jobs/List", "caller": "client_id", "list": "jobs", "most": 200, "has": ["jobs", "next_cursor"]},
    "jobs.refusals": {"path": "/FreeBets/Jobs/Refusals", "caller": "client_id", "list": "refusals", "most": 1000, "has": ["refusals", "next_cursor"]},
    "jobs.retry": {"path": "/FreeBets/Jobs/Retry", "caller": "client_id", "has": ["job_id", "name"]},
    "jobs.stop": {"path": "/FreeBets/Jobs/Stop", "caller": "client_id", "has": []},
    "games.list": {"path": "/Game/List", "caller": "client_id", "has": ["providers", "image_assets"]},
    "events.list": {"path": "/Events/List", "caller": "client_id", "has": ["events", "last_sequence"]},
    "rounds.available": {"path": "/Rounds/Available", "caller": "provider_id", "has": ["free_bets"]},
    "rounds.bet": {"path": "/Rounds/Bet", "caller": "provider_id", "has": ["bet_id", "issue_id"]},
    "rounds.settle": {"path": "/Rounds/Settle", "caller": "provider_id", "has": ["bet_id", "result"]},
    "rounds.rollback": {"path": "/Rounds/Rollback", "caller": "provider_id", "has": []},
    "rounds.get": {"path": "/Rounds/Get", "caller": "provider_id", "has": ["bet_id", "status"]},
    "rounds.open": {"path": "/Rounds/Open", "caller": "provider_id", "list": "bets", "most": 200, "has": ["bets", "next_cursor"]},
    "sandbox.clock_get": {"path": "/Sandbox/Clock/Get", "caller": "client_id", "has": ["now", "offset_s"]},
    "sandbox.clock_set": {"path": "/Sandbox/Clock/Set", "caller": "client_id", "has": ["now", "offset_s"]},
    "sandbox.round": {"path": "/Sandbox/Round", "caller": "client_id", "has": ["issue_id", "campaign_id"], "once": True},
}
ITEMS_OF_PART = 5000
# <!-- /operations -->

SIGNATURE, TIME = "X-REQUEST-SIGN", "X-REQUEST-TIME"
# A body has 1 MiB; this leaves room for what stands around the items.
BYTES_OF_PART = 1024 * 1024 - 1024
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.4, 10.0


class FreebetsError(Exception):
    """Why a call has failed: for programs by `name`, a row of the table of errors, `no_answer` or `unreadable_answer`."""

    def __init__(self, name, message, status=None, code=None, details=(), request_id=None, retry_after_s=None):
        super().__init__(f"{name}: {message}")
        self.name, self.message, self.status, self.code = name, message, status, code
        self.details, self.request_id, self.retry_after_s = list(details), request_id, retry_after_s
        # Whether any attempt of the call may have been carried out: one that was sent and got no answer, a response from
        # something other than the service, or a fault. A refusal after such an attempt does not change this.
        self.may_have_happened = name == "unreadable_answer" or (self.is_retryable and status != 429)
        # Where ids were made here: the request with them, to call again with. Without them it would be another call.
        self.request = None

    def __reduce__(self):
        # A pool of processes hands an error over as what makes it anew, which is not the text alone.
        return type(self), (self.name, self.message), self.__dict__

    @property
    def is_retryable(self):
        """Whether the same request may succeed later."""
        return self.status is None or self.status < 300 or self.status in (408, 429) or self.status >= 500

    def _with_request(self, request):
        if self.request is not None:
            return self
        self.request = request
        if self.may_have_happened and not request.get("dry_run"):
            self.message += " It may have been carried out: to call again, give this error's request, which has the ids."
            self.args = (f"{self.name}: {self.message}",)
        return self


class WebhookError(Exception):
    """Why an event is not to be believed: answer it with 401, or 400 where `reason` is `not_an_event`."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason

    def __reduce__(self):
        return type(self), (self.reason, str(self)), self.__dict__


def sign(secret, body, timestamp=None, path=None):
    """The value of X-REQUEST-SIGN for these bytes; with a time and a path, the one that covers them too."""
    prefix = b"" if timestamp is None else f"{timestamp}\n{path}\n".encode()
    return hmac.new(secret.encode(), prefix + body, hashlib.sha256).hexdigest()


class _Client:
    def __init__(self, base_url, identity, secret, signing="plain", attempts=10, attempt_timeout_s=10, deadline_s=30):
        if not secret:
            raise ValueError("The secret is empty.")
        address = urllib.parse.urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc or address.query:
            # The address may hold a password, and is not repeated.
            raise ValueError("base_url must be an address such as https://freebets.example.com, without a user or a query.")
        self._base = re.sub(r"(/v3)?/*(#.*)?$", "", base_url)
        self._identity, self._secret, self._signing = identity, secret, signing
        self._attempts, self._attempt_timeout_s, self._deadline_s = attempts, attempt_timeout_s, deadline_s
        for method, operation in OPERATIONS.items():
            if operation["caller"] in identity:
                noun, verb = method.split(".")
                if not hasattr(self, noun):
                    setattr(self, noun, _Noun())
                setattr(getattr(self, noun), verb, self._method(operation))

    def _method(self, operation):
        call = lambda **request: self.call(operation, request)  # noqa: E731
        call.__doc__ = operation["path"]
        if "list" in operation:
            call.all = lambda **request: self._all(operation, request)
        return call

    def _all(self, operation, request):
        """Every item, page by page; a page may hold fewer than it could, even nothing, and not be the last."""
        request = {"limit": operation["most"], **request}
        while True:
            page = self.call(operation, request)
            yield from page[operation["list"]]
            if page["next_cursor"] is None:
                return
            request["cursor"] = page["next_cursor"]

    def call(self, operation, request):
        """The answer to a request; whatever else comes of it is raised as a FreebetsError."""
        asked = {**self._identity, **request}
        sent = _with_ids(operation, asked)
        try:
            return self._retried(operation, sent)
        except FreebetsError as error:
            # Nobody else knows the ids that were made here.
            raise error if sent == asked else error._with_request(sent)

    def _retried(self, operation, request):
        end = time.monotonic() + self._deadline_s
        body, answer, longest = _written(request), None, FIRST_PAUSE_S
        may_have_happened = False
        for tried in itertools.count(1):
            try:
                answer = _completed(answer, self._attempt(operation, body, end - time.monotonic()))
                rest = _rest_of(operation, request, answer)
                if rest is None:
                    return answer
                body = _written(rest)
                raise FreebetsError("unavailable", "Some items could not be taken.", status=503)
            except FreebetsError as error:
                may_have_happened = error.may_have_happened = may_have_happened or error.may_have_happened
                # With jitter, so that what failed together does not come back together.
                pause = (error.retry_after_s or 0) + random.uniform(0, longest)
                longest = min(longest * 2, LONGEST_PAUSE_S)
                is_last = tried >= self._attempts or (operation.get("once") and may_have_happened)
                if not error.is_retryable or is_last or time.monotonic() + pause >= end:
                    # What is left of a batch in the end has its place among the results.
                    if answer is not None:
                        return answer
                    raise
            time.sleep(pause)

    def _attempt(self, operation, body, left_s):
        path, has = "/v3" + operation["path"], operation["has"]
        headers = {"Content-Type": "application/json"}
        timestamp = None
        if self._signing == "strict":
            # That of the attempt: a late one would be refused with the time of the first.
            timestamp = headers[TIME] = str(int(time.time()))
        headers[SIGNATURE] = sign(self._secret, body, timestamp, path)
        request = urllib.request.Request(self._base + path, body, headers, method="POST")
        try:
            with _OPENER.open(request, timeout=max(0.001, min(self._attempt_timeout_s, left_s))) as answer:
                return _result(has, answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                try:
                    return _result(has, refused.code, refused.headers, refused.read())
                except (OSError, http.client.HTTPException) as cause:
                    raise FreebetsError("no_answer", f"No answer came from {self._base}.") from cause
        except (OSError, http.client.HTTPException) as cause:
            error = FreebetsError("no_answer", f"No answer came from {self._base}.")
            error.may_have_happened = not _is_unsent(getattr(cause, "reason", None))
            raise error from cause


class _Noun:
    """The methods of one noun."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is not followed: it would turn the call into another one, or carry the signed bytes somewhere else."""

    def redirect_request(self, *_):
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _is_unsent(reason):
    """The connection was refused, the name is unknown, or the certificate is not trusted: then nothing was sent."""
    return isinstance(reason, (ConnectionRefusedError, socket.gaierror)) or bool(getattr(reason, "verify_code", 0))


def _with_ids(operation, request):
    """Without an id of the caller the service makes one, and would make another with every attempt."""
    makes, each = operation.get("makes"), operation.get("each")
    if makes is None:
        return request
    # An id that is None or empty was lost by the caller: the service says so, where another would hide it.
    with_id = lambda of: of if makes in of else {**of, makes: str(uuid.uuid4())}  # noqa: E731
    return with_id(request) if each is None else {**request, each: [with_id(item) for item in request.get(each, [])]}


def _written(request):
    return json.dumps(request, separators=(",", ":")).encode()


def _results_of(answer):
    results = answer.get("results")
    return results if isinstance(results, list) else []


def _is_open(result):
    """The service could not take this item of a batch; or it was carried out all the same, and the confirmation lost."""
    error = result.get("error") if isinstance(result, dict) else None
    return isinstance(error, dict) and error.get("error") in ("unavailable", "internal_error")


def _rest_of(operation, request, answer):
    """The request for the items that an answer leaves open, if there are any. A dry run does nothing, and is decided as a whole."""
    each = operation.get("each")
    items, results = request.get(each, []), _results_of(answer)
    if each is None or len(results) != len(items) or request.get("dry_run"):
        return None
    rest = [item for item, result in zip(items, results) if _is_open(result)]
    return {**request, each: rest} if rest else None


def _completed(answer, following):
    """An answer with the results of the next one in the places that it left open."""
    if answer is None:
        return following
    later = iter(_results_of(following))
    return {**answer, "results": [next(later, one) if _is_open(one) else one for one in _results_of(answer)]}


def _object_in(text):
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _is_answer(has, body):
    """Something else than the service may answer with an object too. What answers {} answers no more than that it was a dry run."""
    return all(field in body for field in has) if has else body.keys() <= {"dry_run"}


def _result(has, status, headers, text):
    body = _object_in(text)
    if status == 200 and body is not None and _is_answer(has, body):
        return body
    known = {
        "status": status,
        "request_id": headers.get("X-Request-Id"),
        "retry_after_s": _retry_after_s(headers.get("Retry-After")),
    }
    if status == 200 or body is None or not isinstance(body.get("error"), str) or not isinstance(body.get("code"), int):
        raise FreebetsError("unreadable_answer", f"What answered with status {status} is not Freebets.", **known)
    known["request_id"] = _text(body.get("request_id")) or known["request_id"]
    details = body.get("details")
    details = [one for one in details if _is_field_error(one)] if isinstance(details, list) else []
    message = _text(body.get("message")) or ""
    raise FreebetsError(body["error"], message, code=body["code"], details=details, **known)


def _text(value):
    return value if isinstance(value, str) else None


def _is_field_error(one):
    return isinstance(one, dict) and all(isinstance(one.get(name), str) for name in ("field", "reason"))


def _retry_after_s(value):
    """Seconds, or a date, which begins with the day of the week: what else a parser takes for one is none."""
    if value is None or not re.match(r"\d+$|[A-Z][a-z]+,? .+:", value):
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


class Partner(_Client):
    """An operator platform: `partner.free_bets.issue(...)`, and a method for every other operation of a partner."""

    def __init__(self, base_url, client_id, secret, **options):
        super().__init__(base_url, {"client_id": client_id}, secret, **options)
        self.jobs.run = self._run_job
        self.jobs.wait = self._wait_for_job

    def follow_events(self, after=0, follow=True, pause_s=1.0, is_stopped=lambda: False, on_error=lambda error: None):
        """Yields every event after a cursor in order, and then new events as they happen.

        Your cursor is the `sequence` and the `event_id` of the last event that you have processed: pass that event, or a dictionary
        with the two. A number alone works too, but then a restore of the service goes unnoticed. Without `follow` it ends at
        the last event. With it, it continues while the service cannot be reached, and passes the error of each call that is
        given up to `on_error`. `feed_changed` and `events_removed` are raised and never retried.
        """
        cursor = {"sequence": after} if isinstance(after, int) else after
        while not is_stopped():
            request = {"after": cursor["sequence"], "limit": 1000}
            if cursor.get("event_id") is not None:
                request["after_event_id"] = cursor["event_id"]
            events = []
            try:
                events = self.events.list(**request)["events"]
            except FreebetsError as error:
                if not follow or not error.is_retryable:
                    raise
                on_error(error)
            for event in events:
                if is_stopped():
                    return
                cursor = event
                yield event
            if not events:
                if not follow:
                    return
                time.sleep(pause_s)

    def _run_job(self, items, parallel=3, on_sent=lambda parts, items: None, **job):
        """Creates a job, sends its items, of which there may be any number, and starts it; the job as it stands then.

        With the same `job_id` and the same items it goes on where it was broken off; one that was made here is in the `request` of
        the error. A list without items is a ValueError, and no job is created. A job that was stopped is an error, `job_started`,
        and one that failed too, `job_failed`: see `jobs.retry`.
        """
        if "job_id" in job:
            return self._run_named_job(items, parallel, on_sent, job)
        made = {"job_id": str(uuid.uuid4())}
        try:
            return self._run_named_job(items, parallel, on_sent, {**job, **made})
        except FreebetsError as error:
            raise error._with_request(made)

    def _run_named_job(self, items, parallel, on_sent, job):
        present = self._hand_over(items, parallel, on_sent, job)
        if present["status"] == "failed":
            why = (present.get("failure") or {}).get("reason", "The service does not say why.")
            error = FreebetsError("job_failed", f"The job failed. {why}", status=409)
            error.may_have_happened = True
            raise error
        if present["status"] == "stopped":
            error = FreebetsError("job_started", "The job was stopped.", status=409, code=641)
            error.may_have_happened = present.get("started_at") is not None
            raise error
        return present

    def _hand_over(self, items, parallel, on_sent, job):
        parts = parts_of(items)
        first = next(parts, None)
        if first is None:
            raise ValueError("The list has no items.")
        job_id = job["job_id"]
        self.jobs.create(**job)
        # What create answers is the job as it was created, whenever that was.
        present = self.jobs.get(job_id=job_id)
        if present["status"] != "open":
            return present
        try:
            sent, count = self._send_parts(job_id, itertools.chain([first], parts), parallel, on_sent)
            return self.jobs.start(job_id=job_id, parts=sent, items=count)
        except FreebetsError as error:
            # Somebody else has started or stopped it meanwhile.
            if error.name != "job_started":
                raise
            try:
                return self.jobs.get(job_id=job_id)
            except FreebetsError as unread:
                unread.may_have_happened = True
                raise

    def _send_parts(self, job_id, parts, parallel, on_sent):
        sent_parts = count = before = 0
        under_way = {}
        with ThreadPoolExecutor(parallel) as pool:
            numbered = enumerate(parts, 1)
            while True:
                upcoming = next(numbered, None) if len(under_way) < parallel else None
                if upcoming is not None:
                    number, part = upcoming
                    sending = pool.submit(self._send_part, before, job_id=job_id, part=number, items=part)
                    under_way[sending] = len(part)
                    before += len(part)
                    continue
                if not under_way:
                    return sent_parts, count
                for sent in wait(under_way, return_when=FIRST_COMPLETED).done:
                    sent.result()
                    sent_parts, count = sent_parts + 1, count + under_way.pop(sent)
                    on_sent(sent_parts, count)

    def _send_part(self, before, **part):
        try:
            self.jobs.add(**part)
        except FreebetsError as error:
            # Which item of the list is wrong, where the service says which of its part is.
            for detail in error.details:
                detail["field"] = re.sub(r"(?<=^items\[)\d+", lambda it: str(before + int(it[0])), detail["field"])
            raise

    def _wait_for_job(self, job_id, on_progress=lambda job: None):
        """Asks for a job until it is finished, failed or stopped, at first often and then once a second."""
        pause = 0.1
        while True:
            job = self.jobs.get(job_id=job_id)
            on_progress(job)
            if job["status"] in ("finished", "failed", "stopped"):
                return job
            time.sleep(pause)
            pause = min(pause * 2, 1)


class Provider(_Client):
    """A game provider: `provider.rounds.bet(...)`, and a method for every other operation of a provider."""

    def __init__(self, base_url, provider_id, secret, **options):
        super().__init__(base_url, {"provider_id": provider_id}, secret, **options)


def parts_of(items):
    """As many items to a part as it may have, by their number and by their bytes."""
    part, size = [], 0
    for item in items:
        # With the comma behind it.
        of_item = len(json.dumps(item, separators=(",", ":"))) + 1
        if len(part) == ITEMS_OF_PART or (part and size + of_item > BYTES_OF_PART):
            yield part
            part, size = [], 0
        part.append(item)
        size += of_item
    if part:
        yield part


def verify_webhook(raw_body, headers, secrets, path=None, tolerance_s=300, now=None, allow_untimed=False):
    """The event, if it is genuine; otherwise a WebhookError is raised.

    `raw_body` is the body as the bytes that came, before anything has parsed them. `secrets` is one, or several while yours is
    being changed. `path` is that of the request line with its query; where your signing is strict it is needed to check
    X-REQUEST-SIGN. `allow_untimed` takes that alone where it covers no time; then only its `event_id` tells an old event from a
    new one.
    """
    if not isinstance(raw_body, (bytes, bytearray)):
        raise TypeError(
            "verify_webhook needs the body as the bytes that came, and was given what something has made of them: read it "
            "raw, such as request.get_data() in Flask or request.body in Django."
        )
    body = bytes(raw_body)
    named = {name.lower(): value for name, value in headers.items()}
    known = [secrets] if isinstance(secrets, str) else list(secrets)
    if not all(known):
        raise ValueError("A secret is empty: everybody could sign with it.")
    keys = [secret.encode() for secret in known]
    now = time.time() if now is None else now

    def require_recent(header):
        value = named.get(header.lower(), "")
        if not re.fullmatch(r"[0-9]{1,15}", value) or abs(now - int(value)) > tolerance_s:
            raise WebhookError("wrong_time", f"{header} is missing or too far off.")
        return value

    def require_right(header, given, content, written):
        expected = [written(hmac.new(key, content, hashlib.sha256).digest()) for key in keys]
        if not any(hmac.compare_digest(one, right) for one in given for right in expected):
            raise WebhookError("wrong_signature", f"{header} is wrong: another secret, or a body that is not the one sent.")

    standard = named.get("webhook-signature")
    if standard is not None:
        sent_at = require_recent("webhook-timestamp")
        content = f"{named.get('webhook-id', '')}.{sent_at}.".encode() + body
        given = [one.encode() for one in standard.split(" ")]
        require_right("webhook-signature", given, content, lambda digest: b"v1," + base64.b64encode(digest))
    signed = [named[name] for name in ("x-request-sign", "x-request-sign-previous") if name in named]
    if standard is None and not signed:
        raise WebhookError("missing_signature", "There is neither webhook-signature nor X-REQUEST-SIGN.")
    if signed:
        sent_at = require_recent(TIME) if TIME.lower() in named else None
        if sent_at is not None and path is None and standard is None:
            raise WebhookError("path_needed", "X-REQUEST-SIGN covers the path of the request: give it as path.")
        if sent_at is None or path is not None:
            prefix = b"" if sent_at is None else f"{sent_at}\n{path}\n".encode()
            given = [one.lower().encode() for one in signed]
            require_right(SIGNATURE, given, prefix + body, lambda digest: digest.hex().encode())
    if standard is None and TIME.lower() not in named and not allow_untimed:
        raise WebhookError("wrong_time", "webhook-signature is missing, and X-REQUEST-SIGN alone covers no time.")
    event = _object_in(body)
    if event is None or not all(name in event for name in ("event_id", "sequence", "type")):
        raise WebhookError("not_an_event", "The signature is right, but the body is no event.")
    return event
