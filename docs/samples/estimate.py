import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("API_KEY", "")
transaction_id, order_ref, distance_km, vehicle = sys.argv[1:5]
attempt = sys.argv[5] if len(sys.argv) > 5 else "1"


def post(path, key, fields):
    """Sends the same request with the same key again while the service asks to wait: ten requests at most."""
    headers = {"X-API-Key": API_KEY, "Idempotency-Key": f"{key}-{attempt}", "Content-Type": "application/json"}
    request = urllib.request.Request(BASE_URL + path, json.dumps(fields).encode(), headers)
    waits = 0
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            error = json.load(refused)["error"]
            waits += 1
            if not error["retryable"] or waits == 10:
                sys.exit(f"{error['code']}: {error['message']}")
            time.sleep(float(refused.headers.get("Retry-After", 1)))


# The distance stays text and the figures come as text: a decimal keeps all its digits.
delivery = {"partner_order_ref": order_ref, "distance_km": distance_km, "distance_unit": "km", "vehicle_category": vehicle}
estimate = post("/v1/emissions/estimates", f"estimate-{transaction_id}", delivery)["estimate"]
sys.stdout.reconfigure(encoding="utf-8")
print(estimate["display"]["formatted_en"])
print(estimate["display"]["formatted_ar"])

path = f"/v1/impact-transactions/{urllib.parse.quote(transaction_id, safe='')}/emissions-associations"
association = post(path, f"link-{transaction_id}", {"calculation_id": estimate["calculation_id"]})["association"]
print(association["status"], estimate["calculation_id"])
