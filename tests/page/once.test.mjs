// A form is sent once, whatever happens between the tap and the answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, ready, serve } from './harness.mjs';

const server = await serve();
const expenses = () => server.call('alice', 'GET', `/api/groups/${server.group}/expenses?limit=100`);
const named = async (name) => (await expenses()).filter((it) => it.description === name);
const POST = (url) => url.pathname === `/api/groups/${server.group}/expenses`;

async function form(name, options) {
  const page = await open(server, 'alice', `${server.path}/expenses/new`, options);
  await page.getByLabel('Amount', { exact: true }).fill('30');
  await page.getByLabel('What for').fill(name);
  return page;
}
const save = (page) => page.getByRole('button', { name: /^Save($| ·)/ });

test('a double tap records one expense', async () => {
  const page = await form('Double tap');
  await save(page).dblclick();
  await page.waitForURL(`**${server.path}`);
  assert.equal((await named('Double tap')).length, 1);
  assert.deepEqual(page.errors, []);
});

test('a lost answer is answered by a second try, and records one expense', async () => {
  const page = await form('Lost answer');
  let lost = 0;
  // The API has recorded it before the connection breaks.
  await page.route(POST, async (route) => {
    if (route.request().method() === 'POST' && lost++ === 0) {
      await route.fetch();
      return route.abort();
    }
    return route.continue();
  });
  await save(page).click();
  await page.getByText('Your entry is kept').waitFor();
  assert.equal(await page.getByLabel('What for').inputValue(), 'Lost answer');
  await save(page).click();
  await page.waitForURL(`**${server.path}`);
  assert.equal((await named('Lost answer')).length, 1);
});

test('an entry that is edited after a lost answer is not recorded a second time', async () => {
  const page = await form('Edited later');
  let lost = 0;
  await page.route(POST, async (route) => {
    if (route.request().method() === 'POST' && lost++ === 0) {
      await route.fetch();
      return route.abort();
    }
    return route.continue();
  });
  await save(page).click();
  await page.getByText('Your entry is kept').waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('31');
  await save(page).click();
  await page.getByText('The first try was recorded').waitFor();
  const recorded = await named('Edited later');
  assert.deepEqual(recorded.map((it) => it.amount), ['30']);
});

test('an expense that is saved offline is kept, and sent when the connection is back', async () => {
  const page = await form('Offline');
  await page.context().setOffline(true);
  await save(page).click();
  await page.getByText('Your entry is kept').waitFor();
  await page.context().setOffline(false);
  await save(page).click();
  await page.waitForURL(`**${server.path}`);
  assert.equal((await named('Offline')).length, 1);
});

test('a screen that was seen is shown without a connection, and one that was not can be tried again', async () => {
  const page = await open(server, 'alice', server.path);
  await page.getByRole('link', { name: 'Balances' }).click();
  await page.getByRole('heading', { name: 'Who pays whom' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Expenses' }).click();
  await page.getByText('this may be out of date').waitFor();
  await page.getByText('Cheese fondue').waitFor();
  await page.getByRole('link', { name: /^Add .*expense$/ }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'New expense' }).waitFor();
});

test('thirty double taps and broken connections record thirty expenses', { timeout: 300_000 }, async () => {
  const page = await open(server, 'dave', server.path);
  let breaks;
  // The connection breaks before the API has seen the request, or after it has recorded it.
  await page.route(POST, async (route) => {
    const how = route.request().method() === 'POST' ? breaks : undefined;
    breaks = undefined;
    if (how === 'after') await route.fetch();
    return how ? route.abort() : route.continue();
  });
  for (let run = 0; run < 30; run += 1) {
    await page.getByRole('link', { name: /^Add .*expense$/ }).click();
    await page.getByRole('heading', { name: 'New expense' }).waitFor();
    await page.waitForFunction(() => !document.querySelector('#progress:not([hidden])'));
    await page.getByLabel('Amount', { exact: true }).fill('3');
    await page.getByLabel('What for').fill(`Run ${run}`);
    breaks = [undefined, 'before', 'after'][run % 3];
    await save(page).dblclick();
    if (run % 3) {
      // The second tap may have been the second try already, which is recorded.
      const isKept = await page.getByText('Your entry is kept').waitFor({ timeout: 3000 }).then(() => true, () => false);
      if (isKept) await save(page).dblclick({ timeout: 3000 }).catch(() => {});
    }
    await page.waitForURL(`**${server.path}`);
  }
  const recorded = await server.call('dave', 'GET', `/api/groups/${server.group}/expenses?limit=100&q=Run%20`);
  // A doubled one would leave no place for another.
  assert.equal(new Set(recorded.map((it) => it.description)).size, 30);
});

test('a slow answer shows a line, and the form stays busy', async () => {
  const page = await form('Slow');
  await page.route(POST, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await save(page).click();
  assert.equal(await save(page).getAttribute('aria-busy'), 'true');
  await save(page).click();
  await page.waitForURL(`**${server.path}`);
  assert.equal((await named('Slow')).length, 1);
});

test('two editors of one expense: the later one keeps what they typed, over the new version', async () => {
  const [expense] = await named('Slow');
  const path = `${server.path}/expenses/${expense.id}/edit`;
  const page = await open(server, 'alice', path);
  await server.call('alice', 'PUT', `/api/groups/${server.group}/expenses/${expense.id}`, { description: 'Slow food' });
  await page.getByLabel('Amount', { exact: true }).fill('29');
  await save(page).click();
  await page.getByText('Your entry is kept').waitFor();
  assert.equal(await page.getByLabel('What for').inputValue(), 'Slow food');
  assert.equal(await page.getByLabel('Amount', { exact: true }).inputValue(), '29');
  await save(page).click();
  await page.waitForURL(`**${server.path}/expenses/${expense.id}`);
  const [edited] = await named('Slow food');
  assert.equal(edited.amount, '29');
});

test('a deleted expense comes back by one tap', async () => {
  const [expense] = await named('Slow food');
  const page = await open(server, 'alice', `${server.path}/expenses/${expense.id}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(`**${server.path}`);
  await ready(page);
  assert.equal((await named('Slow food')).length, 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('[data-pages]').getByText('Slow food').waitFor();
  assert.equal((await named('Slow food')).length, 1);
});

test('an expired sign-in says what to do, and shows nothing of the group', async () => {
  const page = await open(server, 'alice', server.path);
  await page.route((url) => url.pathname.startsWith('/screens'), (route) => route.fulfill({
    status: 401, contentType: 'application/json', body: '{"success":false,"error":"SIGN_IN_AGAIN","message":"The init data has expired."}',
  }));
  await page.getByRole('link', { name: /^Add .*expense$/ }).click();
  await page.getByRole('heading', { name: 'Open Fracti again' }).waitFor();
});

test('without a sign-in the page says where to open it', async () => {
  const page = await open({ ...server, links: { nobody: `${server.api}/app` } }, 'nobody');
  await page.getByRole('heading', { name: 'Open Fracti in Telegram' }).waitFor();
});

test('errors are shown at their fields, past a member who is left out', async () => {
  const page = await form('Errors');
  await page.getByRole('radio', { name: '%' }).check();
  await page.getByLabel('Carol White shares it').uncheck();
  await page.getByRole('textbox', { name: 'Part of You' }).fill('50');
  await page.getByRole('textbox', { name: 'Part of Dave Brown' }).fill('-1');
  await page.getByRole('textbox', { name: 'Part of Bob Jones' }).fill('51');
  await page.getByRole('textbox', { name: 'Part of Grandma' }).fill('0');
  await save(page).click();
  const field = page.getByRole('textbox', { name: 'Part of Dave Brown' });
  await page.waitForFunction(() => document.querySelector('[aria-invalid]'));
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  const id = await field.getAttribute('aria-describedby');
  assert.match(await page.locator(`#${id}`).textContent(), /must not be negative/);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-invalid')), 'true');
  await field.fill('0');
  assert.equal(await field.getAttribute('aria-invalid'), null);
});

test('amounts may have a comma, and are added up', async () => {
  const page = await form('Sum');
  await page.getByLabel('Amount', { exact: true }).fill('12,50+7.5');
  await save(page).click();
  await page.waitForURL(`**${server.path}`);
  const [sum] = await named('Sum');
  assert.equal(sum.amount, '20');
  await ready(page);
});
