#!/usr/bin/env python3
"""A bot of one user, who has given it an API token. It needs no other secret.

    TOKEN=fracti_pat_... GROUP=... python3 own_bot.py

Reads lines and prints a reply to each: "30 Pizza" records an expense of the group that the user
paid, "month" lists the expenses of this month, and "debts" says who pays whom. Needs Python 3.8 or
later and fracti.py beside it.

Environment: TOKEN, with the scopes read and write, which may be limited to the group; GROUP, the
group's id; and API (default http://127.0.0.1:3000).
"""

import datetime
import os
import sys
import uuid

from fracti import Fracti, NoAnswer, Refused, decimal


class Bot:
    """Answers lines in a group."""

    def __init__(self, api, group):
        self.api = api
        self.path = f"/api/groups/{group}"
        # Keys of the lines that got no answer.
        self.keys = {}

    def answer(self, line):
        """The reply to a line."""
        commands = {"month": self.month, "debts": self.debts}
        try:
            return commands[line]() if line in commands else self.spend(line)
        except (Refused, NoAnswer) as error:
            again = " Send the line again; it is recorded only once." if line in self.keys else ""
            return f"{error}{again}"

    def spend(self, line):
        typed, _, description = line.partition(" ")
        amount = decimal(typed)
        if amount is None or not description.strip():
            return "Send an amount such as 12.50 or 12,50 and what it was for: 12.50 Pizza"
        new = {"amount": amount, "description": description.strip()}
        # The same line has the same key until it is answered, so it is recorded only once.
        key = self.keys.setdefault(line, str(uuid.uuid4()))
        try:
            expense = self.api.call("POST", f"{self.path}/expenses", new, key)
        except (Refused, NoAnswer) as error:
            if not error.may_be_done:
                del self.keys[line]
            raise
        del self.keys[line]
        shares = ", ".join(f"{it['userName']} {it['amount']}" for it in expense["splits"])
        return f"{new['description']}, {expense['amount']} {expense['currency']}: {shares}"

    def month(self):
        first = datetime.date.today().replace(day=1)
        expenses = self.api.items(f"{self.path}/expenses?from={first}&limit=100")
        lines = [
            f"{it['date']} {it['description']} {it['amount']} {it['currency']}" for it in expenses
        ]
        return "\n".join(lines) or "Nothing yet."

    def debts(self):
        plan = self.api.call("GET", f"{self.path}/debts")["suggestedSettlements"]
        lines = [
            f"{it['fromUserName']} pays {it['toUserName']} {it['amount']} {it['currency']}"
            for it in plan
        ]
        return "\n".join(lines) or "All settled."


if __name__ == "__main__":
    url = os.environ.get("API", "http://127.0.0.1:3000")
    bot = Bot(Fracti(url, f"Bearer {os.environ['TOKEN']}"), os.environ["GROUP"])
    for line in sys.stdin:
        if line.strip():
            print(bot.answer(line.strip()), flush=True)
