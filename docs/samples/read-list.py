import http.client
import json
import re
import time
import urllib.parse


def read_list(url, name, api_key):
    """Every record of a list, page by page; integers have all their digits. `name` is the member of the answer that has the records."""
    if not re.fullmatch("[!-~]*", api_key):  # http.client would show it in its error
        raise ValueError("api_key is not a key: it has a line end, or a character that no key has")
    query, has_more = {}, True
    while has_more:
        separator = "&" if "?" in url else "?"
        page = read_page(url + (separator + urllib.parse.urlencode(query) if query else ""), api_key)
        yield from page[name]
        query, has_more = {"after": page["next_after"]}, page["has_more"]


def read_page(address, api_key):
    """Asks again while no answer comes in 30 s or the service asks to wait: ten requests at most."""
    url = urllib.parse.urlsplit(address)
    connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    for requests_left in range(9, -1, -1):
        connection, status = connect(url.netloc, timeout=30), None
        try:
            connection.request("GET", urllib.parse.urlunsplit(("", "", url.path, url.query, "")), headers={"X-API-Key": api_key})
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
        if not is_retryable or not requests_left:
            raise RuntimeError(problem)
        time.sleep(pause)
