import http.client
import json
import os
import random
import re
import time
import urllib.parse

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("API_KEY", "")
NO_ANSWER = (None, {"code": "no_answer", "retryable": True, "status": 0}, 0)
# Only these refuse the contribution. A wrong key, permission or address (401, 403, 404 …) says nothing about it.
REFUSALS = (400, 409, 422)


def confirm_contribution(intent, was_sent=False, within_seconds=60):
    """Sends an intent: a row that was stored in the transaction that deducted the points, before the first request.

    Returns a status, and the transaction_id or the code of an error. After "failed", and after nothing else, restore the
    points, once for this partner_event_id. With every other status they stay deducted: "pending" and "unknown" are settled
    again later, "refused" seldom, until a person has settled what the code names; each with the same intent. `was_sent`: an
    earlier run may have sent it, so it is looked up first. No attempt begins after `within_seconds`: a look-up and the request
    that follows it are one, as are a refused request and its look-up. Where the stored row has the other final status, as after
    a restore of the service, change nothing, and tell a person.
    """
    if type(intent["points"]) is not int:
        raise TypeError("points must be an int: a float loses digits above 2**53")
    if not re.fullmatch("[!-~]*", API_KEY):  # http.client would show it in its error
        raise ValueError("API_KEY is not a key: it has a line end, or a character that no key has")
    ends_at = time.monotonic() + within_seconds
    step, pauses, refusal = (look_up if was_sent else send), 0, None
    while True:
        contribution, error, retry_after = step(intent)
        if contribution:
            return recorded(contribution, intent)
        code = error["code"]
        if step is look_up and code == "contribution_not_found":
            if refusal:
                return refusal
            step = send
            continue
        if error["retryable"]:
            pause = max(retry_after, min(60, 2**pauses)) * random.uniform(1, 1.25)
            pauses += 1
            if time.monotonic() + pause > ends_at:
                return "unknown", code
            time.sleep(pause)
        else:
            refusal = ("refused" if error["status"] in REFUSALS else "unknown"), code
            if step is look_up:
                return refusal
        step = look_up


def recorded(contribution, intent):
    """A record with other values is not this contribution: a person has to look."""
    if any(contribution.get(name) != intent[name] for name in ("partner_event_id", "partner_order_ref", "points")):
        return "refused", "recorded_with_other_values"
    if contribution.get("status") not in ("confirmed", "pending", "failed"):
        return "unknown", "unknown_status"
    return contribution["status"], contribution["transaction_id"]


def send(intent):
    fields = {name: intent[name] for name in ("partner_event_id", "partner_order_ref", "points")}
    if intent.get("calculation_id"):  # of the estimate to link; a bad one never prevents the contribution
        fields["calculation_id"] = intent["calculation_id"]
    headers = {"Idempotency-Key": intent["idempotency_key"], "Content-Type": "application/json"}
    return call("POST", "/v1/impact-transactions", headers, json.dumps(fields))


def look_up(intent):
    return call("GET", "/v1/impact-transactions?partner_event_id=" + urllib.parse.quote(intent["partner_event_id"]))


def call(method, path, headers=None, body=None):
    """Contribution, error, Retry-After. What is no answer of the service is "no_answer": the request may have been recorded."""
    url = urllib.parse.urlsplit(BASE_URL)
    connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = connect(url.netloc, timeout=10)
    try:
        connection.request(method, url.path + path, body, {"X-API-Key": API_KEY, **(headers or {})})
        response = connection.getresponse()
        status, retry_after = response.status, response.getheader("Retry-After", "")
        text, ends_at = b"", time.monotonic() + 10
        for part in iter(lambda: response.read1(65536), b""):
            text += part
            if time.monotonic() > ends_at:
                return NO_ANSWER
    except (OSError, http.client.HTTPException):
        return NO_ANSWER
    finally:
        connection.close()
    try:
        answer = json.loads(text)
        if status < 300 and answer["contribution"]:
            return answer["contribution"], None, 0
        error = answer["error"]
        if status >= 400 and isinstance(error["code"], str) and isinstance(error["retryable"], bool):
            return None, {**error, "status": status}, int(retry_after[:9]) if retry_after.isdecimal() else 0
    except (ValueError, KeyError, TypeError):
        pass
    return NO_ANSWER
