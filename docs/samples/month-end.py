import hashlib
import http.client
import json
import os
import re
import sys
import time
import urllib.parse

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("API_KEY", "")
if not re.fullmatch("[!-~]*", API_KEY):  # http.client would show it in its error
    sys.exit("API_KEY is not a key: it has a line end, or a character that no key has")


def call(path, key="", content_type="", body=None):
    """The bytes of the answer. Asks again, with the same key, while no answer comes or the service asks to wait, ten minutes at most: ten requests in all."""
    url = urllib.parse.urlsplit(BASE_URL)
    connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    headers = {"X-API-Key": API_KEY, **({"Idempotency-Key": key, "Content-Type": content_type} if key else {})}
    seconds = 900 if content_type == "text/csv" else 300  # a list may be on its way for 15 minutes
    for requests_left in range(9, -1, -1):
        connection, status = connect(url.netloc, timeout=seconds), None
        try:
            connection.request("POST" if key else "GET", url.path + path, body, headers)
            response = connection.getresponse()
            status = response.status
            answer = response.read()
            if status < 300:
                return answer
            error = json.loads(answer)["error"]
            problem, is_retryable = f"{error['code']}: {error['message']}", error["retryable"]
            pause = float(response.getheader("Retry-After", 1))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            problem, is_retryable, pause = f"no_answer: {f'HTTP {status}' if status else error}", True, 1
        finally:
            connection.close()
        if not is_retryable or not requests_left or pause > 600:
            sys.exit(problem)
        time.sleep(pause)


list_name = sys.argv[1] if len(sys.argv) > 1 else "list.csv"
attempt = sys.argv[2] if len(sys.argv) > 2 else "1"
with open(list_name, "rb") as file:
    own_list = file.read()
# The latest comes first, and one is open.
settlements = json.loads(call("/v1/settlements?limit=2"))["settlements"]
closed = next((each for each in settlements if each["status"] == "closed"), None) or sys.exit("No settlement is closed.")
path = "/v1/settlements/" + closed["settlement_id"]
statement = call(path + "/statement.csv")
if hashlib.sha256(statement).hexdigest() != closed["statement"]["csv_sha256"]:
    sys.exit("The statement has another SHA-256 than its settlement names.")
with open("statement.csv", "wb") as file:
    file.write(statement)
print(f"{closed['period_label']}: {closed['payable_points']} points are payable")
for name in "adjustment_count", "adjustment_points", "carried_in_points", "carried_in_amount":
    print(name, "-" if closed[name] is None else closed[name])

# The same list has the same key; a corrected one has another, and so has a further attempt, after the operator corrected the settlement.
key = f"list-{closed['settlement_id']}-{hashlib.sha256(own_list).hexdigest()[:32]}-{attempt}"
job = json.loads(call(path + "/reconciliations", key, "text/csv", own_list))["reconciliation"]
seconds = 0
while job["ended_at"] is None:
    if seconds == 600:
        sys.exit("The list is still being compared. Run this program again later: it goes on with the same list.")
    time.sleep(1)
    seconds += 1
    job = json.loads(call(job["path"]))["reconciliation"]
if job["status"] != "done":
    sys.exit(f"The list was not compared: {job['problem']}")
for verdict, count in job["counts"].items():
    print(verdict, count)
# It was accepted by a run before, or by hand.
is_accepted = closed["acknowledgement"]["status"] == "accepted"
# A line of another settlement is compared with that one, by its own list.
if any(count for verdict, count in job["counts"].items() if verdict not in ("matched", "other_settlement")):
    sys.exit(f"{'Accepted before, but the list differs' if is_accepted else 'Not accepted'}: the lines are at {job['path']}/lines")
# No list of contributions has these lines of the statement: a person reads them.
unlisted = closed["statement"]["line_count"] - closed["contribution_count"]
if not is_accepted and unlisted and sys.argv[3:] != ["accept"]:
    sentence = f"a list of contributions has no adjustments and nothing carried in (lines of the statement: {unlisted}). Read them in statement.csv."
    sys.exit(f"Not accepted: {sentence} Where they are right, run this program again with the words {list_name} {attempt} accept")

if not is_accepted:
    call(path + "/acknowledgement", f"accept-{closed['settlement_id']}", "application/json", b'{"status":"accepted"}')
print("accepted")
