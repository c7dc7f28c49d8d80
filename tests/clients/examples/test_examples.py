"""The examples in Python, against a server on loopback that answers as the test says."""

import contextlib
import http.server
import io
import json
import os
import pathlib
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "docs" / "examples"))
os.environ.update(TOKEN="fracti_pat_x", GROUP="g")
import bot  # noqa: E402
import follow  # noqa: E402
import own_bot  # noqa: E402
from fracti import Fracti, NoAnswer, Refused, decimal  # noqa: E402

HTML = (502, "<html><h1>502 Bad Gateway</h1></html>", {"Content-Type": "text/html"})
LOST = "the connection ends without an answer"
CUT = "the connection ends in the middle of an answer"


def ok(data, headers=None, **rest):
    return (200, {"success": True, "data": data, **rest}, headers or {})


def refusal(status, code, headers=None):
    return (status, {"error": code, "message": "No."}, headers or {})


class Server:
    """A server that gives these answers, one for each request, and keeps the requests."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __enter__(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                outer.requests.append((self.command, self.path, self.headers, body))
                answer = outer.answers.pop(0)
                if answer == CUT:
                    self.send_response(200)
                    self.send_header("Content-Length", "99")
                    self.end_headers()
                    self.wfile.write(b"{")
                if answer not in (LOST, CUT):
                    status, content, headers = answer
                    text = content if isinstance(content, str) else json.dumps(content)
                    self.send_response(status)
                    for header in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(*header)
                    self.end_headers()
                    self.wfile.write(text.encode())
                self.close_connection = True

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.01,)).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.waits = []
        self.api = Fracti(self.url, "Bearer x", sleep=self.waits.append)
        return self

    def __exit__(self, failed, *_):
        self.http.shutdown()
        self.http.server_close()
        assert failed or not self.answers, f"no request for {self.answers}"

    def headers(self, name):
        return [headers[name] for _, _, headers, _ in self.requests]


class Client(unittest.TestCase):
    def test_all_pages_of_a_list_are_read(self):
        pages = [
            ok([1, 2], pagination={"hasMore": True, "nextCursor": "a b&c"}),
            ok([], pagination={"hasMore": True, "nextCursor": "d"}),
            ok([3], pagination={"hasMore": False}),
        ]
        with Server(*pages) as server:
            self.assertEqual(list(server.api.items("/list?limit=2")), [1, 2, 3])
        paths = [path for _, path, _, _ in server.requests]
        self.assertEqual(
            paths, ["/list?limit=2", "/list?limit=2&cursor=a+b%26c", "/list?limit=2&cursor=d"]
        )

    def test_a_csv_export_is_the_text_of_all_its_pages(self):
        csv = {"Content-Type": "text/csv; charset=utf-8"}
        with Server((200, "Date\n", {**csv, "next-cursor": "n"}), (200, "é\n", csv)) as server:
            self.assertEqual("".join(server.api.pages("/export?format=csv")), "Date\né\n")

    def test_a_request_is_repeated_with_its_key_if_no_answer_arrives(self):
        unavailable = refusal(503, "UNAVAILABLE", {"Retry-After": "1"})
        for answer in (LOST, CUT, HTML, unavailable):
            with self.subTest(answer), Server(answer, ok({"id": 1})) as server:
                self.assertEqual(server.api.call("POST", "/e", {"amount": "1"}, "k"), {"id": 1})
                self.assertEqual(server.headers("Idempotency-Key"), ["k", "k"])
                self.assertTrue(1 <= server.waits[0] <= 1.5, server.waits)
            with self.subTest(answer), Server(answer) as server:
                with self.assertRaises(NoAnswer):
                    server.api.call("POST", "/e", {"amount": "1"})

    def test_a_server_that_is_away_ends_in_no_answer(self):
        with Server(HTML, LOST, LOST, HTML) as server, self.assertRaises(NoAnswer):
            server.api.call("GET", "/groups")
        with self.assertRaises(NoAnswer):
            server.api.call("GET", "/groups")

    def test_a_refusal_is_not_repeated(self):
        with Server((403, "<html></html>", {})) as server, self.assertRaises(Refused) as refused:
            server.api.call("GET", "/groups")
        self.assertEqual(str(refused.exception), "The request was refused with status 403.")
        with Server(refusal(400, "VALIDATION_ERROR")) as server:
            with self.assertRaises(Refused) as refused:
                server.api.call("POST", "/e", {}, "k")
        error = refused.exception
        self.assertEqual((error.code, str(error)), ("VALIDATION_ERROR", "No."))

    def test_what_changed_nothing_is_repeated_unless_the_quota_is_used_up(self):
        conflict = refusal(409, "CONFLICT", {"Retry-After": "1"})
        gateway = (429, {"message": "Too Many Requests"}, {})
        with Server(conflict, gateway, ok(1)) as server:
            self.assertEqual(server.api.call("POST", "/e", {}), 1)
        used_up = refusal(429, "RATE_LIMITED", {"Retry-After": "4000"})
        with Server(used_up) as server, self.assertRaises(Refused):
            server.api.call("GET", "/groups")

    def test_an_edit_names_the_state_that_it_changes(self):
        lost = (LOST, refusal(412, "PRECONDITION_FAILED"))
        with Server(ok({}, {"ETag": '"7"'}), *lost) as server:
            etag = server.api.send("GET", "/e/1").etag
            with self.assertRaises(Refused) as refused:
                server.api.call("PUT", "/e/1", {}, etag=etag)
        self.assertEqual(server.headers("If-Match"), [None, '"7"', '"7"'])
        self.assertTrue(refused.exception.may_be_done)

    def test_a_deletion_whose_answer_was_lost_has_happened_if_it_answers_404(self):
        with Server(LOST, refusal(404, "EXPENSE_NOT_FOUND")) as server:
            self.assertIsNone(server.api.call("DELETE", "/e/1"))

    def test_a_typed_amount_is_read_if_it_is_clear(self):
        clear = {"12,50": "12.50", "12.5": "12.5", "-3": "-3", "0,005": "0.005", "1.234": "1.234"}
        unclear = dict.fromkeys(["1,234", "1.234,50", "1e-9", "12€", "١٢", ""])
        for text, amount in {**clear, **unclear}.items():
            self.assertEqual(decimal(text), amount, text)


EXPENSE = {
    "amount": "12.5",
    "currency": "EUR",
    "date": "2026-01-15",
    "description": "Pizza",
    "splits": [{"userName": "Alice", "amount": "12.5"}],
}
RECORDED = "Pizza, 12.5 EUR: Alice 12.5"


class OwnBot(unittest.TestCase):
    def test_a_comma_is_read_and_a_refusal_is_survived(self):
        with Server(refusal(403, "INSUFFICIENT_SCOPE"), ok(EXPENSE)) as server:
            bot = own_bot.Bot(server.api, "g")
            self.assertEqual(bot.answer("12,50 Pizza"), "No.")
            self.assertEqual(bot.answer("12,50 Pizza"), RECORDED)
            self.assertIn("12.50 or 12,50", bot.answer("1,234 Pizza"))
        self.assertEqual(json.loads(server.requests[1][3])["amount"], "12.50")
        first, second = server.headers("Idempotency-Key")
        self.assertNotEqual(first, second)

    def test_a_line_that_got_no_answer_is_recorded_once(self):
        with Server(LOST, HTML, LOST, HTML, ok(EXPENSE), ok(EXPENSE)) as server:
            bot = own_bot.Bot(server.api, "g")
            self.assertIn("Send the line again", bot.answer("12,50 Pizza"))
            self.assertEqual(bot.answer("12,50 Pizza"), RECORDED)
            self.assertEqual(bot.answer("12,50 Pizza"), RECORDED)
        *same, other = server.headers("Idempotency-Key")
        self.assertEqual((len(set(same)), other in same), (1, False))

    def test_all_pages_of_the_month_are_shown(self):
        page = ok([EXPENSE], pagination={"hasMore": True, "nextCursor": "n"})
        with Server(page, HTML, ok([EXPENSE], pagination={"hasMore": False})) as server:
            shown = own_bot.Bot(server.api, "g").answer("month")
        self.assertEqual(shown, "\n".join(2 * ["2026-01-15 Pizza 12.5 EUR"]))


def message(text, number=1, **rest):
    chat, user = {"id": -5, "title": "Alps"}, {"id": 1, "first_name": "Alice"}
    return {"message_id": number, "date": 0, "chat": chat, "from": user, "text": text, **rest}


class TelegramBot(unittest.TestCase):
    def bot(self, server, groups=None):
        return bot.Bot({"-5": "g"} if groups is None else groups, api_for=lambda user: server.api)

    def test_a_comma_is_read_and_a_refusal_is_survived(self):
        refusals = (refusal(409, "GROUP_ARCHIVED"), refusal(403, "NOT_A_MEMBER"))
        with Server(*refusals, ok(EXPENSE)) as server:
            answer = self.bot(server).answer
            self.assertEqual(answer(message("/paid 12,50 Pizza")), "No.")
            self.assertIn("/join", answer(message("/paid 12,50 Pizza")))
            self.assertEqual(answer(message("/paid@fracti_bot 12,50 Pizza")), RECORDED)
            self.assertIn("12.50 or 12,50", answer(message("/paid 1.234,50 Pizza")))
        self.assertEqual(json.loads(server.requests[2][3])["amount"], "12.50")

    def test_all_pages_of_the_month_are_shown(self):
        page = ok([EXPENSE], pagination={"hasMore": True, "nextCursor": "n"})
        with Server(page, HTML, ok([EXPENSE], pagination={"hasMore": False})) as server:
            shown = self.bot(server).answer(message("/month"))
        self.assertEqual(shown, "\n".join(2 * ["2026-01-15 Pizza 12.5 EUR"]))

    def test_a_message_that_got_no_answer_is_answered_when_the_api_is_back(self):
        updates = [{"update_id": 7, "message": message("/paid 12,50 Pizza")}]
        updates.append({"update_id": 8, "message": message("Hello", 2)})
        updates = (200, {"result": updates}, {})
        api = (LOST, HTML, LOST, HTML, ok(EXPENSE))
        with Server(updates, updates, ok({}, result={})) as telegram, Server(*api) as server:
            bot.TELEGRAM, bot.PATIENCE = telegram.url, float("inf")
            poller = bot.Poller(self.bot(server))
            with self.assertRaises(NoAnswer):
                poller.step()
            self.assertEqual(poller.offset, 0)
            poller.step()
        self.assertEqual(poller.offset, 9)
        self.assertEqual(len(set(server.headers("Idempotency-Key"))), 1)
        self.assertEqual(json.loads(telegram.requests[2][3])["text"], RECORDED)

    def test_a_message_is_given_up_in_the_end(self):
        update = {"update_id": 7, "message": message("/paid 12,50 Pizza")}
        with Server((200, {"result": [update]}, {}), ok({}, result={})) as telegram:
            with Server(HTML, HTML, HTML, HTML) as server:
                bot.TELEGRAM, bot.PATIENCE = telegram.url, 600
                poller = bot.Poller(self.bot(server))
                poller.step()
        self.assertEqual(poller.offset, 8)
        self.assertIn("does not answer", telegram.requests[1][3])

    def test_a_chat_that_becomes_a_supergroup_keeps_its_group(self):
        groups = {"-5": "g"}
        moved = message("", migrate_to_chat_id=-1005)
        self.assertIsNone(self.bot(None, groups).answer(moved))
        self.assertEqual(groups, {"-1005": "g"})


class Follow(unittest.TestCase):
    def test_each_kind_of_change_has_a_line(self):
        document = pathlib.Path(__file__).parents[3] / "openapi.json"
        kinds = json.loads(document.read_text())["components"]["schemas"]["ChangeKind"]["enum"]
        self.assertEqual(set(kinds), set(follow.LINES))


if __name__ == "__main__":
    unittest.main()
