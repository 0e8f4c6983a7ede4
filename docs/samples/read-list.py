import json
import time
import urllib.error
import urllib.parse
import urllib.request


def read_list(url, name, api_key):
    """Every record of a list, page by page; integers have all their digits. `name` is the member of the answer that has the records.

    It fails when a page is refused, when no answer comes in 30 s, or when the service asks to wait for the tenth time in a row.
    """
    query, waits, has_more = {}, 0, True
    while has_more:
        separator = "&" if "?" in url else "?"
        page = url + (separator + urllib.parse.urlencode(query) if query else "")
        request = urllib.request.Request(page, headers={"X-API-Key": api_key})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                body = json.load(response)
        except urllib.error.HTTPError as refused:
            error = json.load(refused)["error"]
            waits += 1
            if not error["retryable"] or waits == 10:
                raise RuntimeError(f"{error['code']}: {error['message']}") from None
            time.sleep(float(refused.headers.get("Retry-After", 1)))
            continue
        yield from body[name]
        query, waits, has_more = {"after": body["next_after"]}, 0, body["has_more"]
