#!/usr/bin/env python3
"""A Telegram bot that keeps a chat's shared expenses in Fracti.

    python3 bot.py              # answers in Telegram, as the bot of TELEGRAM_BOT_TOKEN
    python3 bot.py --console    # reads lines such as "Alice: /paid 30 Pizza" instead

Commands: /join, /paid AMOUNT WHAT, /month, /debts. Needs Python 3.8 or later and fracti.py beside
it.

Environment: API (default http://127.0.0.1:3000), TELEGRAM_BOT_TOKEN (default: the public token of
the local server), CURRENCY of new groups (default EUR), and GROUPS_FILE (default groups.json),
which remembers the group of each chat.
"""

import datetime
import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from fracti import Fracti, NoAnswer, Refused, decimal

API = os.environ.get("API", "http://127.0.0.1:3000")
TELEGRAM = "https://api.telegram.org"
TOKEN = os.environ.get("TELEGRAM_BOT_TOKEN", "0:fracti-local")
CURRENCY = os.environ.get("CURRENCY", "EUR")
GROUPS_FILE = os.environ.get("GROUPS_FILE", "groups.json")

# Seconds after which a message is no longer tried.
PATIENCE = 600


def init_data(user):
    """Init data for a user, signed with the bot's token as Telegram signs it for a Mini App.

    Signing: https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
    """
    fields = {"auth_date": str(int(time.time())), "user": json.dumps(user)}
    lines = "\n".join(f"{name}={fields[name]}" for name in sorted(fields))
    key = hmac.digest(b"WebAppData", TOKEN.encode(), hashlib.sha256)
    fields["hash"] = hmac.digest(key, lines.encode(), hashlib.sha256).hex()
    return urllib.parse.urlencode(fields)


def api_for(user):
    """The API for a user. Each request is signed anew."""
    return Fracti(API, lambda: f"tma {init_data(user)}")


class Bot:
    """Answers commands. Fracti has the money; the bot only knows which group a chat has."""

    def __init__(self, groups, save=lambda groups: None, api_for=api_for):
        self.groups = groups
        self.save = save
        self.api_for = api_for

    def answer(self, message):
        """The reply to a message of Telegram, or None. Raises `NoAnswer` if the API is away."""
        chat = str(message["chat"]["id"])
        if "migrate_to_chat_id" in message and chat in self.groups:
            self.groups[str(message["migrate_to_chat_id"])] = self.groups.pop(chat)
            self.save(self.groups)
        user = message.get("from")
        command, _, rest = message.get("text", "").partition(" ")
        commands = {
            "/join": self.join,
            "/paid": self.paid,
            "/month": self.month,
            "/debts": self.debts,
        }
        handler = commands.get(command.partition("@")[0])
        # Channels and administrators who hide their name are no single person.
        if handler is None or user is None or user.get("is_bot"):
            return None
        if handler != self.join and chat not in self.groups:
            return "This chat has no group yet. Send /join first."
        # A message that is delivered or tried again has the same key: Fracti records it once.
        key = f"chat{chat}-message{message['message_id']}"
        try:
            return handler(self.api_for(user), message["chat"], rest.strip(), key)
        except Refused as refused:
            if refused.code in ("NOT_A_MEMBER", "LEFT"):
                return "You are not in this chat's group. Send /join first."
            return str(refused)

    def path(self, chat):
        return f"/api/groups/{self.groups[str(chat['id'])]}"

    def join(self, api, chat, _, key):
        chat_id = str(chat["id"])
        if chat_id not in self.groups:
            new = {"title": chat.get("title", "Chat"), "chatId": chat_id, "currency": CURRENCY}
            self.groups[chat_id] = api.call("POST", "/api/groups", new, key)["id"]
            self.save(self.groups)
        member = api.call("POST", f"{self.path(chat)}/join", key=key)
        return f"{member['name']} is in."

    def paid(self, api, chat, rest, key):
        typed, _, description = rest.partition(" ")
        amount = decimal(typed)
        if amount is None or not description:
            return "Send an amount such as 12.50 or 12,50 and what it was for: /paid 12.50 Pizza"
        new = {"amount": amount, "description": description}
        expense = api.call("POST", f"{self.path(chat)}/expenses", new, key)
        shares = ", ".join(f"{it['userName']} {it['amount']}" for it in expense["splits"])
        return f"{description}, {expense['amount']} {expense['currency']}: {shares}"

    def month(self, api, chat, *_):
        first = datetime.date.today().replace(day=1)
        expenses = api.items(f"{self.path(chat)}/expenses?from={first}&limit=100")
        lines = [
            f"{it['date']} {it['description']} {it['amount']} {it['currency']}" for it in expenses
        ]
        return "\n".join(lines) or "Nothing yet."

    def debts(self, api, chat, *_):
        plan = api.call("GET", f"{self.path(chat)}/debts")["suggestedSettlements"]
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
        try:
            print(bot.answer(message) or "?", flush=True)
        except NoAnswer as error:
            print(error, flush=True)


def telegram(method, **parameters):
    """Calls Telegram's API for bots. https://core.telegram.org/bots/api#making-requests"""
    data = json.dumps(parameters).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{TELEGRAM}/bot{TOKEN}/{method}", data, headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["result"]


def saved_groups():
    """The group of each chat, and a function that saves them."""
    groups = {}
    if os.path.exists(GROUPS_FILE):
        with open(GROUPS_FILE) as file:
            groups = json.load(file)

    def save(groups):
        # Half a file would lose all groups.
        with open(GROUPS_FILE + ".new", "w") as file:
            json.dump(groups, file)
        os.replace(GROUPS_FILE + ".new", GROUPS_FILE)

    return groups, save


class Poller:
    """Answers what is sent to the bot in Telegram."""

    def __init__(self, bot):
        self.bot = bot
        self.offset = 0

    def step(self):
        """Answers the next messages. Telegram delivers those again that it fails to answer.

        https://core.telegram.org/bots/api#getupdates
        """
        for update in telegram("getUpdates", offset=self.offset, timeout=50):
            if "message" in update:
                self.reply(update["message"])
            self.offset = update["update_id"] + 1

    def reply(self, message):
        try:
            text = self.bot.answer(message)
        except NoAnswer:
            if time.time() - message["date"] < PATIENCE:
                raise
            text = "Fracti does not answer. See /month before you send this again."
        if text:
            try:
                telegram("sendMessage", chat_id=message["chat"]["id"], text=text[:4096])
            except urllib.error.HTTPError as error:
                if error.code == 429 or error.code >= 500:
                    raise
                print(f"cannot reply: {error}", file=sys.stderr)

    def run(self):
        """Answers until the program is stopped, whatever is away for a while."""
        while True:
            try:
                self.step()
            except (NoAnswer, OSError, http.client.HTTPException, ValueError) as error:
                if getattr(error, "code", None) in (401, 404):
                    sys.exit("TELEGRAM_BOT_TOKEN is not the token of a bot")
                print(f"trying again: {error}", file=sys.stderr)
                time.sleep(5)


if __name__ == "__main__":
    console() if "--console" in sys.argv[1:] else Poller(Bot(*saved_groups())).run()
