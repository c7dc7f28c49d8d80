// docs/examples/fracti.js, against a server on loopback that answers as the test says.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { decimal, fracti, NoAnswer, Refused } from "../../../docs/examples/fracti.js";

const HTML = [502, "<html><h1>502 Bad Gateway</h1></html>", { "Content-Type": "text/html" }];
/** The connection ends without an answer, or in the middle of one; or no answer comes. */
const [LOST, CUT, SILENT] = ["lost", "cut", "silent"];

const ok = (data, rest = {}, headers = {}) => [200, { success: true, data, ...rest }, headers];
const refusal = (status, error, headers = {}) => [status, { error, message: "No." }, headers];
const UNAVAILABLE = refusal(503, "UNAVAILABLE", { "Retry-After": "1" });

/**
 * Runs `use` with a client of a server that gives these answers, one for each request. `waits` has
 * the seconds that the client waited. Returns the requests that the server received.
 */
async function answering(answers, use, options = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method, url, headers } = request;
    const answer = answers[requests.push({ method, url, headers, body }) - 1];
    if (answer === SILENT) return;
    if (answer === CUT) response.writeHead(200, { "Content-Length": 99 }).write("{");
    if (answer === LOST || answer === CUT) return request.socket.destroy();
    const [status, content, extra] = answer;
    const text = typeof content === "string" ? content : JSON.stringify(content);
    response.writeHead(status, { "Content-Type": "application/json", ...extra }).end(text);
  });
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  const waits = [];
  const wait = async (seconds) => void waits.push(seconds);
  const url = `http://127.0.0.1:${server.address().port}`;
  try {
    await use(fracti(url, "hash=x", { wait, ...options }), waits);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.equal(requests.length, answers.length);
  return requests;
}

test("all pages of a list are read", async () => {
  const pages = [
    ok([1, 2], { pagination: { hasMore: true, nextCursor: "a b&c" } }),
    ok([], { pagination: { hasMore: true, nextCursor: "d" } }),
    ok([3], { pagination: { hasMore: false } }),
  ];
  const found = [];
  const requests = await answering(pages, async (call) => {
    for await (const item of call.items("/list?limit=2")) found.push(item);
  });
  assert.deepEqual(found, [1, 2, 3]);
  const urls = ["/list?limit=2", "/list?limit=2&cursor=a%20b%26c", "/list?limit=2&cursor=d"];
  assert.deepEqual(requests.map(({ url }) => url), urls);
});

test("a CSV export is the text of all its pages", async () => {
  const csv = { "Content-Type": "text/csv; charset=utf-8" };
  const pages = [[200, "Date\n", { ...csv, "next-cursor": "n" }], [200, "2026-01-01\n", csv]];
  let file = "";
  const requests = await answering(pages, async (call) => {
    for await (const part of call.pages("/export?format=csv")) file += part;
  });
  assert.equal(file, "Date\n2026-01-01\n");
  assert.equal(requests[1].url, "/export?format=csv&cursor=n");
});

for (const [what, answer] of [
  ["a lost answer", LOST],
  ["half an answer", CUT],
  ["a gateway's 502", HTML],
  ["UNAVAILABLE", UNAVAILABLE],
]) {
  test(`a request is repeated with its key after ${what}`, async () => {
    const requests = await answering([answer, ok({ id: 1 })], async (call, waits) => {
      const expense = await call("POST", "/expenses", { body: { amount: "1" }, key: "k" });
      assert.deepEqual(expense, { id: 1 });
      assert(waits.length === 1 && waits[0] >= 1 && waits[0] <= 1.5, `${waits}`);
    });
    assert.deepEqual(requests.map(({ headers }) => headers["idempotency-key"]), ["k", "k"]);
    assert.deepEqual(requests.map(({ body }) => body), ['{"amount":"1"}', '{"amount":"1"}']);
  });

  test(`a POST without a key is not repeated after ${what}`, async () => {
    await answering([answer], async (call) => {
      await assert.rejects(call("POST", "/expenses", { body: {} }), NoAnswer);
    });
  });
}

test("a server that is away ends in NoAnswer, after a few attempts", async () => {
  const message = "The service does not answer; try again later.";
  await answering([HTML, LOST, LOST, HTML], async (call, waits) => {
    await assert.rejects(call("GET", "/groups"), { name: "NoAnswer", mayBeDone: true, message });
    assert.equal(waits.length, 3);
  });
  const use = (call) => assert.rejects(call("GET", "/groups"), NoAnswer);
  await answering([SILENT], use, { timeout: 0.3, attempts: 1 });
});

test("a page that is no answer of the API is never taken for a success", async () => {
  const portal = [200, "<html>Sign in to the network</html>", { "Content-Type": "text/html" }];
  await answering([portal, ok([])], async (call) => {
    assert.deepEqual(await call("GET", "/groups"), []);
  });
});

test("a refusal is not repeated, and says what is wrong", async () => {
  const details = [{ path: "amount", message: "amount must be above 0" }];
  const told = { message: "No.", details, requestId: "r" };
  const invalid = [400, { error: "VALIDATION_ERROR", ...told }];
  await answering([invalid], async (call) => {
    const expected = { status: 400, code: "VALIDATION_ERROR", ...told, mayBeDone: false };
    await assert.rejects(call("POST", "/expenses", { body: {}, key: "k" }), expected);
  });
  await answering([[403, "<html></html>"]], async (call) => {
    const expected = { code: undefined, message: "The request was refused with status 403." };
    await assert.rejects(call("GET", "/groups"), expected);
  });
});

test("what changed nothing is repeated, unless the quota is used up until midnight", async () => {
  const conflict = refusal(409, "CONFLICT", { "Retry-After": "1" });
  const gateway = [429, { message: "Too Many Requests" }];
  await answering([conflict, gateway, ok(1)], async (call) => {
    assert.equal(await call("POST", "/expenses", { body: {} }), 1);
  });
  await answering([refusal(429, "RATE_LIMITED", { "Retry-After": "4000" })], async (call) => {
    await assert.rejects(call("GET", "/groups"), { code: "RATE_LIMITED", retryAfter: 4000 });
  });
});

test("an edit names the state that it changes, and says if it may be done", async () => {
  const answers = [ok({ id: 1 }, {}, { ETag: '"7"' }), LOST, refusal(412, "PRECONDITION_FAILED")];
  const requests = await answering(answers, async (call) => {
    const { data, etag } = await call.send("GET", "/expenses/1");
    assert.deepEqual([data, etag], [{ id: 1 }, '"7"']);
    const edit = call("PUT", "/expenses/1", { body: {}, etag });
    await assert.rejects(edit, { code: "PRECONDITION_FAILED", mayBeDone: true });
  });
  assert.equal(requests[2].headers["if-match"], '"7"');
});

test("a deletion whose answer was lost has happened if it answers 404", async () => {
  await answering([LOST, refusal(404, "EXPENSE_NOT_FOUND")], async (call) => {
    assert.equal(await call("DELETE", "/expenses/1"), undefined);
  });
  await answering([refusal(404, "EXPENSE_NOT_FOUND")], async (call) => {
    await assert.rejects(call("DELETE", "/expenses/1"), Refused);
  });
});

test("a form is sent as it is", async () => {
  const body = new FormData();
  body.append("file", new Blob(["a,b"]), "file.csv");
  body.append("options", '{"commit":true}');
  const send = (call) => call("POST", "/import", { body, key: "k" });
  const requests = await answering([HTML, ok({})], send);
  for (const { headers, body } of requests) {
    assert.match(headers["content-type"], /^multipart\/form-data; boundary=/);
    assert(body.includes("a,b") && body.includes('{"commit":true}'), body);
  }
});

test("a typed amount is read if it is clear", () => {
  for (const [text, amount] of [
    ["12,50", "12.50"],
    [" 12.5 ", "12.5"],
    ["-3", "-3"],
    ["0,005", "0.005"],
    ["1234,567", "1234.567"],
    ["1,234", undefined],
    ["1.234,50", undefined],
    ["1e-9", undefined],
    ["12,50 €", undefined],
    ["", undefined],
  ]) {
    assert.equal(decimal(text), amount, text);
  }
});
