#!/usr/bin/env python3
"""A Telegram bot that keeps a chat's shared expenses in Fracti.

    python3 bot.py              # answers in Telegram, as the bot of TELEGRAM_BOT_TOKEN
    python3 bot.py --console    # reads lines such as "Alice: /paid 30 Pizza" instead

Commands: /join, /paid AMOUNT WHAT, /debts. Needs Python 3.8 or later and no packages.

Environment: API (default http://127.0.0.1:3000), TELEGRAM_BOT_TOKEN (default: the public token of
the local server), CURRENCY of new groups (default EUR), and GROUPS_FILE (default groups.json), which
remembers the group of each chat.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

API = os.environ.get("API", "http://127.0.0.1:3000")
TOKEN = os.environ.get("TELEGRAM_BOT_TOKEN", "0:fracti-local")
CURRENCY = os.environ.get("CURRENCY", "EUR")
GROUPS_FILE = os.environ.get("GROUPS_FILE", "groups.json")


def init_data(user):
    """Init data for a user, signed with the bot's token as Telegram signs it for a Mini App.

    Signing: https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
    """
    fields = {"auth_date": str(int(time.time())), "user": json.dumps(user)}
    lines = "\n".join(f"{name}={fields[name]}" for name in sorted(fields))
    key = hmac.digest(b"WebAppData", TOKEN.encode(), hashlib.sha256)
    fields["hash"] = hmac.digest(key, lines.encode(), hashlib.sha256).hex()
    return urllib.parse.urlencode(fields)


class Refused(Exception):
    """A response of the API that is not a success."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def call(user, method, path, body=None, key=None):
    """Calls the API as the user and returns `data`. The idempotency key makes it safe to repeat."""
    headers = {"Authorization": "tma " + init_data(user), "Content-Type": "application/json"}
    headers["Accept"] = "application/json;amounts=text"  # exact: a float would round
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
            seconds = int(retry_after or 1)  # until midnight, if a daily quota is used up
            if attempts_left and (retry_after or error.code == 429) and seconds <= 60:
                time.sleep(seconds)
                continue
            refusal = json.load(error)  # a gateway in front of the API may send no code
            raise Refused(refusal.get("error"), refusal.get("message")) from None


class Bot:
    """Answers commands. Fracti has the money; the bot only knows which group a chat has."""

    def __init__(self, groups, save=lambda groups: None):
        self.groups = groups
        self.save = save

    def answer(self, message):
        """The reply to a message of Telegram, or None."""
        command, _, rest = message.get("text", "").partition(" ")
        commands = {"/join": self.join, "/paid": self.paid, "/debts": self.debts}
        handler = commands.get(command.partition("@")[0])
        if handler is None:
            return None
        chat, user = message["chat"], message["from"]
        if handler != self.join and str(chat["id"]) not in self.groups:
            return "This chat has no group yet. Send /join first."
        # Telegram may deliver a message twice; its id makes Fracti record it once.
        key = f"chat{chat['id']}-message{message['message_id']}"
        try:
            return handler(chat, user, rest.strip(), key)
        except Refused as refused:
            if refused.code == "NOT_A_MEMBER":
                return "You are not in this chat's group yet. Send /join first."
            return str(refused)

    def join(self, chat, user, _, key):
        chat_id = str(chat["id"])
        if chat_id not in self.groups:
            new = {"title": chat.get("title", "Chat"), "chatId": chat_id, "currency": CURRENCY}
            self.groups[chat_id] = call(user, "POST", "/api/groups", new, key)["id"]
            self.save(self.groups)
        member = call(user, "POST", f"/api/groups/{self.groups[chat_id]}/join", key=key)
        return f"{member['name']} is in."

    def paid(self, chat, user, rest, key):
        amount, _, description = rest.partition(" ")
        if not description:
            return "Send the amount and what it was for, such as /paid 30 Pizza."
        new = {"amount": amount, "description": description}
        path = f"/api/groups/{self.groups[str(chat['id'])]}/expenses"
        expense = call(user, "POST", path, new, key)
        shares = [f"{it['userName']} {it['amount']}" for it in expense["splits"]]
        return f"{description}, {expense['amount']} {expense['currency']}: " + ", ".join(shares)

    def debts(self, chat, user, *_):
        path = f"/api/groups/{self.groups[str(chat['id'])]}/debts"
        plan = call(user, "GET", path)["suggestedSettlements"]
        lines = [
            f"{it['fromUserName']} pays {it['toUserName']} {it['amount']} {it['currency']}"
            for it in plan
        ]
        return "\n".join(lines) or "All settled."


def console():
    """Reads `Name: text` lines as messages of one chat, and prints the replies."""
    bot, users = Bot({}), {}
    for line in sys.stdin:
        name, _, text = line.strip().partition(": ")
        user = users.setdefault(name, {"id": 1001 + len(users), "first_name": name})
        chat = {"id": -1, "title": "Console"}
        message = {"message_id": time.time_ns(), "chat": chat, "from": user, "text": text}
        print(bot.answer(message) or "?", flush=True)


def telegram(method, **parameters):
    url = f"https://api.telegram.org/bot{TOKEN}/{method}"
    data = json.dumps(parameters).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["result"]


def poll():
    """Answers what is sent to the bot in Telegram. https://core.telegram.org/bots/api#getupdates"""
    groups = {}
    if os.path.exists(GROUPS_FILE):
        with open(GROUPS_FILE) as file:
            groups = json.load(file)

    def save(groups):
        with open(GROUPS_FILE, "w") as file:
            json.dump(groups, file)

    bot, offset = Bot(groups, save), 0
    while True:
        for update in telegram("getUpdates", offset=offset, timeout=50):
            message = update.get("message", {})
            reply = bot.answer(message) if "from" in message else None
            # If the bot ends here, Telegram delivers the message again, and Fracti replays it.
            offset = update["update_id"] + 1
            if reply:
                try:
                    telegram("sendMessage", chat_id=message["chat"]["id"], text=reply)
                except urllib.error.HTTPError as error:
                    print(f"cannot reply: {error}", file=sys.stderr)


if __name__ == "__main__":
    console() if "--console" in sys.argv[1:] else poll()
