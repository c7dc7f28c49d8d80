// Days and times by the clock of the device: what a form sends, and what lists say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve } from './harness.mjs';

const server = await serve();
const api = `/api/groups/${server.group}`;
const date = (page) => page.locator('input[name=date]');
const open_at = (at, timezoneId, path, more = {}) => open(server, 'alice', path, {
  timezoneId, before: (page) => page.clock.setFixedTime(new Date(at)), ...more,
});

// Moments around midnight and 04:00, and the day that it is there.
const MOMENTS = [
  ['2026-11-28T03:13:00Z', 'Asia/Tokyo', '2026-11-28', 'noon'],
  ['2026-11-27T18:59:00Z', 'Asia/Tokyo', '2026-11-27', '03:59'],
  ['2026-11-27T19:00:00Z', 'Asia/Tokyo', '2026-11-28', '04:00'],
  ['2026-11-28T04:30:00Z', 'America/Los_Angeles', '2026-11-27', '20:30, when it is the next day in UTC'],
  ['2026-11-28T08:30:00Z', 'America/Los_Angeles', '2026-11-27', '00:30'],
  ['2026-11-28T12:00:00Z', 'America/Los_Angeles', '2026-11-28', '04:00'],
  ['2026-11-27T18:20:00Z', 'Asia/Kathmandu', '2026-11-27', '00:05'],
  ['2026-11-27T22:14:00Z', 'Asia/Kathmandu', '2026-11-27', '03:59'],
  ['2026-11-27T22:15:00Z', 'Asia/Kathmandu', '2026-11-28', '04:00'],
  ['2026-11-28T00:30:00Z', 'UTC', '2026-11-27', '00:30'],
  // The clock of the night goes from 02:00 to 03:00, and back from 03:00 to 02:00.
  ['2026-03-29T02:30:00Z', 'Europe/Berlin', '2026-03-29', '04:30 of a short night'],
  ['2026-10-25T02:59:00Z', 'Europe/Berlin', '2026-10-24', '03:59 of a long night'],
];

test('forms are filled with the day that it is where the reader is', { timeout: 180_000 }, async () => {
  for (const [at, zone, day, name] of MOMENTS) {
    for (const path of ['/expenses/new', '/settle']) {
      const page = await open_at(at, zone, server.path + path);
      assert.equal(await date(page).inputValue(), day, `${zone}, ${name}: ${path}`);
      await page.context().close();
    }
  }
});

test('an expense, a payment, a question and a spending are sent with that day', { timeout: 120_000 }, async () => {
  const [at, zone] = ['2026-11-28T04:30:00Z', 'America/Los_Angeles'];
  const page = await open_at(at, zone, `${server.path}/expenses/new`);
  await page.getByLabel('Amount', { exact: true }).fill('30');
  await page.getByLabel('What for').fill('Dinner at 20:30');
  await page.getByRole('button', { name: /^Save($| ·)/ }).click();
  await page.waitForURL(`**${server.path}`);
  const [expense] = await server.call('alice', 'GET', `${api}/expenses?limit=1`);
  assert.deepEqual([expense.description, expense.date], ['Dinner at 20:30', '2026-11-27']);
  await ready(page);
  const headings = await page.locator('h2.day').allTextContents();
  // The other expenses may be of a later day than it is here.
  assert.ok(headings.includes('Today'), headings.join());

  await page.goto(`${server.api}${server.path}/settle?to=987654321&amount=1&currency=EUR`);
  await ready(page);
  await page.getByRole('button', { name: 'Record payment' }).click();
  await page.waitForURL('**/balances');
  const [payment] = await server.call('alice', 'GET', `${api}/settlements?limit=1`);
  assert.equal(payment.date, '2026-11-27');

  await page.goto(`${server.api}${server.path}/questions/new`);
  await ready(page);
  assert.equal(await page.locator('[name="receipt.date"]').inputValue(), '2026-11-27');

  await page.goto(`${server.api}/app/me`);
  await ready(page);
  await page.getByRole('link', { name: 'My spending' }).click();
  await page.waitForURL('**/me/days?of=2026-11-27');
  await page.getByRole('link', { name: 'Add spending' }).click();
  await page.waitForURL('**/me/days/2026-11-27');
  await page.getByRole('heading', { name: 'Today' }).waitFor();

  // In Latest, the expense has the day that the group says.
  await page.goto(`${server.api}/app/me`);
  await ready(page);
  const row = page.getByRole('link', { name: /Dinner at 20:30/ });
  assert.match(await row.textContent(), /Today · /);
  assert.deepEqual(page.errors, []);
});

test('the zone of the device is stored with the first write, and not over another', async () => {
  const targets = (name) => server.call(name, 'GET', '/api/users/me/targets');
  assert.equal((await targets('dave')).timeZone, undefined);
  const write = async (zone) => {
    const page = await open(server, 'dave', `${server.path}/expenses/new`, { timezoneId: zone });
    await page.getByLabel('Amount', { exact: true }).fill('3');
    await page.getByLabel('What for').fill(zone);
    await page.getByRole('button', { name: /^Save($| ·)/ }).click();
    await page.waitForURL(`**${server.path}`);
    await ready(page);
    await page.waitForFunction(() => Object.keys(localStorage).some((it) => it.endsWith(':zone')));
    await page.context().close();
  };
  await write('Asia/Kathmandu');
  assert.match((await targets('dave')).timeZone, /^Asia\/(Kathmandu|Katmandu)$/);
  await write('America/Los_Angeles');
  assert.match((await targets('dave')).timeZone, /^Asia\//);
});

test('days and moments are those of the device, and the server says that its are UTC', async () => {
  const expenses = await server.call('alice', 'GET', `${api}/expenses`);
  const fondue = expenses.find((it) => it.description === 'Cheese fondue');
  const path = `${server.path}/expenses/${fondue.id}`;
  const recorded = new Date(fondue.createdAt);
  for (const timezoneId of ['Asia/Tokyo', 'America/Los_Angeles', 'Asia/Kathmandu', 'UTC']) {
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezoneId, hour: '2-digit', minute: '2-digit' }).format(recorded);
    const year = (moment) => new Intl.DateTimeFormat('en', { timeZone: timezoneId, year: 'numeric' }).format(moment);
    const day = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezoneId, day: 'numeric', month: 'short', year: year(recorded) === year(recorded.getTime() + 3 * 864e5) ? undefined : 'numeric',
    }).format(recorded);
    // The same moment is today, yesterday, and then has its date.
    for (const [later, expected] of [[60e3, 'today'], [864e5, 'yesterday'], [3 * 864e5, day]]) {
      const page = await open_at(recorded.getTime() + later, timezoneId, path);
      const text = (await page.locator('.hero small').textContent()).replaceAll('\u00a0', ' ');
      assert.ok(text.includes(`, ${expected}, ${clock}`), `${timezoneId}: ${expected}, ${clock} in ${text}`);
      await page.context().close();
    }
  }
  const raw = await fetch(`${server.api}/screens${path.slice(4)}`, { headers: { authorization: `tma ${server.token('alice')}` } });
  assert.match(await raw.text(), /<time datetime="[^"]+Z">[^<]+UTC<\/time>/);
  // A day is yesterday from 04:00 on, and today before.
  for (const [at, expected] of [['2026-11-28T03:59:00Z', 'Today'], ['2026-11-28T04:00:00Z', 'Yesterday']]) {
    const made = await server.call('alice', 'POST', `${api}/expenses`, { amount: 1, description: `Late, ${expected}`, date: '2026-11-27' });
    const page = await open_at(at, 'UTC', `${server.path}/expenses/${made.id}`);
    assert.match(await page.locator('.hero .hint').first().textContent(), new RegExp(expected.toLowerCase()), at);
    await page.context().close();
  }
  const ru = await open_at('2026-11-28T03:59:00Z', 'UTC', server.path, { language: 'ru' });
  await ru.getByRole('heading', { name: 'Сегодня' }).first().waitFor();
  // The heading above moments says what they say, also between midnight and 04:00.
  for (const clock of ['T00:30:00Z', 'T04:30:00Z']) {
    const page = await open_at(`${new Date(recorded.getTime() + 864e5).toISOString().slice(0, 10)}${clock}`, 'UTC', `${server.path}/changes`);
    const heading = page.locator('h2.day').first();
    const below = await page.locator('h2.day + ul li time').first().innerText();
    assert.equal(await heading.innerText(), 'Yesterday', clock);
    assert.match(below, /^Yesterday, /, clock);
  }
});

test('between midnight and 04:00, a date says that its day goes on', async () => {
  for (const [at, language, words] of [['T01:26:00Z', 'en', /Until 4:00, the night counts as the day before/], ['T01:26:00Z', 'ru', /До 4:00 ночь относится к прошедшему дню/], ['T12:00:00Z', 'en', undefined]]) {
    const page = await open_at(`2026-11-28${at}`, 'UTC', `${server.path}/settle`, { language });
    assert.equal(await date(page).inputValue(), words ? '2026-11-27' : '2026-11-28');
    await page.waitForFunction(() => document.querySelector('[data-ahead]'));
    if (words) await page.getByText(words).waitFor();
    else assert.equal(await page.locator('[data-ahead]').first().textContent(), '');
    if (words) await check(page, `night-${language}`);
    await page.context().close();
  }
});

test('a date ahead says that it counts at once', async () => {
  const page = await open_at('2026-11-28T12:00:00Z', 'UTC', `${server.path}/expenses/new`, { size: NARROW });
  await page.locator('details summary', { hasText: 'Date, ' }).click();
  await date(page).fill('2026-11-29');
  await page.getByText('Counts now, not from that day on').waitFor();
  await check(page, 'date-ahead');
  await date(page).fill('2026-11-28');
  await page.getByText('Counts now').waitFor({ state: 'detached' }).catch(() => {});
  assert.equal(await page.getByText('Counts now').count(), 0);
});

test('payer and payee keep their places beside names from right to left', async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'חופשה', chatId: '71', currency: 'EUR' });
  const noa = await server.call('alice', 'POST', `/api/groups/${group.id}/members`, { name: 'נועה' });
  await server.call('alice', 'POST', `/api/groups/${group.id}/expenses`, {
    amount: 50, description: 'ארוחה', payerId: noa.id, splits: [{ userId: '123456789' }],
  });
  for (const [extra, isLeft] of [['', true], ['&direction=he', false]]) {
    const page = await open(server, 'alice', `/app/groups/${group.id}/balances`, { extra });
    const row = page.locator('.transfer .pair');
    const places = await row.evaluate((it) => [...it.children].map((part) => part.getBoundingClientRect().left));
    const sorted = places.toSorted((a, b) => (isLeft ? a - b : b - a));
    assert.deepEqual(places, sorted, 'payer, arrow, payee');
    const mirrored = await row.locator('.arrow').evaluate((it) => getComputedStyle(it).transform);
    assert.equal(mirrored === 'none', isLeft, mirrored);
    await check(page, `rtl-names-${isLeft ? 'ltr' : 'rtl'}`);
  }
  // On every screen of a mirrored page, whose sentences are English, too.
  for (const [path, count] of [[`${server.path}/changes`, 1], [`${server.path}/balances`, 6], [`${server.path}/settlements`, 1], ['/app/me/friends/987654321', 1]]) {
    const page = await open(server, 'alice', path, { extra: '&direction=ar' });
    for (const fold of await page.locator('summary').all()) await fold.click();
    const pairs = await page.locator('.pair').evaluateAll((all) => all.map((it) => {
      const left = (node) => { const range = document.createRange(); range.selectNode(node); return range.getBoundingClientRect().left };
      return [left(it.firstChild), left(it.querySelector('.arrow')), left(it.lastChild), getComputedStyle(it.querySelector('.arrow')).transform];
    }));
    assert.ok(pairs.length >= count, `${path} has ${pairs.length}`);
    for (const [from, arrow, to, transform] of pairs.filter(([from]) => from > 0)) {
      assert.ok(from > arrow && arrow > to && transform.startsWith('matrix(-1'), `${path}: ${[from, arrow, to, transform]}`);
    }
  }
});

test('on a page from right to left, bars and charts are mirrored, and their words are not', async () => {
  const page = await open(server, 'alice', `${server.path}/balances`, { extra: '&direction=ar' });
  const flips = (selector) => page.locator(selector).first().evaluate((it) => getComputedStyle(it).transform);
  assert.equal(await flips('.bar'), 'matrix(-1, 0, 0, 1, 0, 0)');
  await page.goto(`${server.api}${server.path}/stats`);
  await ready(page);
  assert.equal(await flips('.flows'), 'matrix(-1, 0, 0, 1, 0, 0)');
  assert.equal(await flips('.flows text'), 'matrix(-1, 0, 0, 1, 0, 0)');
  await check(page, 'stats-rtl');
  await page.context().close();
});

test('a budget takes the zone of the device by a tap', async () => {
  const { version } = await server.call('dave', 'GET', '/api/users/me/targets');
  await server.call('dave', 'PATCH', '/api/users/me/targets', { version, timeZone: 'Asia/Tokyo' });
  const page = await open(server, 'dave', '/app/me/budgets', { timezoneId: 'Europe/Berlin' });
  assert.equal(await page.locator('#zone').inputValue(), 'Asia/Tokyo');
  await check(page, 'budgets-zone');
  await page.getByRole('button', { name: 'Use Europe/Berlin' }).click();
  assert.equal(await page.locator('#zone').inputValue(), 'Europe/Berlin');
  await page.context().close();
});
