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
transaction_id, order_ref, distance_km, vehicle = sys.argv[1:5]
attempt = sys.argv[5] if len(sys.argv) > 5 else "1"


def post(path, key, fields):
    """Sends the same request with the same key again while no answer comes or the service asks to wait, ten minutes at most: ten requests in all."""
    url = urllib.parse.urlsplit(BASE_URL)
    connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    headers = {"X-API-Key": API_KEY, "Idempotency-Key": f"{key}-{attempt}", "Content-Type": "application/json"}
    for requests_left in range(9, -1, -1):
        connection, status = connect(url.netloc, timeout=30), None
        try:
            connection.request("POST", url.path + path, json.dumps(fields), headers)
            response = connection.getresponse()
            status = response.status
            answer = json.load(response)
            if status < 300:
                return answer
            problem, is_retryable = f"{answer['error']['code']}: {answer['error']['message']}", answer["error"]["retryable"]
            pause = float(response.getheader("Retry-After", 1))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            problem, is_retryable, pause = f"no_answer: {f'HTTP {status}' if status else error}", True, 1
        finally:
            connection.close()
        if not is_retryable or not requests_left or pause > 600:
            sys.exit(problem)
        time.sleep(pause)


# The distance stays text and the figures come as text: a decimal keeps all its digits.
delivery = {"partner_order_ref": order_ref, "distance_km": distance_km, "distance_unit": "km", "vehicle_category": vehicle}
estimate = post("/v1/emissions/estimates", f"estimate-{transaction_id}", delivery)["estimate"]
sys.stdout.reconfigure(encoding="utf-8")
print(estimate["display"]["formatted_en"])
print(estimate["display"]["formatted_ar"])

path = f"/v1/impact-transactions/{urllib.parse.quote(transaction_id, safe='')}/emissions-associations"
association = post(path, f"link-{transaction_id}", {"calculation_id": estimate["calculation_id"]})["association"]
print(association["status"], estimate["calculation_id"])
