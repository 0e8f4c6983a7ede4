"""A receiver of webhooks in Python, without packages: verifies the bytes, stores each event once, answers, handles in order.

It catches up by itself: at the start, after a minute without an event, and when an event arrives before another. A new inbox begins before
the first event, or after START_AFTER. Sandbox and production each need an INBOX of their own, because both count their sequences from 1: an
event of another environment than that of the first stored one is answered 400.
"""

import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import queue
import re
import sqlite3
import sys
import threading
import time
import traceback
import urllib.request

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("API_KEY", "")
SECRETS = os.environ.get("SECRETS", "").split()
CATCH_UP_SECONDS = int(os.environ.get("CATCH_UP_SECONDS", "60"))
if CATCH_UP_SECONDS < 1:
    CATCH_UP_SECONDS = 60
BODY_BYTES_MAX = 1024 * 1024
TURN = threading.Lock()  # to write to the inbox: SQLite lets a writer wait for as long as another one writes again and again


class OtherEnvironment(ValueError):
    pass


class NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        """urllib would send the key to the other address. Without a request the redirection is an HTTPError."""


FEED = urllib.request.build_opener(NoRedirection)


def open_inbox(path):
    """A connection, for one thread."""
    inbox = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    inbox.execute("create table if not exists event (event_id text primary key, sequence integer not null unique, body text not null, handled_at real)")
    inbox.execute("create table if not exists restored (partner_event_id text primary key, transaction_id text not null, points text not null)")
    inbox.execute("create index if not exists handled_event on event (sequence) where handled_at is not null")
    enter_restorations(inbox)
    return inbox


@contextlib.contextmanager
def transaction(inbox):
    with TURN:
        inbox.execute("begin immediate")
        try:
            yield
            inbox.execute("commit")
        except BaseException:
            inbox.execute("rollback")
            raise


def enter_restorations(inbox):
    """Once after it ran: an earlier form of this program made its restorations in the table restoration, by transaction_id. The stored events name the rest."""
    if not inbox.execute("select 1 from sqlite_master where type = 'table' and name = 'restoration'").fetchone():
        return
    with transaction(inbox):
        for (body,) in inbox.execute("select body from event where handled_at is not null and body like '%impact.transaction.adjusted%'"):
            failed = failure_of(json.loads(body))
            if failed and inbox.execute("select 1 from restoration where transaction_id = ?", (failed["transaction_id"],)).fetchone():
                restore(inbox, failed)
        # The table of a first time is there where the earlier form ran once more since.
        inbox.execute("create table if not exists restoration_entered (transaction_id text primary key, points text not null)")
        inbox.execute("insert or ignore into restoration_entered select * from restoration")
        inbox.execute("drop table restoration")


def is_from_service(headers, body):
    """Whether one of the secrets signed these bytes in the last five minutes."""
    timestamp = headers.get("X-Service-Timestamp") or ""
    if not re.fullmatch("[0-9]{1,15}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    received = [headers.get("X-Service-Signature") or "", headers.get("X-Service-Signature-Next") or ""]
    signatures = ["v1=" + hmac.new(key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest() for key in SECRETS]
    return any(hmac.compare_digest(text.encode(), made.encode()) for text in received for made in signatures)


def handle(inbox, event):
    """Within the transaction that marks the event as handled. Only a failure gives points back, once for its partner_event_id.

    The points are those that are recorded. Beside a wallet: run the same update as the job of the guide, which sets the status of
    contribution_intent, and give the points back only if it changed a row, because the job may have learned of the failure first. Give
    nothing back, and tell a person, where the wallet deducted others for this partner_event_id, or none, or where the row is confirmed.
    """
    failed = failure_of(event)
    if failed:
        restore(inbox, failed)


def failure_of(event):
    """The contribution whose points an event lets give back, or None."""
    data = event["data"]
    if event["event_type"] == "impact.transaction.adjusted" and data["change"] == "failed" and data["point_restoration_authorized"] is True:
        return data["contribution"]
    return None


def restore(inbox, failed):
    restored = (failed["partner_event_id"], failed["transaction_id"], str(failed["points"]))
    inbox.execute("insert or ignore into restored values (?, ?, ?)", restored)


def store(inbox, event_id, sequence, body):
    """An event that is stored under another sequence, as after a restore of the service, is passed over under this one: it has no body."""
    inbox.execute("insert or ignore into event values (?, ?, ?, null)", (event_id, sequence, body))
    inbox.execute("insert or ignore into event values (?, ?, '', null)", (f"{event_id} at {sequence}", sequence))


def check_environment(inbox, event):
    """An inbox has the events of one environment, that of the first event that it stored."""
    first = inbox.execute("select body from event where body <> '' order by sequence limit 1").fetchone()
    if first and json.loads(first[0]).get("environment") != event.get("environment"):
        raise OtherEnvironment(f"event {event['sequence']} is of {event.get('environment')}: INBOX is of the other environment, and each needs its own")


def fetch_page(inbox, after):
    """Stores the next events after a sequence: what came while nobody listened, or is still on its way."""
    address = f"{BASE_URL}/v1/events?after_sequence={after}&limit=500"
    with FEED.open(urllib.request.Request(address, headers={"X-API-Key": API_KEY}), timeout=15) as answer:
        page = json.load(answer)
    with transaction(inbox):
        for event in page["events"]:
            check_environment(inbox, event)
            if event["sequence"] > after + 1:
                skip_removed(inbox, after, event["sequence"])
            store(inbox, event["event_id"], event["sequence"], json.dumps(event))
            after = event["sequence"]


def skip_removed(inbox, after, first):
    """Passes over the sequences that the feed does not have: the service removes events after 90 days, and leaves numbers out after it was
    restored from a backup."""
    (stored,) = inbox.execute("select coalesce(min(sequence), ?) from event where sequence > ?", (first, after)).fetchone()
    last = min(first, stored) - 1
    if last > after and position(inbox) == after:
        reason = "the service removed them after its time, or was restored and left the numbers out."
        print(f"There are no events from {after + 1} to {last}: {reason}", file=sys.stderr)
        inbox.execute("insert into event values (?, ?, '', ?)", (f"removed up to {last}", last, time.time()))


def position(inbox):
    """Every event up to this sequence is handled."""
    (last,) = inbox.execute("select max(sequence) from event where handled_at is not null").fetchone()
    return int(os.environ.get("START_AFTER", "0")) if last is None else last


def find(inbox, sequence):
    return inbox.execute("select event_id, body from event where sequence = ?", (sequence,)).fetchone()


def handle_next(inbox, up_to=None):
    """Handles the events that follow the position, one after the other. One before `up_to` that is missing comes from the feed."""
    while True:
        after = position(inbox)
        if not find(inbox, after + 1) and (up_to is None or after + 1 < up_to):
            try:
                fetch_page(inbox, after)
            except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
                print("GET /v1/events:", error, file=sys.stderr)
        if not handle_stored(inbox):
            return


def handle_stored(inbox):
    """Whether the event after the position was there. Another process may have handled the one that was there before the transaction."""
    with transaction(inbox):
        found = find(inbox, position(inbox) + 1)
        if not found:
            return False
        event_id, body = found
        if body:
            handle(inbox, json.loads(body))
        inbox.execute("update event set handled_at = ? where event_id = ?", (time.time(), event_id))
        return True


def handle_for_ever(inbox, arrived):
    """In a thread, so that an answer waits neither for the feed nor for all that is to be handled. What failed is tried again: the next event
    may come after days."""
    up_to = None
    while True:
        try:
            handle_next(inbox, up_to)
        except Exception:
            traceback.print_exc()
        try:
            up_to = arrived.get(timeout=CATCH_UP_SECONDS)
        except queue.Empty:
            up_to = None


class Receiver(http.server.BaseHTTPRequestHandler):
    timeout = 3  # seconds for which a connection may send nothing: the others wait, because one is served after another

    def do_POST(self):
        length = self.headers.get("Content-Length") or "0"
        if not re.fullmatch("[0-9]{1,7}", length) or int(length) > BODY_BYTES_MAX:
            return self.answer(413, {})
        body = self.rfile.read(int(length))
        is_verified = is_from_service(self.headers, body)
        try:
            event = json.loads(body)
            event_id, kind, sequence, data = (event[name] for name in ("event_id", "event_type", "sequence", "data"))
            challenge = str(data["challenge"]) if kind == "webhook.endpoint.verification" else None
        except (ValueError, KeyError, TypeError):
            return self.answer(400 if is_verified else 401, {})
        if challenge is not None:  # comes before the secret does
            return self.answer(200, {"challenge": challenge})
        if not is_verified:
            return self.answer(401, {})
        if sequence is not None:  # else a test or a sample
            try:
                with transaction(self.server.inbox):
                    check_environment(self.server.inbox, event)
                    store(self.server.inbox, event_id, sequence, body.decode())
            except OtherEnvironment as error:
                print(error, file=sys.stderr)
                return self.answer(400, {})
            self.server.arrived.put(sequence)
        self.answer(200, {})

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not API_KEY:
        sys.exit("Set API_KEY: an event that is missing, such as one from before the endpoint was added, is fetched with it.")
    if not re.fullmatch("[!-~]+", API_KEY):  # http.client would show it in its error
        sys.exit("API_KEY is not a key: it has a line end, or a character that no key has")
    path = os.environ.get("INBOX", "inbox.db")
    server = http.server.HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    server.inbox, server.arrived = open_inbox(path), queue.SimpleQueue()
    threading.Thread(target=handle_for_ever, args=(open_inbox(path), server.arrived), daemon=True).start()
    server.serve_forever()
