"""Judges the bot and its fake Bot API with aiogram, a client of Telegram for Python.

Two local servers run: one has the fake Bot API, the other one the bot. Everything between them
passes through this program, which reads each update, answer and call as aiogram's types do, and
accepts no field that they do not have.
"""

import asyncio
import contextlib
import hashlib
import hmac
import itertools
import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import aiogram
import aiogram.methods
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import (
    TelegramAPIError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramUnauthorizedError,
)
from aiogram.methods import (
    AnswerCallbackQuery,
    EditMessageReplyMarkup,
    EditMessageText,
    SendMessage,
    TelegramMethod,
)
from aiogram.types import (
    BotCommand,
    CallbackQuery,
    Chat,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
    MessageEntity,
    Update,
    User,
)
from aiohttp import ClientSession, web
from pydantic import BaseModel, ValidationError

SERVER = pathlib.Path(__file__).parents[3] / "target/debug/fracti-local"
TOKEN = "0:fracti-local"
SECRET = hmac.new(TOKEN.encode(), b"fracti webhook", hashlib.sha256).hexdigest()
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
BOT_USERNAME = "fracti_fake_bot"

# Seconds for all steps, and for a notice of the keeper, which runs every second.
TIME_LIMIT = 60
NOTICE_LIMIT = 10

ALPS = Chat(id=-1001, type="group", title="Alps")
CHAT_INSTANCE = "-3788475317572404878"
ALICE, BOB, CAROL, DAVE = (
    User(id=id, is_bot=False, first_name=name, username=name.lower(), language_code="en")
    for id, name in [
        (123456789, "Alice"),
        (987654321, "Bob"),
        (456789123, "Carol"),
        (789123456, "Dave"),
    ]
)

METHODS: dict[str, type[TelegramMethod]] = {
    method.__api_method__: method
    for name in aiogram.methods.__all__
    if (method := getattr(aiogram.methods, name)) is not TelegramMethod
    and isinstance(method, type)
    and issubclass(method, TelegramMethod)
}


class Mismatch(Exception):
    """Something is not as a client of Telegram expects it."""


def check(is_right: bool, rule: str, got: object) -> None:
    if not is_right:
        raise Mismatch(f"{rule}\n  got: {got}")


def same(what: str, got: object, expected: object) -> None:
    if plain(got) != plain(expected):
        raise Mismatch(f"{what}\n  got:      {got!r}\n  expected: {expected!r}")


def plain(value: object) -> object:
    """Data without the bot that aiogram keeps in its models, and without no-break spaces."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, str):
        return value.replace("\xa0", " ")
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


# What aiogram accepts.

Model = TypeVar("Model", bound=BaseModel)


def unknown_fields(value: object, path: str) -> Iterator[str]:
    """Fields that aiogram's model does not have, also of nested objects."""
    if isinstance(value, BaseModel):
        yield from (f"{path}.{name}" for name in value.model_extra or {})
        for name in value.model_fields_set & type(value).model_fields.keys():
            yield from unknown_fields(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from unknown_fields(item, path)


def known(model: Model, raw: str | None = None) -> Model:
    name = type(model).__name__
    unknown = sorted(unknown_fields(model, name))
    check(not unknown, f"{', '.join(unknown)}: not a field of the Bot API", raw or repr(model))
    return model


def read_method(data: dict) -> TelegramMethod:
    """A method of the Bot API, with the limits that Telegram documents."""
    fields = {name: value for name, value in data.items() if name != "method"}
    model = METHODS.get(data.get("method", ""))
    check(model is not None, "method is not one of the Bot API", json.dumps(data))
    try:
        method = model.model_validate_json(json.dumps(fields), strict=True)
    except ValidationError as error:
        raise Mismatch(f"{error}\n  got: {json.dumps(data)}") from error
    known(method, json.dumps(data))
    if isinstance(method, (SendMessage, EditMessageText)):
        units = len(method.text.encode("utf-16-le")) // 2
        check(1 <= units <= 4096, "text must have 1 to 4096 UTF-16 units", units)
    if isinstance(method, AnswerCallbackQuery):
        length = len(method.text or "")
        check(length <= 200, "text of an answer must have at most 200 characters", length)
    markup = getattr(method, "reply_markup", None)
    if markup is not None:
        check(isinstance(markup, InlineKeyboardMarkup), "reply_markup must be inline", markup)
        check_keyboard(markup)
    return method


def check_keyboard(markup: InlineKeyboardMarkup) -> None:
    for row in markup.inline_keyboard:
        check(1 <= len(row) <= 8, "a row must have 1 to 8 buttons", row)
    for button in buttons(markup):
        actions = button.model_fields_set - {"text"}
        check(bool(button.text.strip()), "text of a button must not be empty", button)
        check(len(actions) == 1, "a button must have exactly one action", button)
        if button.callback_data is not None:
            size = len(button.callback_data.encode())
            check(1 <= size <= 64, "callback_data must have 1 to 64 bytes", button)


def buttons(markup: InlineKeyboardMarkup | None) -> list[InlineKeyboardButton]:
    return [button for row in markup.inline_keyboard for button in row] if markup else []


def labels(message: SendMessage | EditMessageText | Message) -> list[str]:
    return [button.text for button in buttons(message.reply_markup)]


def button_data(markup: InlineKeyboardMarkup | None, label: str) -> str:
    found = [it.callback_data for it in buttons(markup) if plain(it.text) == label]
    check(len(found) == 1 and bool(found[0]), f"there must be one button {label!r}", markup)
    return found[0]


# The servers, and what passes between them.


@contextlib.asynccontextmanager
async def server(
    last_line: str, *options: str, **environment: str
) -> AsyncIterator[dict[str, str]]:
    """Runs a local server, and yields what it prints: addresses and variables."""
    arguments = ["--port", "0", "--dynamodb-port", "0", *options]
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            SERVER,
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env={**os.environ, "TELEGRAM_BOT_TOKEN": TOKEN, **environment},
        )
        try:
            printed: dict[str, str] = {}
            while last_line not in printed:
                line = (await process.stdout.readline()).decode()
                if not line:
                    log.seek(0)
                    raise Mismatch(f"the server ended: {log.read().decode()}")
                # "api http://…", "export ALICE='Authorization: tma …'"
                line = line.strip().removeprefix("export ")
                name, _, value = line.partition("=" if line.endswith("'") else " ")
                printed.setdefault(name, value.strip("'"))
            yield printed
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


@dataclass
class Relay:
    """Passes calls of the bot to the fake Bot API, and updates of the fake Bot API to the bot."""

    http: ClientSession
    fake: str
    api: str = ""
    url: str = ""
    calls: list[tuple[dict, dict]] = field(default_factory=list)
    updates: list[tuple[dict, str | None, dict | None]] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        app = web.Application()
        app.router.add_post("/updates", self.update)
        app.router.add_post("/bot{token}/{method}", self.call)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = "http://{}:{}".format(*runner.addresses[0])
            yield
        finally:
            await runner.cleanup()

    async def call(self, request: web.Request) -> web.Response:
        data = await request.json()
        async with self.http.post(self.fake + request.path, json=data) as response:
            call = {"method": request.match_info["method"], **data}
            result = await response.json()
            self.calls.append((call, result))
            return web.json_response(result, status=response.status)

    async def update(self, request: web.Request) -> web.Response:
        update, secret = await request.json(), request.headers.get(SECRET_HEADER)
        answer = await self.deliver(update)
        self.updates.append((update, secret, answer))
        return web.Response() if answer is None else web.json_response(answer)

    async def deliver(self, update: dict, secret: str = SECRET) -> dict | None:
        """Posts an update to the bot until it takes it, and returns the method in its answer."""
        webhook = f"{self.api}/api/telegram/webhook"
        headers = {SECRET_HEADER: secret}
        while True:
            async with self.http.post(webhook, json=update, headers=headers) as response:
                body = await response.text()
                if response.status == 429:
                    await asyncio.sleep(int(response.headers["Retry-After"]))
                    continue
                same(f"status of the webhook, {body}", response.status, 200)
                if not body:
                    return None
                same("content type of an answer", response.content_type, "application/json")
                return json.loads(body)

    def made(self) -> list[tuple[TelegramMethod, object]]:
        """The calls of the bot since the last time with their results, without those that it
        must repeat."""
        calls, self.calls = self.calls, []
        made = []
        for call, result in calls:
            method = read_method(call)
            if result.get("error_code") == 429:
                continue
            check(result["ok"], f"a call must succeed: {json.dumps(call)}", result)
            made.append((method, result["result"]))
        return made

    def taken(self) -> list[TelegramMethod]:
        """The calls of `made`."""
        return [method for method, _ in self.made()]

    def message(self) -> tuple[SendMessage, Message]:
        """The only call since the last time, which sent a message."""
        made = self.made()
        same("calls", [type(method) for method, _ in made], [SendMessage])
        [(method, result)] = made
        return method, known(Message.model_validate(result), json.dumps(result))


@dataclass
class Judge:
    bot: Bot
    relay: Relay
    demo: dict[str, str]
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1_000_001))

    # Updates that aiogram writes.

    async def post(self, **content: Message | CallbackQuery) -> TelegramMethod | None:
        update = Update(update_id=next(self.numbers), **content)
        data = json.loads(update.model_dump_json(by_alias=True, exclude_none=True))
        answer = await self.relay.deliver(data)
        return None if answer is None else read_method(answer)

    async def command(self, user: User, text: str) -> tuple[SendMessage, Message]:
        """Sends a command to the bot, and returns its call and the message in the chat."""
        name = text.split()[0]
        entity = MessageEntity(type="bot_command", offset=0, length=len(name))
        message = Message(
            message_id=next(self.numbers),
            date=datetime.now(UTC),
            chat=ALPS,
            from_user=user,
            text=text,
            entities=[entity],
        )
        same(f"{text}: method in the answer", await self.post(message=message), None)
        answer, sent = self.relay.message()
        same(f"{text}: chat", answer.chat_id, ALPS.id)
        same(f"{text}: reply", answer.reply_parameters.message_id, message.message_id)
        same(f"{text}: parse_mode", "parse_mode" in answer.model_fields_set, False)
        same(f"{text}: text in the chat", sent.text, answer.text)
        # The fake does not know the message of the user, so the reply is added here.
        return answer, sent.model_copy(update={"reply_to_message": message})

    async def press(
        self, user: User, message: Message, data: str
    ) -> tuple[AnswerCallbackQuery, list[TelegramMethod]]:
        """Presses a button, and returns the answer and what the bot calls."""
        query = CallbackQuery(
            id=str(next(self.numbers)),
            from_user=user,
            chat_instance=CHAT_INSTANCE,
            message=message,
            data=data,
        )
        answer = await self.post(callback_query=query)
        check(
            isinstance(answer, AnswerCallbackQuery), "a press must be answered as one", answer
        )
        same("query of an answer", answer.callback_query_id, query.id)
        return answer, self.relay.taken()

    async def edited(self, user: User, message: Message, label: str) -> Message:
        """Presses the button of a message, and returns the message as it is edited."""
        answer, calls = await self.press(
            user, message, button_data(message.reply_markup, label)
        )
        same(f"alert of {label!r}", answer.text, None)
        same(f"calls of {label!r}", [type(call) for call in calls], [EditMessageText])
        edit = calls[0]
        same("edited message", (edit.chat_id, edit.message_id), (ALPS.id, message.message_id))
        update = {"text": edit.text, "reply_markup": edit.reply_markup}
        check(edit.text in await self.shown(ALPS.id), "the chat must show the edit", edit.text)
        return message.model_copy(update=update)

    # The fake Bot API.

    async def fake(self, path: str, **form: str | int) -> dict:
        async with self.relay.http.post(self.relay.fake + path, data=form) as response:
            same(f"status of {path}", response.status, 200)
            return await response.json()

    async def shown(self, chat: int) -> str:
        async with self.relay.http.get(f"{self.relay.fake}/chats/{chat}") as response:
            return await response.text()

    def update(self, kind: type[TelegramMethod] | None) -> Update:
        """The last update of the fake Bot API, which the bot answered with this method."""
        (data, secret, answer), self.relay.updates = self.relay.updates[-1], []
        same("secret of an update", secret, SECRET)
        update = known(Update.model_validate(data), json.dumps(data))
        method = None if answer is None else type(read_method(answer))
        same("method in the answer", method, kind)
        return update

    async def refused(self, call, error: type[TelegramAPIError], words: str) -> None:
        try:
            result = await call
        except TelegramAPIError as refusal:
            same(f"error, {refusal}", type(refusal), error)
            check(words in refusal.message, f"the error must say {words!r}", refusal.message)
        else:
            raise Mismatch(f"{error.__name__} was expected\n  got: {result!r}")

    # The API.

    async def api(self, method: str, user: User, path: str, body: dict | None = None):
        name, _, value = self.demo[user.first_name.upper()].partition(": ")
        headers = {name: value, "Idempotency-Key": f"judge-{next(self.numbers)}"}
        url = f"{self.relay.api}/api{path}"
        async with self.relay.http.request(method, url, json=body, headers=headers) as response:
            answer = await response.json()
            check(response.status in (200, 201), f"{method} {path} must succeed", answer)
            return answer["data"]

    async def notices(
        self, *chats: int, apart_from: int | None = None
    ) -> dict[int, SendMessage]:
        """Waits until the bot has sent one message to each of these chats by itself."""
        found: dict[int, SendMessage] = {}
        for _ in range(NOTICE_LIMIT * 10):
            for call in self.relay.taken():
                check(isinstance(call, SendMessage), "a notice must be a message", call)
                check(call.chat_id not in found, "a notice must be sent once", repr(call))
                if call.chat_id != apart_from:
                    found[call.chat_id] = call
            if set(chats) <= found.keys():
                break
            await asyncio.sleep(0.1)
        same("chats with a notice", sorted(found), sorted(chats))
        return found


# The steps.


async def fake_bot_api(judge: Judge) -> None:
    bot = judge.bot
    me = await bot.get_me()
    known(me)
    same("getMe", (me.id, me.is_bot, me.username), (0, True, BOT_USERNAME))
    info = await bot.get_webhook_info()
    path = "/api/telegram/webhook"
    check(info.url.endswith(path), f"the webhook must end with {path}", info)
    print("getMe, getWebhookInfo")

    commands = [
        BotCommand(command="expense", description="Add an expense"),
        BotCommand(command="balance", description="Who owes what"),
    ]
    same("setMyCommands", await bot.set_my_commands(commands), True)
    same("getMyCommands", await bot.get_my_commands(), commands)
    same("setMyCommands, ru", await bot.set_my_commands(commands[:1], language_code="ru"), True)
    same("getMyCommands, ru", await bot.get_my_commands(language_code="ru"), commands[:1])
    bad = [BotCommand(command="Not One", description="?")]
    await judge.refused(bot.set_my_commands(bad), TelegramBadRequest, "BOT_COMMAND_INVALID")
    print("setMyCommands, getMyCommands")

    html = "<b>Dave</b> &amp; <code>12.60</code>"
    unreached = bot.send_message(DAVE.id, html, parse_mode="HTML")
    await judge.refused(unreached, TelegramForbiddenError, "bot was blocked by the user")
    await judge.fake("/say", chat=DAVE.id, **{"from": DAVE.id}, text="hello")
    keyboard = InlineKeyboardMarkup(
        inline_keyboard=[[InlineKeyboardButton(text="One", callback_data="1")]]
    )
    sent = await bot.send_message(DAVE.id, html, parse_mode="HTML", reply_markup=keyboard)
    known(sent)
    same("sendMessage: text", sent.text, "Dave & 12.60")
    same("sendMessage: entities as HTML", sent.html_text, html)
    same("sendMessage: buttons", sent.reply_markup, keyboard)
    same("sendMessage: chat", (sent.chat.id, sent.chat.type), (DAVE.id, "private"))
    for text in ["<b>not closed", "<made-up>tag</made-up>", "1 < 2"]:
        call = bot.send_message(DAVE.id, text, parse_mode="HTML")
        await judge.refused(call, TelegramBadRequest, "can't parse entities")
    long = bot.send_message(DAVE.id, "a" * 4097)
    await judge.refused(long, TelegramBadRequest, "message is too long")
    nowhere = bot.send_message(999, "?")
    await judge.refused(nowhere, TelegramBadRequest, "chat not found")
    print("sendMessage, and its refusals of bad HTML, long texts, and chats without the bot")

    edited = await sent.edit_text("<i>Edited</i>", parse_mode="HTML").as_(bot)
    known(edited)
    same("editMessageText: text", edited.html_text, "<i>Edited</i>")
    same("editMessageText: message", edited.message_id, sent.message_id)
    same("editMessageText: buttons", edited.reply_markup, None)
    check(edited.edit_date is not None, "an edited message must have an edit_date", edited)
    again = sent.edit_text("<i>Edited</i>", parse_mode="HTML").as_(bot)
    await judge.refused(again, TelegramBadRequest, "message is not modified")
    rebuttoned = await sent.edit_reply_markup(reply_markup=keyboard).as_(bot)
    same("editMessageReplyMarkup", rebuttoned.reply_markup, keyboard)
    print("editMessageText, editMessageReplyMarkup")

    async with Bot("0:wrong", session=AiohttpSession(api=bot.session.api)) as other:
        await judge.refused(other.get_me(), TelegramUnauthorizedError, "Unauthorized")
    unknown = bot.answer_callback_query("1")
    await judge.refused(unknown, TelegramBadRequest, "query ID is invalid")
    print("401 for a wrong token, 400 for an unknown press")


async def conversation(judge: Judge) -> None:
    hook = f"{judge.relay.api}/api/telegram/webhook"
    for headers in [{}, {SECRET_HEADER: "0" * 64}]:
        async with judge.relay.http.post(hook, json={}, headers=headers) as response:
            same("status without the secret", response.status, 401)
    print("the webhook refuses updates without its secret")

    answer, message = await judge.command(ALICE, "/start EUR")
    same(
        "/start EUR",
        (answer.text, labels(answer)),
        ("Fracti keeps track of shared money. In which currency?", ["EUR"]),
    )
    group = await judge.edited(ALICE, message, "EUR")
    same(
        "EUR",
        (group.text, labels(group)),
        ("“Alps” counts in EUR. Members: Alice.", ["Join", "Open Fracti"]),
    )
    print("/start EUR, and the press of EUR")

    answer, _ = await judge.command(ALICE, "/expense 30 dinner")
    same("/expense 30 dinner", labels(answer), ["Undo", "Open Fracti"])
    same(
        "/expense 30 dinner",
        answer.text,
        "Alice paid 30.00 EUR for dinner. Nobody else is here yet: press Join.",
    )
    answer, _ = await judge.command(BOB, "/expense 12,60 pizza")
    same(
        "/expense 12,60 pizza",
        answer.text,
        "Bob paid 12.60 EUR for pizza, shared by 2: 6.30 EUR each.",
    )
    answer, hut = await judge.command(ALICE, "/expense 44.20 hut <b>&")
    same(
        "/expense 44.20 hut <b>&",
        answer.text,
        "Alice paid 44.20 EUR for hut <b>&, shared by 2: 22.10 EUR each.",
    )
    print("/expense by Alice alone, by Bob, who joins, and for both")

    answer, _ = await judge.command(BOB, "/balance")
    same("/balance", answer.text, "Alice gets 15.80 EUR\nBob owes 15.80 EUR")
    print("/balance: 15.80")

    answer, message = await judge.command(ALICE, "/settle")
    pay = "Bob → Alice 15.80 EUR"
    same(
        "/settle",
        (answer.text, labels(answer)),
        ("Who pays whom. Press once paid.", [pay]),
    )
    stranger, calls = await judge.press(CAROL, message, button_data(message.reply_markup, pay))
    same(
        "payment pressed by a stranger",
        (stranger.text, stranger.show_alert, calls),
        ("You are not in the group yet: send /start, and press Join.", True, []),
    )
    waiting = await judge.edited(BOB, message, pay)
    same(
        "payment pressed by Bob",
        (waiting.text, labels(waiting)),
        (f"Waiting for Alice: {pay}", ["Confirm Bob 15.80 EUR", "Not received"]),
    )
    old, calls = await judge.press(BOB, message, button_data(message.reply_markup, pay))
    same(
        "payment pressed again",
        (old.text, calls),
        ("The balances have changed, send /settle again.", []),
    )
    settled = await judge.edited(ALICE, waiting, "Confirm Bob 15.80 EUR")
    same("confirmed", (settled.text, labels(settled)), ("Everybody is settled.", []))
    print("/settle: a stranger is refused, Bob pays 15.80, and Alice confirms")

    undone = await judge.edited(ALICE, hut, "Undo")
    same("Undo", (undone.text, labels(undone)), ("Taken back: 44.20 EUR for hut <b>&.", []))
    made_up, calls = await judge.press(ALICE, hut, "made up")
    same(
        "made-up data",
        (made_up.text, calls),
        ("That did not work. Open Fracti.", []),
    )
    print("Undo, and a press with made-up data")


async def turn_on(judge: Judge, user: User) -> None:
    """Turns messages in private on, through the fake Bot API and its updates."""
    person = {"chat": user.id, "from": user.id}
    said = await judge.fake("/say", **person, text="/start")
    same("/start in private: status", said["status"], 200)
    update = judge.update(None)
    answer, _ = judge.relay.message()
    same("update: sender", update.message.from_user, user)
    same("update: entity", update.message.entities[0].type, "bot_command")
    same("/start in private", answer.text, "Add me to a group's chat, or get messages here.")
    same("/start in private", labels(answer), ["Turn on messages", "Add to a group"])
    number = said["message_id"] + 1
    pressed = await judge.fake("/press", **person, message=number, button="Turn on messages")
    same("Turn on messages", pressed, {"status": 200, "answered": True, "alert": None})
    update = judge.update(AnswerCallbackQuery)
    message = update.callback_query.message
    same("update: message of the press", message.message_id, number)
    same("update: reply", message.reply_to_message.text, "/start")
    same("update: buttons", labels(message), labels(answer))
    calls = judge.relay.taken()
    same("calls of Turn on messages", [type(it) for it in calls], [EditMessageText])
    edit = calls[0]
    check(edit.text in await judge.shown(user.id), "the chat must show the edit", edit.text)


async def private_chats(judge: Judge) -> None:
    url = f"{judge.relay.url}/updates"
    kinds = ["message", "callback_query", "my_chat_member"]
    is_set = await judge.bot.set_webhook(url, secret_token=SECRET, allowed_updates=kinds)
    same("setWebhook", is_set, True)
    info = await judge.bot.get_webhook_info()
    same("getWebhookInfo", [info.url, info.allowed_updates], [url, kinds])
    for user in [ALICE, BOB]:
        await turn_on(judge, user)
    print("Alice and Bob turn messages on, through updates of the fake Bot API")


async def notices(judge: Judge) -> None:
    groups = await judge.api("GET", BOB, "/groups")
    found = [it["id"] for it in groups if it["title"] == "Alps"]
    check(len(found) == 1, "Bob must have one group of the chat", groups)
    group = found[0]
    expense = {"amount": "9.00", "description": "Tea & <cake>"}
    await judge.api("POST", BOB, f"/groups/{group}/expenses", expense)
    sent = await judge.notices(ALPS.id, ALICE.id)
    added = "Bob added “Tea &amp; &lt;cake&gt;”: 9.00 EUR"
    texts = {
        ALPS.id: f"{added} for 2.",
        ALICE.id: f"<b>Alps</b>\n{added}. Your share: 4.50 EUR.",
    }
    for chat, text in texts.items():
        notice = sent[chat]
        same(f"notice to {chat}", [notice.text, notice.parse_mode], [text, "HTML"])
        check(len(labels(notice)) == 1, "a notice must have one button", labels(notice))
        [button] = buttons(notice.reply_markup)
        link = f"https://t.me/{BOT_USERNAME}?startapp="
        check((button.url or "").startswith(link), f"the button must open {link}", button)
        shown = plain(await judge.shown(chat))
        text = "Bob added “Tea & <cake>”: 9.00 EUR"
        check(text in shown, f"the chat must show {text}", shown)
    print("the keeper tells an expense of the HTTP API in the group and to Alice")

    payment = {"toId": str(BOB.id), "amount": "4.50", "currency": "EUR"}
    await judge.api("POST", ALICE, f"/groups/{group}/settlements", payment)
    # The group's chat may get it now or, after its interval, later.
    notice = (await judge.notices(BOB.id, apart_from=ALPS.id))[BOB.id]
    same("notice of a payment", notice.text, "<b>Alps</b>\nAlice paid you 4.50 EUR.")
    person = {"chat": BOB.id, "from": BOB.id}
    expected = ["Confirm Alice 4.50 EUR", "Not received", "Alps"]
    same("buttons of a payment", labels(notice), expected)
    confirm = labels(notice)[0]
    number = re.findall(r"^#(\d+) Fracti", await judge.shown(BOB.id), re.MULTILINE)[-1]
    pressed = await judge.fake("/press", **person, message=number, button=confirm)
    same("Confirm", pressed, {"status": 200, "answered": True, "alert": None})
    judge.update(AnswerCallbackQuery)
    calls = [it for it in judge.relay.taken() if it.chat_id == BOB.id]
    same("calls of Confirm", [type(it) for it in calls], [EditMessageReplyMarkup])
    settlements = await judge.api("GET", BOB, f"/groups/{group}/settlements?status=completed")
    amounts = sorted(float(it["amount"]) for it in settlements)
    same("confirmed payments", amounts, [4.5, 15.8])
    print("the keeper tells Bob a payment, and he confirms it there")


async def run() -> None:
    session = ClientSession()
    async with (
        session as http,
        asyncio.timeout(TIME_LIMIT),
        contextlib.AsyncExitStack() as stack,
    ):
        fake = await stack.enter_async_context(
            server(
                "telegram", "--keeper-seconds", "0", "--fake-telegram", "--telegram-port", "0"
            )
        )
        relay = Relay(http, fake["telegram"])
        await stack.enter_async_context(relay.serve())
        demo = await stack.enter_async_context(
            server(
                "DAVE",
                "--keeper-seconds",
                "1",
                "--demo",
                TELEGRAM_API_URL=relay.url,
                BOT_USERNAME=BOT_USERNAME,
            )
        )
        relay.api = demo["api"]
        bot = Bot(TOKEN, session=AiohttpSession(api=TelegramAPIServer.from_base(relay.fake)))
        judge = Judge(await stack.enter_async_context(bot), relay, demo)
        for steps in [fake_bot_api, conversation, private_chats, notices]:
            await steps(judge)


def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)
    try:
        asyncio.run(run())
    except TimeoutError:
        print(f"MISMATCH: the steps took over {TIME_LIMIT} s", file=sys.stderr, flush=True)
        return 1
    except Mismatch as mismatch:
        print(f"MISMATCH: {mismatch}", file=sys.stderr, flush=True)
        return 1
    print(f"aiogram {aiogram.__version__}: the bot speaks the Bot API")
    return 0


if __name__ == "__main__":
    sys.exit(main())
