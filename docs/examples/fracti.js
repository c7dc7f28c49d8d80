// A client of the Fracti API for Mini Apps, without dependencies. It also runs in Node.js 18.
//
//   import { fracti } from "./fracti.js";
//
//   const call = fracti("https://api.example.org", window.Telegram.WebApp.initData);
//   const groups = await call("GET", "/api/groups");
//   const key = crypto.randomUUID(); // one for each press of the button, not for each attempt
//   const body = { amount: "12.50", description: "Pizza" };
//   const expense = await call("POST", `/api/groups/${groups[0].id}/expenses`, { body, key });

/** A response that is not a success: `code` is for programs, `message` for people. */
export class Refused extends Error {
  constructor(status, { error, message, details = [] }) {
    super(message);
    this.name = "Refused";
    this.status = status;
    /** An error code of the API, or undefined if a gateway in front of it answered. */
    this.code = error;
    /** The invalid fields: `{ path, message }`. */
    this.details = details;
  }
}

/**
 * A function that calls the API as the user of the init data, and returns `data` of the response.
 * Amounts are strings with all digits, because JavaScript's numbers are floats.
 */
export function fracti(api, initData, attempts = 3) {
  return async function call(method, path, { body, key } = {}) {
    const headers = { Accept: "application/json;amounts=text", Authorization: `tma ${initData}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const request = { method, headers, body: JSON.stringify(body) };
    // Without a key, a POST could be carried out twice.
    const repeatable = method !== "POST" || key !== undefined;
    for (let left = attempts - 1; ; left -= 1) {
      const response = await fetch(api + path, request);
      if (response.ok) return (await response.json()).data;
      const busy = response.status === 429 || response.headers.has("Retry-After");
      const seconds = Number(response.headers.get("Retry-After") ?? 1);
      // A daily quota resets at midnight: too long to wait here.
      if (!busy || seconds > 60 || !repeatable || left === 0) {
        throw new Refused(response.status, await response.json());
      }
      await new Promise((resume) => setTimeout(resume, (seconds + Math.random()) * 1000));
    }
  };
}
