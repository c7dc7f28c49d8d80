// A group's money from creation to settlement, with @hey-api/openapi-ts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { alice, api, bob, unknownGroup } from "./demo.js";
import { type Auth, createClient } from "./generated/hey-api/client/index.js";
import * as fracti from "./generated/hey-api/index.js";

const client = (authorization: string) =>
  createClient({
    baseUrl: api,
    auth: (auth: Auth) => (auth.name === "Authorization" ? authorization : undefined),
  });
const asAlice = client(alice.authorization);
const asBob = client(bob.authorization);

/** The data of a response that must have succeeded. */
async function data<T>(
  request: Promise<{ data: { data: T } | undefined; error: unknown }>,
): Promise<T> {
  const { data, error } = await request;
  assert.ok(data, JSON.stringify(error));
  return data.data;
}

const group = await data(
  fracti.createGroup({
    client: asAlice,
    body: { title: "Flat", chatId: "flat-share", currency: "EUR" },
  }),
);
const path = { groupId: group.id };
const member = await data(fracti.joinGroup({ client: asBob, path }));
assert.equal(member.id, bob.id);

const post = () =>
  data(
    fracti.createExpense({
      client: asAlice,
      path,
      headers: { "Idempotency-Key": `rent-${group.id}` },
      body: { amount: "90.00", description: "Rent", category: "rent" },
    }),
  );
const expense = await post();
assert.equal((await post()).id, expense.id);
assert.equal(expense.amount, 90);
await data(
  fracti.createExpense({
    client: asBob,
    path,
    body: {
      amount: 0.000000007,
      currency: "TON",
      description: "Gas",
      splitType: "exact",
      splits: [{ userId: alice.id, amount: "0.000000007" }],
    },
  }),
);

const debts = await data(fracti.getDebts({ client: asBob, path }));
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
  fracti.createSettlement({
    client: asBob,
    path,
    body: { toId: alice.id, amount: 45, currency: "EUR" },
  }),
);
assert.equal(payment.status, "pending");
const confirmed = await data(
  fracti.updateSettlement({
    client: asAlice,
    path: { ...path, settlementId: payment.id },
    body: { status: "completed" },
  }),
);
assert.equal(confirmed.status, "completed");
await data(
  fracti.createSettlement({
    client: asBob,
    path,
    body: { fromId: alice.id, toId: bob.id, amount: "0.000000007", currency: "TON" },
  }),
);
const settled = await data(fracti.getDebts({ client: asBob, path, query: { verify: true } }));
assert.deepEqual(settled.suggestedSettlements, []);
assert.deepEqual(
  settled.balances.map((node) => node.balances),
  [
    { EUR: 0, TON: 0 },
    { EUR: 0, TON: 0 },
  ],
);

const edited = await data(
  fracti.editExpense({
    client: asAlice,
    path: { ...path, expenseId: expense.id },
    body: { description: "Rent and heating", category: null },
  }),
);
assert.equal(edited.category, undefined);

const descriptions: string[] = [];
for (let cursor: string | undefined, more = true; more; ) {
  const query = cursor === undefined ? { limit: 1 } : { limit: 1, cursor };
  const { data: page, error } = await fracti.listExpenses({ client: asBob, path, query });
  assert.ok(page, JSON.stringify(error));
  descriptions.push(...page.data.map((item) => item.description));
  cursor = page.pagination.nextCursor;
  more = cursor !== undefined;
}
assert.deepEqual(descriptions, ["Gas", "Rent and heating"]);

const balance = await data(
  fracti.getLedgerBalance({ client: asBob, path, query: { userId: bob.id } }),
);
assert.deepEqual(
  balance.balances.map(({ currency, net }) => [currency, net]),
  [
    ["EUR", 0],
    ["TON", 0],
  ],
);
const entries = await data(
  fracti.listLedgerEntries({
    client: asBob,
    path,
    query: { order: "asc", from: group.createdAt },
  }),
);
assert.equal(entries[0]?.entryId, expense.id);

const options: fracti.ImportOptions = { members: { "Erik Blum": bob.id } };
const imported = await data(
  fracti.importFile({
    client: asAlice,
    path,
    body: {
      file: new Blob([readFileSync("docs/examples/splitwise.csv")]),
      options: JSON.stringify(options),
    },
  }),
);
assert.ok("errors" in imported);
assert.deepEqual([imported.errors, imported.members[1]?.match?.memberId], [[], bob.id]);

const me = await data(fracti.getMe({ client: asBob }));
assert.equal(me.id, bob.id);

const { error, response } = await fracti.getGroup({
  client: asBob,
  path: { groupId: unknownGroup },
});
assert.equal(response?.status, 404);
assert.ok(error && "error" in error && error.error === "GROUP_NOT_FOUND");
console.log("@hey-api/openapi-ts: the group is settled");
