// Every screen, in both colour schemes, on phones and at a desk, in both languages, and mirrored.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DESK, NARROW, PHONE, check, open, ready, serve, shots } from './harness.mjs';

const server = await serve();
const at = (path) => `${server.path}${path}`;
const [question] = await server.call('alice', 'GET', `/api/groups/${server.group}/questions`);
const expenses = await server.call('alice', 'GET', `/api/groups/${server.group}/expenses`);
const pizzeria = expenses.find((it) => it.description === 'Pizzeria');
const payment = await server.call('bob', 'POST', `/api/groups/${server.group}/settlements`, { toId: '123456789', amount: 5, note: 'In cash' });
const other = await server.call('dave', 'POST', '/api/groups', { title: 'Flat', chatId: '7', currency: 'EUR' });
const topUp = await server.call('alice', 'POST', '/api/users/me/funds/credits', { fund: 'cash', currency: 'EUR', amount: 50, description: 'Bank' });
await server.call('alice', 'POST', '/api/users/me/spendings', { title: 'Coffee', amount: '3.50', currency: 'EUR', category: 'food', userDate: '2026-11-20' });
await server.call('alice', 'PATCH', '/api/users/me/targets', { version: 1, currency: 'EUR', total: 900, food: 300 });
const SCREENS = {
  home: '/app',
  group: at(''),
  balances: at('/balances'),
  'new-expense': at('/expenses/new'),
  'like-expense': at(`/expenses/new?from=${pizzeria.id}`),
  expense: at(`/expenses/${pizzeria.id}`),
  'edit-expense': at(`/expenses/${pizzeria.id}/edit`),
  questions: at('/questions'),
  ask: at('/questions/new'),
  'ask-choice': at('/questions/new?type=multiple_choice'),
  receipt: at(`/questions/${question.id}`),
  expenses: at('/expenses'),
  deleted: at('/expenses?deleted=true'),
  settle: at('/settle?to=456789123&amount=6&currency=TON'),
  settlements: at('/settlements'),
  payment: at(`/settlements/${payment.id}`),
  more: at('/more'),
  members: at('/members'),
  settings: at('/settings'),
  split: at('/split'),
  join: `/app/join/${other.id}`,
  welcome: at('/welcome'),
  stats: at('/stats'),
  ledger: at('/ledger'),
  statement: at('/ledger/123456789'),
  changes: at('/changes'),
  points: at('/points'),
  import: at('/import'),
  export: at('/export'),
  me: '/app/me',
  days: '/app/me/days',
  day: '/app/me/days/2026-11-20',
  budgets: '/app/me/budgets',
  notifications: '/app/me/notifications',
  tokens: '/app/me/tokens',
  funds: '/app/me/funds',
  transaction: `/app/me/funds/${topUp.id}`,
  friends: '/app/me/friends',
  friend: '/app/me/friends/987654321',
};

const LOOKS = {
  'phone-light': { size: PHONE, scheme: 'light' },
  'phone-dark-ru': { size: PHONE, scheme: 'dark', language: 'ru' },
  'narrow-rtl': { size: NARROW, extra: '&direction=ar', deviceScaleFactor: 1 },
  'desk-light': { size: DESK, deviceScaleFactor: 1 },
};

test('the operator\'s work, phone-light', async () => {
  const page = await open(server, 'dave', '/app/funds/work');
  await check(page, 'work-phone-light');
  await page.context().close();
});

// Most of the time of each is waiting for a quiet network.
describe('screens', { concurrency: 3 }, () => {
  for (const [screen, path] of Object.entries(SCREENS)) {
    for (const [look, options] of Object.entries(LOOKS)) {
      test(`${screen}, ${look}`, async () => {
        const page = await open(server, 'alice', path, options);
        // Both colour schemes and both directions are examined.
        await check(page, `${screen}-${look}`, { examined: /dark|rtl/.test(look) });
        await page.context().close();
      });
    }
  }
});

test('text of twice its size neither leaves the screen nor is cut off', { timeout: 120_000 }, async () => {
  const page = await open(server, 'alice', '/app');
  for (const [screen, path] of Object.entries(SCREENS)) {
    await page.goto(`${server.api}${path}`);
    await ready(page);
    await page.evaluate(() => { document.documentElement.style.fontSize = '34px' });
    await page.screenshot({ path: `${shots}large-${screen}.png`, fullPage: true });
    const found = await page.evaluate(() => {
      const cut = [...document.querySelectorAll('main *')].filter((it) => it.clientWidth > 1 && it.scrollWidth > it.clientWidth + 1
        && getComputedStyle(it).overflowX !== 'visible' && !it.matches('input, select, textarea'));
      return [document.documentElement.scrollWidth - innerWidth > 0 && 'sideways', ...cut.map((it) => it.outerHTML.slice(0, 90))].filter(Boolean);
    });
    assert.deepEqual(found, [], screen);
  }
});

test('long amounts and names stay on a narrow screen', { timeout: 120_000 }, async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: `Trip ${'of a long name '.repeat(5)}`, chatId: 'long', currency: 'IDR' });
  for (const name of ['bob', 'carol', 'dave']) await server.call(name, 'POST', `/api/groups/${group.id}/join`, {});
  const { id } = await server.call('bob', 'POST', `/api/groups/${group.id}/expenses`, { amount: '1925925926141.10', description: 'Island' });
  const screens = ['/app', '/app/me', ...['', '/balances', `/expenses/${id}`, '/stats', '/ledger', '/ledger/987654321', '/members', '/expenses'].map((it) => `/app/groups/${group.id}${it}`)];
  for (const size of [NARROW, PHONE]) {
    const page = await open(server, 'alice', '/app', { size, deviceScaleFactor: 1 });
    for (const path of screens) {
      await page.goto(`${server.api}${path}`);
      await ready(page);
      await page.screenshot({ path: `${shots}long-${size.width}-${screens.indexOf(path)}.png`, fullPage: true });
      const found = await page.evaluate(() => {
        const out = [...document.querySelectorAll('.card .num, .card .big, .card .name')].filter((it) => {
          const [own, card] = [it, it.closest('.card')].map((one) => one.getBoundingClientRect());
          return own.right > card.right || own.left < card.left;
        });
        const letters = [...document.querySelectorAll('.card .name')].filter((it) => it.textContent.length > 2 && it.getBoundingClientRect().width < 24 && it.getBoundingClientRect().width > 0);
        return [document.documentElement.scrollWidth > innerWidth && 'sideways', ...[...out, ...letters].map((it) => it.outerHTML.slice(0, 90))].filter(Boolean);
      });
      assert.deepEqual(found, [], `${path} at ${size.width}`);
    }
    await page.context().close();
  }
  await server.call('alice', 'PATCH', `/api/groups/${group.id}`, { archived: true });
});
