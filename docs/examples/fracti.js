// A client of the Fracti API for Mini Apps, without dependencies. It also runs in Node.js 18.
//
//   import { decimal, fracti } from "./fracti.js";
//
//   const call = fracti("https://api.example.org", window.Telegram.WebApp.initData);
//   const expenses = `/api/groups/${group}/expenses`;
//   const key = crypto.randomUUID(); // one for each press of the button, not for each attempt
//   const body = { amount: decimal("12,50"), description: "Pizza" };
//   const { id } = await call("POST", expenses, { body, key });
//
//   for await (const expense of call.items(expenses)) show(expense); // of all pages
//
//   const { data, etag } = await call.send("GET", `${expenses}/${id}`);
//   // Refused with the code PRECONDITION_FAILED if the expense has changed since.
//   await call("PUT", `${expenses}/${id}`, { body: { notes: "Was great" }, etag });

/** The API, or a gateway in front of it, refused a request. */
export class Refused extends Error {
  constructor(status, { error, message, details, requestId } = {}, retryAfter) {
    super(message ?? `The request was refused with status ${status}.`);
    this.name = "Refused";
    this.status = status;
    /** An error code of the API, or undefined if a gateway refused the request. */
    this.code = error;
    /** The invalid fields: `{ path, message }`. */
    this.details = details ?? [];
    /** Id by which the operator finds the request. */
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    /** Whether an earlier attempt got no answer: it may have been carried out. */
    this.mayBeDone = false;
  }
}

/** No attempt got an answer of the API. To try again later, send the same request and key. */
export class NoAnswer extends Error {
  constructor(cause, retryAfter) {
    super("The service does not answer; try again later.", { cause });
    this.name = "NoAnswer";
    this.retryAfter = retryAfter;
    /** Whether an attempt may have been carried out. */
    this.mayBeDone = true;
  }
}

/**
 * The amount that a user typed, as the API reads it: "12,50" becomes "12.50". Undefined if it is no
 * number or could be two, like "1,234": ask for one without separators of thousands.
 */
export function decimal(text) {
  const typed = text.trim();
  const isUnclear = /^-?[1-9][0-9]{0,2},[0-9]{3}$/.test(typed);
  return /^-?[0-9]+([.,][0-9]+)?$/.test(typed) && !isUnclear ? typed.replace(",", ".") : undefined;
}

/** Codes of a repeated DELETE whose first attempt was carried out. */
const GONE = ["EXPENSE_NOT_FOUND", "SPENDING_NOT_FOUND", "TOKEN_NOT_FOUND"];

const sleep = (seconds) => new Promise((resume) => setTimeout(resume, seconds * 1000));

/** The JSON of a text. Undefined if it is something else, like the page of a gateway. */
function json(text) {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes a function that calls the API as the user of the init data, and returns `data` of the
 * response, or the text of a CSV export. Amounts are strings with all digits, because JavaScript's
 * numbers are floats. A request that gets no answer within `timeout` seconds is repeated, unless it
 * is a POST without a key, which could be carried out twice.
 */
export function fracti(api, initData, { attempts = 4, timeout = 60, wait = sleep } = {}) {
  /** The result of one attempt. Throws `Refused` or `NoAnswer`. */
  async function attempt(path, request) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeout * 1000);
    let response, text;
    try {
      response = await fetch(api + path, { ...request, signal: controller.signal });
      text = await response.text();
    } catch (cause) {
      throw new NoAnswer(cause);
    } finally {
      clearTimeout(timer);
    }
    const { status, ok, headers } = response;
    const header = (name) => headers.get(name) ?? undefined;
    const isCsv = header("Content-Type")?.startsWith("text/csv");
    const body = isCsv ? { success: true, data: text } : json(text);
    if (ok && body?.success) {
      const nextCursor = body.pagination?.nextCursor ?? header("next-cursor");
      return { status, data: body.data, etag: header("ETag"), nextCursor };
    }
    const retryAfter = Number(header("Retry-After")) || undefined;
    const refused = new Refused(status, body, retryAfter);
    // Neither a gateway's page nor UNAVAILABLE says whether a write was carried out.
    const unknown = ok || [502, 503, 504].includes(status) || (status === 500 && !refused.code);
    throw unknown ? new NoAnswer(refused, retryAfter) : refused;
  }

  /**
   * Sends a request, with a `body` of JSON or FormData, an Idempotency-Key (`key`) and an `etag`
   * for If-Match. Returns `status`, `data`, `etag` and the `nextCursor` of a list.
   */
  async function send(method, path, { body, key, etag } = {}) {
    const headers = { Accept: "application/json;amounts=text", Authorization: `tma ${initData}` };
    // The browser names the type of a form itself, with the boundary between its parts.
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (etag !== undefined) headers["If-Match"] = etag;
    const request = { method, headers, body: isForm ? body : JSON.stringify(body) };
    const happensOnce = method !== "POST" || key !== undefined;
    let mayBeDone = false;
    for (let left = attempts - 1, seconds = 1; ; left -= 1, seconds *= 2) {
      try {
        return await attempt(path, request);
      } catch (error) {
        const { status, code, retryAfter } = error;
        if (mayBeDone && method === "DELETE" && GONE.includes(code)) return { status };
        const unchanged = status === 429 || code === "CONFLICT";
        const repeatable = unchanged || (error instanceof NoAnswer && happensOnce);
        error.mayBeDone = mayBeDone ||= error.mayBeDone;
        seconds = retryAfter ?? seconds;
        // A daily quota resets at midnight: too long to wait here.
        if (!repeatable || left === 0 || seconds > 60) throw error;
      }
      await wait(seconds * (1 + Math.random() / 2));
    }
  }

  /** The pages of a list or of an export, each as `call` returns it. */
  async function* pages(path) {
    let cursor;
    do {
      const mark = path.includes("?") ? "&" : "?";
      const rest = cursor === undefined ? "" : `${mark}cursor=${encodeURIComponent(cursor)}`;
      const page = await send("GET", path + rest);
      yield page.data;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** The items of all pages of a list. */
  async function* items(path) {
    for await (const page of pages(path)) yield* page;
  }

  const call = async (method, path, options) => (await send(method, path, options)).data;
  return Object.assign(call, { send, pages, items });
}
