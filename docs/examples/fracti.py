"""A client of the Fracti API for bots and scripts. Needs Python 3.8 or later and no packages.

    api = Fracti("https://api.example.org", "Bearer fracti_pat_...")
    expenses = f"/api/groups/{group}/expenses"
    key = str(uuid.uuid4())  # one for each intention of the user, not for each attempt
    expense = api.call("POST", expenses, {"amount": "12.50", "description": "Pizza"}, key)

    for expense in api.items(expenses):  # of all pages
        print(expense["description"])

    found = api.send("GET", f"{expenses}/{expense['id']}")
    # Refused with the code PRECONDITION_FAILED if the expense has changed since.
    api.call("PUT", f"{expenses}/{expense['id']}", {"notes": "Was great"}, etag=found.etag)
"""

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request

# Codes of a repeated DELETE whose first attempt was carried out.
GONE = ("EXPENSE_NOT_FOUND", "SPENDING_NOT_FOUND", "TOKEN_NOT_FOUND")


class Refused(Exception):
    """The API, or a gateway in front of it, refused a request.

    `code` is a code of the API, or None if a gateway refused. `details` has the invalid fields, and
    `request_id` is for the operator. With `may_be_done`, an earlier attempt got no answer, and may
    have been carried out.
    """

    def __init__(self, status, body, retry_after=None):
        super().__init__(body.get("message") or f"The request was refused with status {status}.")
        self.status = status
        self.code = body.get("error")
        self.details = body.get("details", [])
        self.request_id = body.get("requestId")
        self.retry_after = retry_after
        self.may_be_done = False


class NoAnswer(Exception):
    """No attempt got an answer of the API. To try again later, send the same request and key."""

    code = None

    def __init__(self, status=None, retry_after=None):
        super().__init__("The service does not answer; try again later.")
        self.status = status
        self.retry_after = retry_after
        self.may_be_done = True


class Answer:
    """A success: the `data`, the `etag` of one resource, and the `next_cursor` of a list.

    `has_more` is for lists whose cursor is always there, like changes.
    """

    def __init__(self, status, data, etag=None, next_cursor=None, has_more=False):
        self.status = status
        self.data = data
        self.etag = etag
        self.next_cursor = next_cursor
        self.has_more = has_more


def decimal(text):
    """The amount that a user typed, as the API reads it: "12,50" becomes "12.50".

    None if it is no number or could be two, like "1,234".
    """
    if re.fullmatch(r"-?[1-9][0-9]{0,2},[0-9]{3}", text):
        return None
    return text.replace(",", ".") if re.fullmatch(r"-?[0-9]+([.,][0-9]+)?", text) else None


class Fracti:
    """The API for one user, by an `Authorization` header: its value, or a function that makes it.

    A request that gets no answer within `timeout` seconds is repeated, unless it is a POST without
    a key, which could be carried out twice.
    """

    def __init__(self, api, authorization, attempts=4, timeout=60, sleep=time.sleep):
        self.api = api
        self.authorization = authorization
        self.attempts = attempts
        self.timeout = timeout
        self.sleep = sleep

    def call(self, method, path, body=None, key=None, etag=None):
        """Calls the API and returns `data` of the response, or the text of a CSV export."""
        return self.send(method, path, body, key, etag).data

    def items(self, path):
        """The items of all pages of a list."""
        for page in self.pages(path):
            yield from page

    def pages(self, path):
        """The pages of a list or of an export, each as `call` returns it."""
        page = self.send("GET", path)
        yield page.data
        while page.next_cursor:
            cursor = urllib.parse.urlencode({"cursor": page.next_cursor})
            page = self.send("GET", f"{path}{'&' if '?' in path else '?'}{cursor}")
            yield page.data

    def send(self, method, path, body=None, key=None, etag=None):
        """Calls the API and returns an `Answer`. Raises `Refused` or `NoAnswer`."""
        authorization = self.authorization
        headers = {
            "Authorization": authorization() if callable(authorization) else authorization,
            "Accept": "application/json;amounts=text",  # exact: a float would round
            "Content-Type": "application/json",
        }
        if key:
            headers["Idempotency-Key"] = key
        if etag:
            headers["If-Match"] = etag
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.api + path, data, headers, method=method)
        happens_once = method != "POST" or key is not None
        may_be_done = False
        seconds = 1
        for attempts_left in reversed(range(self.attempts)):
            try:
                return self._attempt(request)
            except (Refused, NoAnswer) as error:
                if may_be_done and method == "DELETE" and error.code in GONE:
                    return Answer(error.status, None)
                unchanged = error.status == 429 or error.code == "CONFLICT"
                repeatable = unchanged or (isinstance(error, NoAnswer) and happens_once)
                may_be_done = error.may_be_done = may_be_done or error.may_be_done
                seconds = error.retry_after or seconds
                # A daily quota resets at midnight: too long to wait here.
                if not repeatable or not attempts_left or seconds > 60:
                    raise
            self.sleep(seconds * random.uniform(1, 1.5))
            seconds *= 2

    def _attempt(self, request):
        """The answer to one attempt."""
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                status, headers, content = response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            try:
                status, headers, content = error.code, error.headers, error.read()
            except (OSError, http.client.HTTPException) as cut:
                raise NoAnswer() from cut
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer() from error
        is_csv = headers.get_content_type() == "text/csv"
        body = {"success": True, "data": content.decode()} if is_csv else parsed(content)
        if status < 300 and body.get("success"):
            page = body.get("pagination", {})
            next_cursor = page.get("nextCursor") or headers.get("next-cursor")
            has_more = page.get("hasMore", False)
            return Answer(status, body["data"], headers.get("ETag"), next_cursor, has_more)
        retry_after = headers.get("Retry-After", "")
        retry_after = int(retry_after) if retry_after.isdigit() else None
        # Neither a gateway's page nor UNAVAILABLE says whether a write was carried out.
        unknown = status < 300 or status in (502, 503, 504)
        if unknown or (status == 500 and "error" not in body):
            raise NoAnswer(status, retry_after)
        raise Refused(status, body, retry_after)


def parsed(content):
    """The object of JSON in a response, or nothing of something else, like a gateway's page."""
    try:
        body = json.loads(content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
