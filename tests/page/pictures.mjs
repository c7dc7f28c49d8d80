// Makes the pictures of the README from the real page.

import { test } from 'node:test';
import { PHONE, open, serve } from './harness.mjs';

const server = await serve();
const folder = new URL('../../docs/pictures/', import.meta.url).pathname;
const [question] = await server.call('alice', 'GET', `/api/groups/${server.group}/questions`);
const expenses = await server.call('alice', 'GET', `/api/groups/${server.group}/expenses`);
const pizzeria = expenses.find((it) => it.description === 'Pizzeria').id;
const claims = `/api/groups/${server.group}/questions/${question.id}/claims`;
await server.call('bob', 'PUT', claims, { items: [{ item: 0 }, { item: 2, count: 2 }] });
await server.call('carol', 'PUT', claims, { items: [{ item: 0 }, { item: 1 }] });

for (const [name, scheme, path] of [
  ['group-light', 'light', ''],
  ['balances-dark', 'dark', '/balances'],
  ['receipt-light', 'light', `/expenses/new?from=${pizzeria}`],
  ['claims-dark', 'dark', `/questions/${question.id}`],
]) {
  test(name, async () => {
    const page = await open(server, 'alice', server.path + path, { size: PHONE, scheme, deviceScaleFactor: 1.5 });
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${folder}${name}.png` });
  });
}
