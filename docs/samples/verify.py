import hashlib
import hmac
import re
import time


def is_from_service(secret, headers, body, now=None):
    """`headers` of your framework, which ignores the case of names; `body` as bytes, as it arrived."""
    timestamp = headers.get("X-Service-Timestamp") or ""
    if not re.fullmatch("[0-9]{1,15}", timestamp):
        return False
    if abs(int(time.time() if now is None else now) - int(timestamp)) > 300:
        return False
    signed = timestamp.encode() + b"." + body
    expected = b"v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    received = [headers.get("X-Service-Signature"), headers.get("X-Service-Signature-Next")]
    return any(hmac.compare_digest((text or "").encode(), expected) for text in received)
