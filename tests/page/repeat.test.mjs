// Expenses that repeat: made in the form of a new expense, skipped, paused, mended and deleted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve } from './harness.mjs';

const server = await serve({ FRACTI_KEEPER: '1' });
const day = (away) => new Date(Date.now() + away * 864e5).toISOString().slice(0, 10);
const fresh = async (title) => {
  const group = await server.call('alice', 'POST', '/api/groups', { title, chatId: title, currency: 'EUR' });
  await server.call('bob', 'POST', `/api/groups/${group.id}/join`, {});
  return { id: group.id, path: `/app/groups/${group.id}`, api: `/api/groups/${group.id}` };
};
const said = (page, text) => page.locator('#status').getByText(text).waitFor();

test('rent is made monthly, skipped once, paused, and goes on', { timeout: 90_000 }, async () => {
  const group = await fresh('Flat');
  const page = await open(server, 'alice', `${group.path}/more`);
  await page.getByRole('link', { name: 'Repeating' }).click();
  await ready(page);
  await page.getByText('Nothing repeats yet').waitFor();
  await check(page, 'repeating-none');
  await page.getByRole('link', { name: 'Add expense' }).click();
  await ready(page);
  await page.locator('#amount').fill('900');
  await page.locator('#description').fill('Rent');
  await page.getByRole('radio', { name: 'By shares' }).check();
  await page.locator('[name="splits[0].weight"]').fill('2');
  await page.locator('details summary', { hasText: 'Date, ' }).click();
  assert.ok(await page.locator('#until').isHidden(), 'the end is asked once it repeats');
  await page.locator('#date').fill(day(3));
  await page.locator('#repeat').selectOption('month 1');
  await page.locator('#until').fill(day(300));
  assert.match(await page.locator('[data-main]').innerText(), / · monthly from \d+ \w+ 20\d\d$/);
  await check(page, 'new-expense-repeats');
  await page.locator('[data-main]').click();
  await page.waitForURL(/schedules$/);
  await ready(page);
  const [made] = await server.call('alice', 'GET', `${group.api}/schedules`);
  assert.equal(made.repeat.every, 'month');
  assert.deepEqual([made.repeat.start, made.repeat.until], [day(3), day(300)]);
  assert.equal(made.repeat.timeZone, await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone));
  assert.deepEqual(made.expense.splits.map((it) => it.amount), ['600', '300']);
  assert.equal((await server.call('alice', 'GET', `${group.api}/expenses`)).length, 0, 'no expense today');
  await check(page, 'repeating-list');

  await page.getByRole('link', { name: /^Rent/ }).click();
  await ready(page);
  await check(page, 'repeating');
  await page.getByRole('button', { name: /^Skip / }).click();
  await said(page, 'Skipped: ');
  await ready(page);
  assert.deepEqual((await server.call('alice', 'GET', `${group.api}/schedules/${made.id}`)).skips, [day(3)]);
  await check(page, 'repeating-skips');
  await page.locator('#status').getByRole('button', { name: 'Undo' }).click();
  await said(page, 'Taken back');
  await ready(page);
  assert.deepEqual((await server.call('alice', 'GET', `${group.api}/schedules/${made.id}`)).skips ?? [], []);
  await page.getByRole('button', { name: /^Skip / }).click();
  await said(page, 'Skipped: ');
  await ready(page);
  await page.getByRole('button', { name: 'Do not skip' }).click();
  await said(page, 'Saved');
  await ready(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await said(page, 'Paused');
  await ready(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await said(page, 'It goes on');
  await ready(page);

  // Only the amount is changed, so the dates and the skips stay.
  await page.getByRole('button', { name: /^Skip / }).click();
  await said(page, 'Skipped: ');
  await ready(page);
  await page.getByRole('link', { name: 'Edit' }).click();
  await ready(page);
  await page.locator('#amount').fill('960');
  await page.locator('[data-main]').click();
  await page.waitForURL(new RegExp(`schedules/${made.id}$`));
  await ready(page);
  const edited = await server.call('alice', 'GET', `${group.api}/schedules/${made.id}`);
  assert.deepEqual([edited.expense.amount, edited.skips, edited.repeat], ['960', [day(3)], made.repeat]);
  assert.deepEqual(edited.expense.splits.map((it) => it.amount), ['640', '320']);
  page.on('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/schedules$/);
  assert.deepEqual(await server.call('alice', 'GET', `${group.api}/schedules`), []);
  await page.context().close();
});

test('one who has left pauses it, and the page says who in Russian', { timeout: 90_000 }, async () => {
  const group = await fresh('Дача');
  const made = await server.call('alice', 'POST', `${group.api}/schedules`, {
    expense: { amount: 30, description: 'Интернет', splits: [{ userId: '123456789' }, { userId: '987654321' }], payerId: '123456789' }, repeat: { every: 'week', start: day(2) },
  });
  await server.call('bob', 'POST', `${group.api}/leave`, {});
  // It is due at once, and the keeper may record it before the next line: Bob has left by then.
  await server.call('alice', 'POST', `${group.api}/schedules`, { expense: { amount: 7, description: 'Вода', splitType: 'equal' }, repeat: { every: 'week', interval: 2, count: 1, start: day(-1) } });
  const page = await open(server, 'alice', `${group.path}/schedules`, { language: 'ru', scheme: 'dark', size: NARROW });
  await server.call('alice', 'PUT', `${group.api}/schedules/${made.id}`, { repeat: { every: 'week', start: day(-1) } });
  // The keeper of the server runs each second.
  for (let tries = 0; tries < 40; tries += 1) {
    if ((await server.call('alice', 'GET', `${group.api}/schedules/${made.id}`)).problem) break;
    await page.waitForTimeout(500);
  }
  await page.goto(`${server.api}${group.path}/schedules`);
  await ready(page);
  await page.getByText('нужно исправить').waitFor();
  await check(page, 'repeating-paused-ru');
  await page.getByText('Интернет').click();
  await ready(page);
  await check(page, 'repeating-problem-ru');
  assert.match(await page.locator('.hero').innerText(), /Bob Jones больше не в группе/);
  // Saving what puts it right lets it go on.
  await page.getByRole('link', { name: 'Изменить' }).click();
  await ready(page);
  await page.locator('.shares [data-counts][value="987654321"]').uncheck();
  await check(page, 'repeating-edit-ru');
  await page.locator('[data-main]').click();
  await page.waitForURL(new RegExp(`schedules/${made.id}$`));
  for (let tries = 0; tries < 40; tries += 1) {
    if ((await server.call('alice', 'GET', `${group.api}/schedules/${made.id}`)).lastDate === day(-1)) break;
    await page.waitForTimeout(500);
  }
  const mended = await server.call('alice', 'GET', `${group.api}/schedules/${made.id}`);
  assert.deepEqual([mended.status, mended.problem, mended.lastDate], ['active', undefined, day(-1)]);
  await page.goto(`${server.api}${group.path}`);
  await ready(page);
  await page.getByText('Вода').first().click();
  await ready(page);
  await page.getByRole('link', { name: 'Повторялся раз в 2 недели, больше не повторяется' }).waitFor();
  await check(page, 'expense-repeats-ru');
  await page.goto(`${server.api}${group.path}/changes`);
  await ready(page);
  await check(page, 'changes-repeats-ru');
  await page.context().close();
});
