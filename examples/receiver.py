"""A receiver of webhooks in Python, without packages: verifies the bytes, stores each event once, answers, handles in order."""

import hashlib
import hmac
import http.server
import json
import os
import re
import sqlite3
import time

SECRETS = os.environ.get("SECRETS", "").split()
BODY_BYTES_MAX = 1024 * 1024


def open_inbox(path):
    inbox = sqlite3.connect(path, isolation_level=None)
    inbox.execute("create table if not exists event (event_id text primary key, sequence integer not null, body text not null, handled_at real)")
    inbox.execute("create table if not exists restoration (transaction_id text primary key, points text not null)")
    return inbox


def is_from_service(headers, body):
    """Whether one of the secrets signed these bytes in the last five minutes."""
    timestamp = headers.get("X-Service-Timestamp") or ""
    if not re.fullmatch("[0-9]{1,15}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    received = [headers.get("X-Service-Signature") or "", headers.get("X-Service-Signature-Next") or ""]
    signatures = ["v1=" + hmac.new(key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest() for key in SECRETS]
    return any(hmac.compare_digest(text.encode(), made.encode()) for text in received for made in signatures)


def handle(inbox, event):
    """Within the transaction that marks the event as handled. Only a failure gives points back, once for its transaction_id."""
    data = event["data"]
    if event["event_type"] == "impact.transaction.adjusted" and data["change"] == "failed" and data["point_restoration_authorized"] is True:
        contribution = data["contribution"]
        inbox.execute("insert or ignore into restoration values (?, ?)", (contribution["transaction_id"], str(contribution["points"])))


def handle_all(inbox):
    for event_id, body in inbox.execute("select event_id, body from event where handled_at is null order by sequence").fetchall():
        inbox.execute("begin immediate")
        try:
            if inbox.execute("update event set handled_at = ? where event_id = ? and handled_at is null", (time.time(), event_id)).rowcount:
                handle(inbox, json.loads(body))
            inbox.execute("commit")
        except BaseException:
            inbox.execute("rollback")
            raise


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_BYTES_MAX:
            return self.answer(413, {})
        body = self.rfile.read(length)
        is_verified = is_from_service(self.headers, body)
        try:
            event = json.loads(body)
            event_id, kind, sequence, data = (event[name] for name in ("event_id", "event_type", "sequence", "data"))
        except (ValueError, KeyError, TypeError):
            return self.answer(400 if is_verified else 401, {})
        if kind == "webhook.endpoint.verification":  # comes before the secret does
            return self.answer(200, {"challenge": str(data["challenge"])})
        if not is_verified:
            return self.answer(401, {})
        if sequence is not None:  # else a test or a sample
            self.server.inbox.execute("insert or ignore into event values (?, ?, ?, null)", (event_id, sequence, body.decode()))
        self.answer(200, {})
        handle_all(self.server.inbox)

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
    server = http.server.HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
    server.inbox = open_inbox(os.environ.get("INBOX", "inbox.db"))
    handle_all(server.inbox)
    server.serve_forever()
