// The usual split of a group, and expenses that are divided by it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve } from './harness.mjs';

const server = await serve();

test('a couple sets 60 to 40 with food equally, and sees it in the next expense', { timeout: 60_000 }, async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'Flat', chatId: 'flat', currency: 'EUR' });
  await server.call('bob', 'POST', `/api/groups/${group.id}/join`, {});
  const path = `/app/groups/${group.id}`;
  const page = await open(server, 'alice', `${path}/settings`);
  await page.getByRole('link', { name: 'Usual split' }).click();
  await ready(page);
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const rule = page.locator('form > fieldset').first();
  await rule.getByLabel('Part of You').fill('60');
  await rule.getByLabel('Part of Bob').fill('40');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const food = page.locator('form > fieldset').nth(1);
  await food.getByLabel('Category').selectOption('food');
  for (const name of ['You take part', /Bob/]) await food.getByRole('checkbox', { name }).uncheck();
  // Nobody is left: it is said, and not saved.
  await food.getByText('Nobody in the group shares it').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  assert.deepEqual((await server.call('alice', 'GET', `/api/groups/${group.id}`)).defaultSplits ?? [], []);
  await food.getByRole('checkbox', { name: 'Also everybody else' }).check();
  assert.equal(await rule.locator('[data-who-shares]').textContent(), 'Today: You 60 of 100, Bob Jones 40 of 100');
  assert.equal(await rule.locator('option').first().textContent(), 'All other expenses');
  assert.equal(await food.locator('[data-who-shares]').textContent(), 'Today: You, Bob Jones – equally');
  // A member who shares as everybody else has a dash, and a tap gives them a part of their own.
  const bob = food.getByRole('checkbox', { name: /Bob/ });
  assert.ok(await bob.evaluate((it) => it.indeterminate && !it.checked));
  await bob.click();
  assert.ok(await bob.evaluate((it) => !it.indeterminate && it.checked));
  await bob.uncheck();
  await check(page, 'usual-split-filled');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { defaultSplits } = await server.call('alice', 'GET', `/api/groups/${group.id}`);
  assert.deepEqual(defaultSplits, [
    { splits: [{ userId: '123456789', weight: '60' }, { userId: '987654321', weight: '40' }] },
    { category: 'food', splits: [], others: '1' },
  ]);
  await page.goto(`${server.api}${path}/split`);
  await ready(page);
  await check(page, 'usual-split-saved');

  await page.goto(`${server.api}${path}/expenses/new`);
  await ready(page);
  assert.ok(await page.getByRole('radio', { name: 'As usual' }).isChecked());
  await page.locator('#amount').fill('25.01');
  await page.locator('#description').fill('Rent');
  const shares = () => page.locator('[data-of=usual] [data-share]').allTextContents();
  await page.waitForFunction(() => document.querySelector('[data-of=usual] [data-share]').textContent === '15.01');
  assert.deepEqual(await shares(), ['15.01', '10.00']);
  await page.locator('details summary', { hasText: 'Date, ' }).click();
  await page.locator('#category').selectOption('food');
  // It follows the category.
  await page.waitForFunction(() => document.querySelector('[data-of=usual] [data-share]').textContent.includes('12.50'));
  await check(page, 'new-expense-usual');
  await page.locator('#category').selectOption('rent');
  await page.waitForFunction(() => document.querySelector('[data-of=usual] [data-share]').textContent === '15.01');
  await page.locator('[data-main]').click();
  await page.getByText('Added').waitFor();
  const [made] = await server.call('alice', 'GET', `/api/groups/${group.id}/expenses`);
  assert.deepEqual(made.splits.map((it) => it.amount), ['15.01', '10']);
  assert.equal(made.splitType, 'shares');

  // An edit shows what was recorded.
  await page.goto(`${server.api}${path}/expenses/${made.id}/edit`);
  await ready(page);
  assert.equal(await page.getByRole('radio', { name: 'As usual' }).count(), 0);
  await page.context().close();
});

test('in Russian on a narrow screen, nobody is left and the form says so', { timeout: 60_000 }, async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'Дача', chatId: 'dacha', currency: 'EUR' });
  await server.call('bob', 'POST', `/api/groups/${group.id}/join`, {});
  await server.call('alice', 'PATCH', `/api/groups/${group.id}`, { defaultSplits: [{ splits: [{ userId: '987654321', weight: 2 }] }] });
  await server.call('bob', 'POST', `/api/groups/${group.id}/leave`, {});
  const page = await open(server, 'alice', `/app/groups/${group.id}/split`, { size: NARROW, language: 'ru', scheme: 'dark' });
  await page.getByText('Эти расходы не на кого делить').waitFor();
  await check(page, 'usual-split-past-ru');
  await page.goto(`${server.api}/app/groups/${group.id}/expenses/new`);
  await ready(page);
  await page.locator('#amount').fill('10');
  // The usual split is not proposed then, and says why once it is chosen.
  assert.ok(await page.getByRole('radio', { name: 'Поровну', exact: true }).isChecked());
  await page.getByRole('radio', { name: 'Как обычно' }).check();
  await page.waitForFunction(() => document.querySelector('[data-note]').textContent);
  assert.equal(await page.locator('[data-note]').textContent(), 'Никто из «Как обычно» сейчас не в группе: выберите другое деление.');
  await check(page, 'new-expense-nobody-ru');
  await page.context().close();
});
