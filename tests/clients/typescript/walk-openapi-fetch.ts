// A group's money from creation to settlement, with openapi-typescript and openapi-fetch.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import { alice, api, bob, unknownGroup } from "./demo.js";
import type { components, paths } from "./generated/openapi-typescript.js";

const client = (authorization: string) =>
  createClient<paths>({ baseUrl: api, headers: { authorization } });
const asAlice = client(alice.authorization);
const asBob = client(bob.authorization);

/** The data of a response that must have succeeded. */
async function data<T>(request: Promise<{ data?: { data: T }; error?: unknown }>): Promise<T> {
  const { data, error } = await request;
  assert.ok(data, JSON.stringify(error));
  return data.data;
}

const group = await data(
  asAlice.POST("/api/groups", { body: { title: "Flat", chatId: -42, currency: "EUR" } }),
);
const params = { path: { groupId: group.id } };
const member = await data(asBob.POST("/api/groups/{groupId}/join", { params }));
assert.equal(member.id, bob.id);

const rent = { amount: "90.00", description: "Rent", category: "rent" } as const;
const post = () =>
  data(
    asAlice.POST("/api/groups/{groupId}/expenses", {
      params: { ...params, header: { "Idempotency-Key": `rent-${group.id}` } },
      body: rent,
    }),
  );
const expense = await post();
assert.equal((await post()).id, expense.id);
assert.equal(expense.amount, 90);
await data(
  asBob.POST("/api/groups/{groupId}/expenses", {
    params,
    body: {
      amount: 0.000000007,
      currency: "TON",
      description: "Gas",
      splitType: "exact",
      splits: [{ userId: alice.id, amount: "0.000000007" }],
    },
  }),
);

const debts = await data(asBob.GET("/api/groups/{groupId}/debts", { params }));
const plan = debts.suggestedSettlements.map((transfer) => [
  transfer.fromUserId,
  transfer.toUserId,
  transfer.amount,
  transfer.currency,
]);
assert.deepEqual(plan.sort(), [
  [alice.id, bob.id, 0.000000007, "TON"],
  [bob.id, alice.id, 45, "EUR"],
]);

const payment = await data(
  asBob.POST("/api/groups/{groupId}/settlements", {
    params,
    body: { toId: alice.id, amount: 45, currency: "EUR" },
  }),
);
assert.equal(payment.status, "pending");
const confirmed = await data(
  asAlice.PUT("/api/groups/{groupId}/settlements/{settlementId}", {
    params: { path: { groupId: group.id, settlementId: payment.id } },
    body: { status: "completed" },
  }),
);
assert.equal(confirmed.status, "completed");
await data(
  asBob.POST("/api/groups/{groupId}/settlements", {
    params,
    body: { fromId: alice.id, toId: bob.id, amount: "0.000000007", currency: "TON" },
  }),
);
const settled = await data(
  asBob.GET("/api/groups/{groupId}/debts", { params: { ...params, query: { verify: true } } }),
);
assert.deepEqual(settled.suggestedSettlements, []);
assert.deepEqual(
  settled.balances.map((node) => node.balances),
  [
    { EUR: 0, TON: 0 },
    { EUR: 0, TON: 0 },
  ],
);

const edited = await data(
  asAlice.PUT("/api/groups/{groupId}/expenses/{expenseId}", {
    params: { path: { groupId: group.id, expenseId: expense.id } },
    body: { description: "Rent and heating", category: null },
  }),
);
assert.equal(edited.category, undefined);

const descriptions: string[] = [];
for (let cursor: string | undefined, more = true; more; ) {
  const query = cursor === undefined ? { limit: 1 } : { limit: 1, cursor };
  const { data: page, error } = await asBob.GET("/api/groups/{groupId}/expenses", {
    params: { ...params, query },
  });
  assert.ok(page, JSON.stringify(error));
  descriptions.push(...page.data.map((item) => item.description));
  cursor = page.pagination.nextCursor;
  more = cursor !== undefined;
}
assert.deepEqual(descriptions, ["Gas", "Rent and heating"]);

const balance = await data(
  asBob.GET("/api/groups/{groupId}/ledger/balance", {
    params: { ...params, query: { userId: bob.id } },
  }),
);
assert.deepEqual(
  balance.balances.map(({ currency, net }) => [currency, net]),
  [
    ["EUR", 0],
    ["TON", 0],
  ],
);
const entries = await data(
  asBob.GET("/api/groups/{groupId}/ledger/entries", {
    params: { ...params, query: { order: "asc", from: group.createdAt } },
  }),
);
assert.equal(entries[0]?.entryId, expense.id);

const options: components["schemas"]["ImportOptions"] = { members: { "Erik Blum": bob.id } };
const imported = await data(
  asAlice.POST("/api/groups/{groupId}/import", {
    params,
    body: {
      file: readFileSync("docs/examples/splitwise.csv", "utf8"),
      options: JSON.stringify(options),
    },
    bodySerializer: ({ file, options }) => {
      const form = new FormData();
      form.append("file", new Blob([file]));
      if (options !== undefined) form.append("options", options);
      return form;
    },
  }),
);
assert.ok("errors" in imported);
assert.deepEqual([imported.errors, imported.members[1]?.match?.memberId], [[], bob.id]);

const me = await data(asBob.GET("/api/users/me"));
assert.equal(me.id, bob.id);

const { error, response } = await asBob.GET("/api/groups/{groupId}", {
  params: { path: { groupId: unknownGroup } },
});
assert.equal(response.status, 404);
assert.ok(error && "error" in error && error.error === "GROUP_NOT_FOUND");
console.log("openapi-fetch: the group is settled");
