// Paying what is owed, statements, a friend, deleted expenses, and taking things back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve, tap } from './harness.mjs';

const server = await serve();
const at = (path) => `${server.path}${path}`;
const plain = (text) => text.replaceAll('\u00a0', ' ');
const said = async (page) => plain(await page.locator('#status').innerText());
const tells = (page, words) => page.locator('#status', { hasText: words }).waitFor({ timeout: 5000 });
const pair = async (title) => {
  const group = await server.call('alice', 'POST', '/api/groups', { title, chatId: title, currency: 'EUR' });
  await server.call('bob', 'POST', `/api/groups/${group.id}/join`, {});
  return { path: `/app/groups/${group.id}`, api: `/api/groups/${group.id}` };
};

test('the only payment of the plan opens filled in, and its state is said', async () => {
  for (const [language, settle, says] of [['en', 'Settle up', 'Payment of 15.00 EUR recorded. Alice Smith has to confirm it. Undo'], ['ru', 'Рассчитаться', 'Платёж 15,00 EUR записан. Ждём подтверждения: Alice Smith. Отменить']]) {
    const group = await pair(`Pay-${language}`);
    await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
    const page = await open(server, 'bob', group.path, { language });
    await tap(page, settle);
    await page.waitForURL(/settle\?/);
    assert.equal(await page.inputValue('#amount'), language === 'ru' ? '15,00' : '15.00');
    await page.locator('[data-main]').click();
    await page.waitForURL(/balances$/);
    await ready(page);
    assert.equal(await said(page), says);
    await check(page, `paid-${language}`);
    // What is on its way is not offered again.
    await page.goto(`${server.api}${group.path}`);
    await ready(page);
    assert.equal(await page.getByRole('link', { name: settle }).count(), 0);
    assert.match(plain(await page.locator('.hero').innerText()), language === 'en' ? /payments of 15\.00 EUR/ : /ваши платежи на 15,00 EUR/);
    await page.context().close();
  }
});

test('with several payments, those of the reader come first', async () => {
  const group = await pair('Several');
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 20, description: 'Tea', currency: 'GBP' });
  for (const [language, settle, first] of [['en', 'Settle up', 'Who pays whom'], ['ru', 'Рассчитаться', 'Кто кому платит']]) {
    const page = await open(server, 'bob', group.path, { language, size: NARROW });
    await tap(page, settle);
    await page.waitForURL(/balances$/);
    await page.getByRole('heading', { name: first }).waitFor();
    assert.equal(await page.locator('h2').first().innerText(), first);
    assert.equal(await page.locator('.transfer:visible').count(), 2);
    await check(page, `several-${language}`);
    await page.context().close();
  }
});

test('what was added or archived is taken back, by the keyboard, too', async () => {
  const group = await pair('Back');
  const page = await open(server, 'alice', `${group.path}/expenses/new`);
  await page.fill('#amount', '9');
  await page.fill('#description', 'Tea');
  await page.locator('[data-main]').click();
  await page.waitForSelector('.hero');
  assert.equal(await said(page), 'Added: Tea Undo');
  // It stays as long as it has the focus.
  await page.keyboard.press('Tab');
  for (let tabs = 0; tabs < 60 && !(await page.evaluate(() => document.activeElement.closest('#status'))); tabs += 1) await page.keyboard.press('Tab');
  await page.waitForTimeout(10_500);
  assert.equal(await said(page), 'Added: Tea Undo');
  await page.keyboard.press('Control+z');
  await page.getByText('No expenses yet').waitFor();
  assert.equal(await said(page), 'Taken back');
  await page.goto(`${server.api}${group.path}/settings`);
  await ready(page);
  await page.getByText('For all members: an archived group can be read, but not changed.').waitFor();
  await tap(page, 'Archive the group', { role: 'button' });
  await page.getByText('Take out of the archive').waitFor();
  await tap(page, 'Undo', { role: 'button' });
  await page.getByText('Archive the group').waitFor();
  await page.goto(`${server.api}${group.path}/members`);
  await ready(page);
  await page.getByText('Add a guest').click();
  await page.getByLabel('Name', { exact: true }).fill('Mum');
  await tap(page, 'Add', { role: 'button' });
  await page.getByText('Mum', { exact: true }).first().waitFor();
  await tap(page, 'Undo', { role: 'button' });
  await page.locator('main > ul').getByText('Mum', { exact: true }).waitFor({ state: 'detached' });
  // A member who was removed and restored is removed again.
  const dad = await server.call('alice', 'POST', `${group.api}/members`, { name: 'Dad' });
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 0.02, description: 'Gum', splits: [{ userId: dad.id }] });
  await server.call('alice', 'POST', `${group.api}/settlements`, { fromId: dad.id, toId: '123456789', amount: 0.02 });
  await server.call('alice', 'DELETE', `${group.api}/members/${dad.id}`);
  const isPresent = async () => (await server.call('alice', 'GET', group.api)).members.some((it) => it.id === dad.id && !it.removedAt);
  assert.equal(await isPresent(), false);
  await page.goto(`${server.api}${group.path}/members`);
  await ready(page);
  await page.locator('li', { hasText: 'Dad' }).getByRole('button', { name: 'Restore' }).click();
  await page.locator('#status').getByRole('button', { name: 'Undo' }).waitFor();
  assert.equal(await isPresent(), true);
  await tap(page, 'Undo', { role: 'button' });
  await page.locator('li', { hasText: 'Dad' }).getByRole('button', { name: 'Restore' }).waitFor();
  assert.equal(await isPresent(), false);
  await page.context().close();
});

test('a statement names what was bought and who paid', async () => {
  const group = await pair('Statement');
  const { id } = await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
  await server.call('alice', 'PUT', `${group.api}/expenses/${id}`, { amount: 40, description: 'Boat tour' });
  await server.call('alice', 'POST', `${group.api}/settlements`, { fromId: '987654321', toId: '123456789', amount: 5 });
  for (const [language, from, to] of [['en', 'Payment from Bob Jones', 'Payment to you'], ['ru', 'Платёж от Bob Jones', 'Платёж вам']]) {
    const page = await open(server, 'alice', `${group.path}/ledger/123456789`, { language });
    const names = async () => (await page.locator('.list .name').allTextContents()).map((it) => it.trim());
    const shown = await names();
    assert.ok(shown.includes(from), shown.join());
    assert.ok(shown.includes('Boat tour') && shown.includes('Boat'), shown.join());
    const balances = (await page.locator('.list small').allInnerTexts()).filter((it) => /^(balance|баланс) /.test(it));
    assert.equal(plain(balances[0]), language === 'en' ? 'balance +15.00 EUR' : 'баланс +15,00 EUR');
    await check(page, `statement-${language}`);
    await page.goto(`${server.api}${group.path}/ledger/987654321`);
    await ready(page);
    assert.ok((await names()).includes(to), (await names()).join());
    await page.context().close();
  }
});

test('a friend: first what is between the two', async () => {
  const group = await pair('Between');
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
  for (const [language, owes] of [['en', /Bob Jones owes you 15\.00 EUR\s*Between/], ['ru', /Bob Jones: долг перед вами 15,00 EUR\s*Between/]]) {
    const page = await open(server, 'alice', '/app/me/friends/987654321', { language });
    assert.match(plain(await page.locator('section').first().innerText()), owes);
    await check(page, `friend-${language}`);
    await page.context().close();
  }
  // One debt shown as two sums says why, at each of them.
  await server.call('bob', 'POST', `${group.api}/settlements`, { toId: '123456789', amount: 4 });
  for (const [language, paid, besides, waits] of [['en', '4.00 EUR paid, to be confirmed', 'left after 4.00 EUR paid, to be confirmed', 'waiting for your confirmation'], ['ru', 'платёж 4,00 EUR ещё не подтверждён', 'осталось после платежа 4,00 EUR, ещё не подтверждённого', 'ждёт вашего подтверждения']]) {
    const page = await open(server, 'alice', `${group.path}/balances`, { language, size: NARROW });
    const words = async () => plain(await page.locator('main').innerText());
    assert.ok((await words()).includes(besides), await words());
    assert.ok((await words()).includes(`\n${paid}`), await words());
    await check(page, `unconfirmed-${language}`);
    await page.goto(`${server.api}/app/me/friends/987654321`);
    await ready(page);
    assert.ok((await words()).includes(besides) && (await words()).includes(`\n${paid}`), await words());
    await page.getByRole('button', { name: language === 'en' ? 'Not received' : 'Не получено' }).first().waitFor();
    await check(page, `friend-unconfirmed-${language}`);
    await page.goto(`${server.api}${group.path}/settlements`);
    await ready(page);
    assert.match(await words(), new RegExp(waits));
    await page.context().close();
  }
  const bob = await open(server, 'bob', `${group.path}/settlements`);
  await bob.getByText('waiting for Alice Smith’s confirmation').waitFor();
  await bob.context().close();
  // Several debts are summed above them, in each currency.
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 8, description: 'Tea', currency: 'GBP' });
  for (const [language, sums] of [['en', /Total\s*you are owed [\d.]+ EUR\s*you are owed [\d.]+ GBP/], ['ru', /Итого\s*вам должны [\d,]+ EUR\s*вам должны [\d,]+ GBP/]]) {
    const page = await open(server, 'alice', '/app/me/friends/987654321', { language });
    assert.match(plain(await page.locator('section').first().innerText()), sums);
    await page.goto(`${server.api}/app/me/friends`);
    await ready(page);
    assert.match(plain(await page.locator('main').innerText()), language === 'en' ? /left after [\d.]+ EUR paid, to be confirmed/ : /осталось после платежа [\d,]+ EUR, ещё не подтверждённого/);
    await page.context().close();
  }
});

test('a deleted expense opens, says who deleted it, and is restored', async () => {
  const group = await pair('Deleted');
  const { id } = await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat', notes: 'At ten' });
  await server.call('alice', 'DELETE', `${group.api}/expenses/${id}`);
  for (const [language, says, restore] of [['en', /Deleted by you/, 'Restore'], ['ru', /Удалили вы/, 'Восстановить']]) {
    const page = await open(server, 'alice', `${group.path}/expenses?deleted=true`, { language });
    await page.getByRole('link', { name: /Boat/ }).click();
    await page.waitForSelector('h1:has-text("Boat")');
    assert.match(await page.locator('.hero').innerText(), says);
    assert.equal(await page.getByRole('link', { name: /^(Edit|Изменить)$/ }).count(), 0);
    await check(page, `deleted-one-${language}`);
    if (language === 'ru') {
      await tap(page, restore, { role: 'button' });
      await page.getByRole('link', { name: 'Изменить' }).waitFor();
      // It is taken back like any other.
      await page.locator('#status').getByRole('button', { name: 'Отменить' }).click();
      await page.waitForURL(/\/expenses$/);
      assert.deepEqual(await server.call('alice', 'GET', `${group.api}/expenses`), []);
    }
    await page.context().close();
  }
});

test('what was deleted meanwhile is recorded as new', async () => {
  const group = await pair('Anew');
  const { id } = await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
  const page = await open(server, 'alice', `${group.path}/expenses/${id}/edit`);
  await page.fill('#amount', '60');
  await server.call('alice', 'DELETE', `${group.api}/expenses/${id}`);
  await page.locator('[data-main]').click();
  await page.getByText('It was deleted meanwhile').waitFor();
  await check(page, 'gone');
  await page.waitForFunction(() => document.querySelector('[data-share]').textContent === '30.00');
  await tap(page, 'Record it as new', { role: 'button' });
  await page.waitForSelector('.hero');
  const [expense, ...others] = await server.call('alice', 'GET', `${group.api}/expenses`);
  assert.deepEqual([expense.amount, expense.description, others.length], ['60', 'Boat', 0]);
  await page.context().close();
});

test('a draft keeps each number with its member, although another one has left', async () => {
  const group = await pair('Draft');
  for (const name of ['Ana', 'Bea']) await server.call('alice', 'POST', `${group.api}/members`, { name });
  const page = await open(server, 'alice', `${group.path}/expenses/new`);
  await page.fill('#amount', '50');
  await page.locator('.segments label').nth(2).click();
  const number = (name) => page.locator('.shares [data-row]', { hasText: name }).locator('[name$=".amount"]');
  await number('Bea').fill('12');
  await page.waitForTimeout(500);
  const { members } = await server.call('alice', 'GET', group.api);
  await server.call('alice', 'DELETE', `${group.api}/members/${members.find((it) => it.name === 'Ana').id}`);
  await page.reload();
  await page.waitForSelector('.draft');
  assert.equal(await number('Bea').inputValue(), '12');
  assert.equal(await number('Bob').inputValue(), '');
  await page.context().close();
});

test('a discount is written below zero', async () => {
  const { id } = await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, {
    description: 'Lunch', splitType: 'itemized', items: [{ name: 'Soup', amount: 10 }, { kind: 'discount', name: 'Discount', amount: 4 }],
  });
  const page = await open(server, 'bob', at(`/expenses/${id}`));
  const line = page.locator('li', { hasText: 'Discount' }).first();
  assert.equal(plain(await line.innerText()).replace(/\s+/g, ' '), 'Discount by what each had −4.00 EUR');
  await page.context().close();
});

test('what was done is named', async () => {
  for (const [language, confirm, confirmed, gone, restore, back] of [
    ['en', 'Confirm', 'Payment of 15.00 EUR confirmed', 'Mum is no longer in the group', 'Restore', 'Mum is back in the group'],
    ['ru', 'Подтвердить', 'Платёж 15,00 EUR подтверждён', 'Mum больше не в группе', 'Восстановить', 'Mum снова в группе'],
  ]) {
    const group = await pair(`Named-${language}`);
    await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
    await server.call('bob', 'POST', `${group.api}/settlements`, { toId: '123456789', amount: 15 });
    await server.call('alice', 'POST', `${group.api}/members`, { name: 'Mum' });
    const page = await open(server, 'alice', group.path, { language });
    await tap(page, confirm, { role: 'button' });
    await tells(page, confirmed);
    await page.goto(`${server.api}${group.path}/members`);
    await ready(page);
    const row = page.locator('li', { hasText: 'Mum' });
    await row.locator('summary').click();
    await row.locator('.danger').click();
    await page.getByRole('dialog').getByRole('button').nth(1).click();
    await tells(page, gone);
    await tap(page, restore, { role: 'button' });
    await tells(page, back);
    await page.context().close();
  }
});

test('funds say what is there, who confirms, and whether payments count at once', async () => {
  const { members } = await server.call('carol', 'GET', `/api/groups/${server.group}`);
  const carol = members.find((it) => it.name.startsWith('Carol')).id;
  for (const [language, topUp, reported, asked, counts] of [
    ['en', 'Top up', 'Top-up of 50.00 EUR reported. The operator has to confirm it.', ['From now on, count it at once', 'waits for your confirmation'], ['From now on, ask me first', 'counts at once, without your confirmation']],
    ['ru', 'Пополнить', 'Пополнение 50,00 EUR записано. Его подтвердит оператор.', ['Впредь учитывать сразу', 'ждёт вашего подтверждения'], ['Впредь сначала спрашивать меня', 'учитывается сразу, без вашего подтверждения']],
  ]) {
    const page = await open(server, 'carol', '/app/me/funds', { language });
    await page.locator('summary', { hasText: topUp }).click();
    await page.fill('#top-up-amount', '50');
    await page.fill('#top-up-about', 'Bank');
    await page.locator('details[open] form .small-button').click();
    await tells(page, reported);
    await server.call('dave', 'POST', `/api/users/${carol}/funds/credits`, { fund: 'cash', currency: 'EUR', amount: '1', refId: `bank for carol, ${language}` });
    await page.goto(`${server.api}/app/me/funds`);
    await ready(page);
    // No payment counts unconfirmed until its recipient wants that.
    for (const [button, sentence] of [asked, counts]) {
      assert.ok((await page.locator('main').innerText()).includes(sentence), sentence);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('button', { name: button }).waitFor({ state: 'detached' });
      await ready(page);
    }
    // Nothing is available yet, and there is no card of nothing.
    assert.deepEqual(await page.locator('dl').evaluateAll((all) => all.filter((it) => !it.textContent.trim()).length), 0);
    await check(page, `funds-${language}`);
    await page.context().close();
  }
});

test('a payment is offered from funds only if they have enough', async () => {
  const { members } = await server.call('bob', 'GET', `/api/groups/${server.group}`);
  const bob = members.find((it) => it.name.startsWith('Bob')).id;
  const funds = { fund: 'cash', currency: 'EUR', amount: '20', refId: 'bank for bob' };
  const offered = async (amount) => {
    const page = await open(server, 'bob', `${server.path}/settle?amount=${amount}&currency=EUR`);
    await page.getByRole('heading', { name: 'Record payment' }).waitFor();
    const label = await page.locator('label.check', { hasText: 'funds' }).allInnerTexts();
    await page.context().close();
    return label.map((it) => it.replace(/\s+/g, ' ').trim());
  };
  assert.deepEqual(await offered('5'), []);
  await server.call('dave', 'POST', `/api/users/${bob}/funds/credits`, funds);
  assert.deepEqual(await offered('20'), ['Pay from my funds (20.00 EUR available)']);
  assert.deepEqual(await offered('20.01'), []);
});

test('balances in many currencies are shown one by one, the own first', async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'World', chatId: 'world', currency: 'EUR' });
  const guests = [];
  for (const name of ['Ana', 'Bea']) guests.push(await server.call('alice', 'POST', `/api/groups/${group.id}/members`, { name }));
  const codes = ['EUR', 'USD', 'GBP', 'JPY', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'TRY', 'GEL', 'TON'];
  for (const [at, currency] of codes.entries()) {
    await server.call('alice', 'POST', `/api/groups/${group.id}/expenses`, { amount: 30 + at, description: currency, currency, splits: [{ userId: guests[at % 2].id }] });
  }
  const page = await open(server, 'alice', `/app/groups/${group.id}/balances`);
  const rows = async () => (await page.locator('[data-pages] li').allInnerTexts()).map((it) => it.split('\n').slice(-2).join(' '));
  assert.deepEqual(await rows(), ['You +30.00 EUR', 'Ana guest \u221230.00 EUR', 'Bea guest 0.00 EUR'].map((it) => it.replace(/(\d) /, '$1\u00a0')));
  assert.deepEqual((await page.locator('nav.tabs').last().locator('a').allInnerTexts()).sort(), [...codes].sort());
  await tap(page, 'JPY');
  await page.waitForURL(/currency=JPY/);
  await page.getByText('+33\u00a0JPY').waitFor();
  assert.equal((await rows())[0], 'You +33\u00a0JPY');
  await check(page, 'balances-many');
  await page.context().close();
});
