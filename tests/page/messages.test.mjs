// Messages of the bot: turned on, set, and turned off again, and what a reader sees where there are none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve } from './harness.mjs';

const server = await serve({ FRACTI_TELEGRAM: '1' });
const api = '/api/users/me/subscription';
const said = (page, text) => page.locator('#status').getByText(text).waitFor();

// Telegram asks the reader whether the bot may write to them.
const telegram = (answer) => (context) => context.route('https://telegram.org/js/telegram-web-app.js', (route) => route.fulfill({
  contentType: 'text/javascript',
  body: `window.asked = 0; window.Telegram = { WebApp: { ready() {}, expand() {}, onEvent() {}, isVersionAtLeast: () => true, platform: 'ios', themeParams: {},
    requestWriteAccess(done) { window.asked += 1; done(${answer}) } } };`,
}));

test('messages are turned on, set and turned off', { timeout: 60_000 }, async () => {
  const page = await open(server, 'bob', '/app/me', { telegram: telegram(true), extra: '&tgWebAppPlatform=ios' });
  await page.getByRole('link', { name: 'Messages in Telegram' }).click();
  await ready(page);
  await check(page, 'messages-off');
  await page.getByRole('button', { name: 'Turn on messages' }).click();
  await said(page, 'Messages are on');
  assert.equal(await page.evaluate(() => window.asked), 1, 'the bot may write only if Telegram asked');
  await ready(page);
  const { active, minIntervalMinutes, topics, language } = await server.call('bob', 'GET', api);
  assert.deepEqual([active, minIntervalMinutes, topics, language], [true, 30, ['expenses', 'settlements', 'questions'], 'en']);

  await page.getByLabel('How often').selectOption({ label: 'at most once an hour' });
  await page.getByLabel('Payments').uncheck();
  await page.getByLabel('From', { exact: true }).selectOption('22');
  await page.getByLabel('To', { exact: true }).selectOption('8');
  await page.getByText('Groups that messages are about').click();
  assert.ok(await page.getByLabel('Alps 2026').isChecked(), 'a tick means messages');
  await page.getByLabel('Alps 2026').uncheck();
  await check(page, 'messages-on');
  await page.getByRole('button', { name: 'Save' }).click();
  await said(page, 'Saved');
  await ready(page);
  const set = await server.call('bob', 'GET', api);
  assert.deepEqual([set.minIntervalMinutes, set.topics, set.quietHours, set.mutedGroups.length], [60, ['expenses', 'questions'], { from: 22, to: 8 }, 1]);
  assert.equal(await page.getByLabel('How often').inputValue(), '60');
  assert.ok(!await page.getByLabel('Payments').isChecked());

  // A mistake names the field, and changes nothing.
  await page.getByLabel('To', { exact: true }).selectOption('22');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('two different hours').first().waitFor();
  assert.deepEqual((await server.call('bob', 'GET', api)).quietHours, { from: 22, to: 8 });

  await page.getByRole('button', { name: 'Turn off messages' }).click();
  await said(page, 'Messages are off');
  assert.equal((await server.call('bob', 'GET', api)).active, false);
});

test('the screen speaks Russian on a narrow phone from right to left', async () => {
  await server.call('carol', 'PUT', api, {});
  const page = await open(server, 'carol', '/app/me/notifications', { size: NARROW, language: 'ru', scheme: 'dark', extra: '&direction=ar' });
  await page.getByText('Бот пишет вам').waitFor();
  await check(page, 'messages-ru');
});

test('a deployment without messages says so, and has no link to them', async () => {
  const silent = await serve();
  const page = await open(silent, 'bob', '/app/me');
  assert.equal(await page.getByRole('link', { name: 'Messages in Telegram' }).count(), 0);
  await page.goto(`${silent.api}/app/me/notifications`);
  await page.getByText('are not set up here').waitFor();
  await check(page, 'messages-none');
});

test('the bot is added to a chat of a group in its settings', async () => {
  const page = await open(server, 'alice', `${server.path}/settings`);
  const link = await page.getByRole('button', { name: 'Add the bot to a chat' }).getAttribute('data-open');
  assert.match(link, new RegExp(`^https://t.me/\\w+\\?startgroup=${server.group}$`));
  await page.context().close();
});
