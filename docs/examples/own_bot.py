#!/usr/bin/env python3
"""A bot of one user, who has given it an API token. It needs no other secret.

    TOKEN=fracti_pat_... GROUP=... python3 own_bot.py

Reads lines such as "30 Pizza", which it records as expenses of the group that the user paid, and
"debts", and prints a reply to each. Needs Python 3.8 or later and no packages.

Environment: TOKEN, with the scopes read and write, which may be limited to the group; GROUP, the
group's id; and API (default http://127.0.0.1:3000).
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

API = os.environ.get("API", "http://127.0.0.1:3000")
PATH = f"/api/groups/{os.environ['GROUP']}"


def call(method, path, body=None, key=None):
    """Calls the API and returns `data`. The idempotency key makes it safe to repeat."""
    headers = {
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Accept": "application/json;amounts=text",  # exact: a float would round
        "Content-Type": "application/json",
    }
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    for attempts_left in (2, 1, 0):
        request = urllib.request.Request(API + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            retry_after = error.headers.get("Retry-After")
            # The daily quota resets at midnight: too long to wait.
            if attempts_left and retry_after and int(retry_after) < 60:
                time.sleep(int(retry_after))
                continue
            refusal = json.load(error)
            # UNAUTHORIZED: the user has deleted the token. INSUFFICIENT_SCOPE: it may not do this.
            sys.exit(f"{refusal.get('error')}: {refusal.get('message')}")


def spend(line):
    amount, _, description = line.partition(" ")
    new = {"amount": amount, "description": description}
    expense = call("POST", f"{PATH}/expenses", new, key=str(uuid.uuid4()))
    shares = [f"{it['userName']} {it['amount']}" for it in expense["splits"]]
    return f"{description}, {expense['amount']} {expense['currency']}: " + ", ".join(shares)


def debts():
    plan = call("GET", f"{PATH}/debts")["suggestedSettlements"]
    lines = [
        f"{it['fromUserName']} pays {it['toUserName']} {it['amount']} {it['currency']}"
        for it in plan
    ]
    return "\n".join(lines) or "All settled."


for line in sys.stdin:
    line = line.strip()
    print(debts() if line == "debts" else spend(line), flush=True)
