"""The walk of the Python clients, as walk.mjs is that of JavaScript. It prints what it found.

With ASYNCIO it walks with the asyncio clients, through a wrapper that blocks.
"""

import asyncio
import base64
import inspect
import json
import os
import pickle
import random
import uuid
from decimal import ROUND_DOWN, Decimal

import freebets
from freebets import AsyncList, AsyncPartner, AsyncProvider, FreebetsError, WebhookError, parts_of, sign, verify_webhook

SERVER, ERRORS, VECTORS = (os.environ[name] for name in ("SERVER", "ERRORS", "VECTORS"))
PARTNER = {"client_id": 1, "secret": "demo-partner-secret"}
loop = asyncio.new_event_loop()


class Blocking:
    """An asyncio client or one of its nouns. Its methods wait for their results."""

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def __getattr__(self, name):
        found = getattr(self._wrapped, name)
        return self._method(found) if callable(found) else Blocking(found)

    def _method(self, method):
        def call(*args, **given):
            result = method(*args, **given)
            if isinstance(result, AsyncList) or inspect.isasyncgen(result):
                return iterate(result.__aiter__())
            return loop.run_until_complete(result)

        return call


def iterate(items):
    try:
        while True:
            yield loop.run_until_complete(items.__anext__())
    except StopAsyncIteration:
        return


def Partner(*args, **options):
    return Blocking(AsyncPartner(*args, **options)) if "ASYNCIO" in os.environ else freebets.Partner(*args, **options)


def Provider(*args, **options):
    return Blocking(AsyncProvider(*args, **options)) if "ASYNCIO" in os.environ else freebets.Provider(*args, **options)


partner = Partner(SERVER, **PARTNER)
provider = Provider(SERVER, provider_id="lantern-quay", secret="demo-provider-secret-1")


pauses = []
# How long each pause may be is kept, and not waited for.
random.uniform = lambda _, longest: pauses.append(longest) or 0


def read(name):
    with open(f"{VECTORS}/{name}", encoding="utf-8") as file:
        return json.load(file)


def failure_of(call, **request):
    try:
        call(**request)
    except FreebetsError as error:
        return error
    raise AssertionError("it has succeeded")


def refused(call, **request):
    error = failure_of(call, **request)
    return [error.error, error.code, error.is_retryable]


def walk():
    found = {}
    before = list(partner.follow_events(follow=False))
    after = before[-1] if before else 0
    found["providers"] = [one["name"] for one in partner.games.list()["providers"]]
    game = "lantern-skyline-ascent"
    campaign_id = partner.campaigns.create(
        name="Прогулка 🎲",
        quantity=2,
        valid_from="2026-01-01T00:00:00Z",
        valid_until="2100-01-01T00:00:00Z",
        games=[game],
        bet_amounts=[{"currency": "EUR", "amount": "1.00"}],
    )["campaign_id"]
    issue = {"campaign_id": campaign_id, "player_id": f"walker-{campaign_id}", "currency": "EUR"}
    issued = partner.free_bets.issue(**issue)
    issue_id = issued["issue_id"]
    found["issued"] = [issued["status"], issued["remaining"]]
    found["again"] = partner.free_bets.issue(**issue, issue_id=issue_id)["issue_id"] == issue_id
    found["reused"] = refused(partner.free_bets.issue, **{**issue, "issue_id": issue_id, "player_id": "another"})
    found["otherPartner"] = refused(partner.free_bets.issue, **issue, options={"extra_body": {"client_id": 2}})
    results = partner.free_bets.issue_batch(items=[issue, {**issue, "currency": "XYZ"}])["results"]
    found["batch"] = [one["error"]["error"] if "error" in one else one["status"] for one in results]

    where = {"client_id": 1, "player_id": issue["player_id"], "game_id": game}
    found["available"] = len(provider.rounds.available(**where, currency="EUR")["free_bets"])
    bet = {"client_id": 1, "bet_id": str(uuid.uuid4())}
    provider.rounds.bet(**{**where, **bet}, issue_id=issue_id)
    found["won"] = provider.rounds.settle(**bet, result="won", coefficient="2.35")["win_amount"]
    back = {"client_id": 1, "bet_id": str(uuid.uuid4())}
    provider.rounds.bet(**{**where, **back}, issue_id=issue_id)
    found["rolledBack"] = provider.rounds.rollback(**back)
    found["bets"] = [one["status"] for one in partner.free_bets.get(issue_id=issue_id)["bets"]]
    found["cancelled"] = refused(partner.free_bets.cancel, issue_id=issue_id)
    found["listed"] = len(list(partner.free_bets.list(player_id=issue["player_id"], limit=1)))

    job_id = str(uuid.uuid4())
    players = ({"player_id": f"player-{i}", "currency": "XYZ" if i == 3 else "EUR"} for i in range(7))
    partner.jobs.run(players, job_id=job_id, name="A walk", campaign_id=campaign_id)
    job = partner.jobs.wait(job_id)
    found["job"] = [job["status"], job["items"], job["issued"], job["refused"]]
    many = ({"player_id": "player", "currency": "EUR" if i < 5000 else "eur"} for i in range(5001))
    wrong = failure_of(partner.jobs.run, items=many, name="Wrong", campaign_id=campaign_id)
    found["wrongItem"] = [one["field"] for one in wrong.details]
    found["refusals"] = [[one["item"], one["error"]["error"]] for one in partner.jobs.refusals(job_id=job_id)]

    strict = Partner(SERVER, **PARTNER, signing="strict")
    found["strict"] = strict.campaigns.get(campaign_id=campaign_id)["status"]
    found["forbidden"] = refused(Partner(SERVER, **{**PARTNER, "secret": "wrong"}).games.list)
    found["invalid"] = failure_of(partner.free_bets.issue, **{**issue, "currency": "eur"}).details
    events = list(partner.follow_events(after, follow=False))
    found["events"] = [event["type"] for event in events]
    number = after["sequence"] if before else 0
    assert list(partner.follow_events(number, follow=False)) == events, "a number alone"
    assert list(partner.follow_events({"sequence": number, "event_id": None}, follow=False)) == events, "no id"
    restored = {"sequence": events[0]["sequence"], "event_id": str(uuid.uuid4())}
    raised = []
    error = failure_of(lambda: next(partner.follow_events(restored, on_error=raised.append)))
    found["restored"] = [error.error, error.code, error.is_retryable, error.details[0]["value"] == str(events[-1]["sequence"]), len(raised)]
    return found


def body_of(vector):
    return vector["body"].encode() if "body" in vector else base64.b64decode(vector["body_base64"])


def webhook_result(vector):
    given = {name: vector[name] for name in ("path", "tolerance_s", "now", "allow_untimed") if name in vector}
    try:
        verify_webhook(body_of(vector), vector["headers"], vector["secrets"], **given)
    except WebhookError as error:
        return error.reason
    return "genuine"


def won(amount, coefficient, stake_returned):
    pays = Decimal(amount) * (Decimal(coefficient) - (0 if stake_returned else 1))
    return f"{pays.quantize(Decimal('0.01'), ROUND_DOWN):f}"


def vectors():
    signatures = read("signatures.json")["vectors"]
    for one in signatures:
        signature = sign(one["secret"], body_of(one), one.get("time"), one.get("path"))
        assert signature == one["signature"], one["name"]
    webhooks = read("webhooks.json")["vectors"]
    for one in webhooks:
        assert webhook_result(one) == one["result"], (one["name"], webhook_result(one))
    try:
        verify_webhook({}, {}, "secret")
        raise AssertionError("a parsed object was taken")
    except TypeError:
        pass
    for empty in ("", ["secret", ""], ["secret", None]):
        try:
            verify_webhook(b"{}", {"X-Request-Sign": sign("", b"{}")}, empty)
            raise AssertionError("an empty secret was taken")
        except ValueError:
            pass
    try:
        partner.jobs.run(iter([]), job_id=(job_id := str(uuid.uuid4())), name="Empty", campaign_id="any")
        raise AssertionError("a list without items was taken")
    except ValueError:
        assert failure_of(partner.jobs.get, job_id=job_id).error == "job_not_found", "a job was created without items"
    pauses.clear()
    assert failure_of(Partner("http://127.0.0.1:1", **PARTNER, max_retries=9).games.list).error == "no_answer"
    assert pauses[:-1] == [0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10, 10], pauses
    assert failure_of(Partner("http://127.0.0.1:1", **PARTNER, max_retries=1099).games.list).error == "no_answer"
    for address in ("nowhere", "ftp://localhost", "http://", "http://me:word@localhost", f"{SERVER}/v3?a=b"):
        try:
            Partner(address, **PARTNER)
            raise AssertionError(f"{address} was taken")
        except ValueError as error:
            assert address not in str(error), "a password is repeated"
    for lost in ("", None):
        error = failure_of(partner.free_bets.issue, issue_id=lost, campaign_id="any", player_id="any", currency="EUR")
        assert [one["field"] for one in error.details] == ["issue_id"], "a lost id is not created again"
    assert "providers" in Partner(SERVER, **PARTNER, max_retries=0).games.list()
    assert len(list(parts_of([{"player_id": "x" * 2_000_000}]))) == 1, "a part without items"
    errors = read("errors.json")["vectors"]
    for i, one in enumerate(errors):
        error = failure_of(Partner(f"{ERRORS}/{i}", **PARTNER, max_retries=0).games.list)
        known = {name: getattr(error, name) for name in ("status", "code", "details", "request_id", "retry_after_s")}
        result = {"error": error.error, **known, "retryable": error.is_retryable}
        assert result == one["result"], (one["name"], result)
    called = Partner(f"{ERRORS}/other", **PARTNER, max_retries=0)
    who = {"player_id": "any", "currency": "EUR"}
    other = failure_of(called.free_bets.issue, **who)
    assert other.error == "no_answer", ("no HTTP", other.error)
    assert str(other).endswith("request, which has the ids."), other
    # As a pool of processes hands it over.
    again = pickle.loads(pickle.dumps(other))
    assert (str(again), vars(again)) == (str(other), vars(other)), vars(again)
    untrue = pickle.loads(pickle.dumps(WebhookError("wrong_time", "late")))
    assert (str(untrue), untrue.reason) == ("late", "wrong_time"), untrue
    of_job = failure_of(called.jobs.run, items=[{"player_id": "x"}], name="A job")
    for made in (other.request["issue_id"], of_job.request["job_id"]):
        assert str(uuid.UUID(made)) == made, "a generated id is missing"
    assert failure_of(called.free_bets.issue, **who, issue_id=other.request["issue_id"]).request is None, "an id of the caller is repeated"
    for one in read("money.json")["winnings"]:
        pays = [won(one["amount"], one["coefficient"], returned) for returned in (False, True)]
        assert pays == [one["win_amount"], one["with_stake_returned"]], one
    failures = []
    for answers in json.loads(os.environ["ANSWERS"]):
        given_up = Partner(f"{ERRORS}/{answers}", **PARTNER, max_retries=len(answers.split(",")) - 1)
        job = {"items": [{"player_id": "x"}], "name": "A job"}
        is_job = answers.startswith("open")
        error = failure_of(given_up.jobs.run, **job) if is_job else failure_of(given_up.free_bets.issue, **who)
        failures.append([error.error, error.may_have_happened, str(error).endswith("request, which has the ids.")])
    halting = Partner(f"{ERRORS}/batch", **PARTNER, max_retries=2)
    items = [{"player_id": player} for player in ("later", "taken", "never", "later")]
    result_of = lambda one: [one["player_id"], one.get("error", {}).get("error"), one["came"]]
    batch = [result_of(one) for one in halting.free_bets.issue_batch(items=items)["results"]]
    ids = [f"{player} {uuid.uuid4()}" for player in ("later", "taken")]
    cancels = [result_of(one) for one in halting.free_bets.cancel_batch(issue_ids=ids)["results"]]
    return {"batch": batch, "cancels": cancels, "failures": failures, "signatures": len(signatures), "webhooks": len(webhooks), "errors": len(errors)}


def unsent():
    """Whether a pause may have happened that found no service, and how often it was tried."""
    found = {}
    for name, address in json.loads(os.environ["NOWHERE"]).items():
        pauses.clear()
        error = failure_of(Partner(address, **PARTNER, max_retries=2).campaigns.pause, campaign_id="any")
        found[name] = [error.error, error.may_have_happened, len(pauses)]
    return found


print(json.dumps({"walk": walk(), "vectors": vectors(), "unsent": unsent()}))
