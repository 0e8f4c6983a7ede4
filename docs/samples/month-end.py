import hashlib
import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("API_KEY", "")


def call(path, key="", content_type="", body=None):
    """The bytes of the answer. Asks again while the service asks to wait: ten requests at most."""
    headers = {"X-API-Key": API_KEY, **({"Idempotency-Key": key, "Content-Type": content_type} if key else {})}
    request, waits = urllib.request.Request(BASE_URL + path, body, headers), 0
    while True:
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                return response.read()
        except urllib.error.HTTPError as refused:
            error = json.load(refused)["error"]
            waits += 1
            if not error["retryable"] or waits == 10:
                sys.exit(f"{error['code']}: {error['message']}")
            time.sleep(float(refused.headers.get("Retry-After", 1)))


with open(sys.argv[1] if len(sys.argv) > 1 else "list.csv", "rb") as file:
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

# The same list has the same key, and a corrected one another.
key = f"list-{closed['settlement_id']}-{hashlib.sha256(own_list).hexdigest()[:32]}"
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
if any(count for verdict, count in job["counts"].items() if verdict != "matched"):
    sys.exit(f"Not accepted: the lines are at {job['path']}/lines")

call(path + "/acknowledgement", f"accept-{closed['settlement_id']}", "application/json", b'{"status":"accepted"}')
print("accepted")
