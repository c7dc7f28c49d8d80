// Nothing that a person enters is lost, nothing happens by accident, and every action answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, open, pick, ready, serve, tap } from './harness.mjs';

const server = await serve();
const form = `${server.path}/expenses/new`;
const said = (page) => page.locator('#status').textContent();
const kept = (page) => page.evaluate(() => Object.keys(JSON.parse(Object.entries(localStorage).find(([name]) => name.endsWith(':drafts'))?.[1] ?? '{}')));
const enter = async (page) => {
  await page.goto(`${server.api}${server.path}`);
  await ready(page);
  await page.goto(`${server.api}${form}`);
  await ready(page);
  await page.fill('#amount', '86.40');
  await page.fill('#description', 'Dinner');
  await page.waitForTimeout(500);
};
const filled = (page) => page.evaluate(() => [document.querySelector('#amount').value, document.querySelector('#description').value]);

test('a half-filled expense survives the way back, a reload and a closed tab', async () => {
  const page = await open(server, 'alice', server.path);
  await tap(page, /Add expense/);
  await page.fill('#amount', '86.40');
  await page.fill('#description', 'Dinner');
  await page.goBack();
  await page.waitForSelector('.hero');
  assert.match(await said(page), /kept as a draft/);
  await page.goForward();
  await page.waitForSelector('.draft');
  assert.deepEqual(await filled(page), ['86.40', 'Dinner']);
  await check(page, 'draft');
  await page.reload();
  await page.waitForSelector('.draft');
  assert.deepEqual(await filled(page), ['86.40', 'Dinner']);
  const again = await page.context().newPage();
  await page.close();
  await again.goto(`${server.api}${form}${new URL(server.links.alice).hash}`);
  await again.waitForSelector('.draft');
  assert.deepEqual(await filled(again), ['86.40', 'Dinner']);
  await tap(again, 'Discard it', { role: 'button' });
  await again.waitForSelector('.draft', { state: 'detached' });
  assert.deepEqual(await filled(again), ['', '']);
  assert.deepEqual(await kept(again), []);
  await again.context().close();
});

test('a small form keeps what was entered, too, while another member writes', async () => {
  const page = await open(server, 'alice', `${server.path}/members`);
  const guest = page.locator('#guest');
  await page.getByText('Add a guest', { exact: true }).click();
  await guest.fill('Uncle');
  await server.call('dave', 'POST', `/api/groups/${server.group}/expenses`, { amount: 3, description: 'Meanwhile' });
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.waitForTimeout(500);
  assert.equal(await guest.inputValue(), 'Uncle');
  await page.goto(`${server.api}${server.path}/members`);
  await page.waitForSelector('.draft');
  assert.ok(await guest.isVisible(), 'its fold is open');
  assert.equal(await guest.inputValue(), 'Uncle');
  assert.equal(await page.locator('.draft').count(), 1, 'the draft is of one form');
  await guest.press('Enter');
  await page.getByText('Uncle', { exact: true }).first().waitFor();
  assert.deepEqual(await kept(page), []);
  await page.context().close();
});

test('what is unfolded and what has the focus stay so when others write', async () => {
  const page = await open(server, 'alice', `${server.path}/members`);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.waitForTimeout(500);
  await page.getByText('Add a guest', { exact: true }).click();
  await page.locator('#guest').focus();
  await server.call('dave', 'POST', `/api/groups/${server.group}/members`, { name: 'Late guest' });
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByText('Late guest', { exact: true }).first().waitFor();
  assert.ok(await page.locator('#guest').isVisible());
  assert.ok(await page.locator('#guest').evaluate((it) => it === document.activeElement));
  await page.context().close();
});

test('a payment that two put right at once keeps both entries', async () => {
  const { members } = await server.call('alice', 'GET', `/api/groups/${server.group}`);
  const of = (name) => members.find((it) => it.name.startsWith(name)).id;
  const payment = await server.call('alice', 'POST', `/api/groups/${server.group}/settlements`, { fromId: of('Alice'), toId: of('Carol'), amount: 4, currency: 'EUR' });
  const page = await open(server, 'alice', `${server.path}/settlements/${payment.id}`);
  await page.getByText('Put right', { exact: true }).click();
  await page.fill('#amount', '4.50');
  await server.call('alice', 'PUT', `/api/groups/${server.group}/settlements/${payment.id}`, { note: 'Cash' });
  await page.locator('#note').press('Enter');
  await page.waitForSelector('.draft');
  assert.match(await said(page), /Your entry is kept/);
  assert.equal(await page.inputValue('#amount'), '4.50');
  assert.equal(await page.inputValue('#note'), 'Cash');
  await page.locator('#note').press('Enter');
  await page.getByText('4.50 EUR').first().waitFor();
  await page.context().close();
});

test('the answers to an import are kept on the way to another screen and back', async () => {
  const page = await open(server, 'alice', `${server.path}/more`);
  await tap(page, 'Import');
  const file = ['Date,Description,Category,Cost,Currency,Alice,Zoe', '2026-01-02,Sled,General,10.00,EUR,5.00,-5.00'].join('\n');
  await page.setInputFiles('#file', { name: 'splitwise.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await tap(page, 'Show what will be added', { role: 'button' });
  await page.waitForSelector('[data-person]');
  const zoe = page.locator('[data-person=Zoe]');
  const other = await zoe.locator('option').nth(1).getAttribute('value');
  await zoe.selectOption(other);
  await page.goBack();
  await page.getByText('Export').waitFor();
  await tap(page, 'Import');
  await page.waitForSelector('[data-person]');
  assert.equal(await zoe.inputValue(), other);
  await page.context().close();
});

test('the start shows what others wrote once its reader comes back', async () => {
  const page = await open(server, 'alice', '/app');
  await server.call('alice', 'POST', '/api/groups', { title: '🏔️ Hut', chatId: 'hut', currency: 'EUR' });
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByText('🏔️ Hut').waitFor();
  assert.deepEqual(await page.locator('a.row', { hasText: 'Hut' }).locator('.avatar').allTextContents(), ['🏔️']);
  await page.context().close();
});

test('a receipt keeps the lines that were added and those that were removed', async () => {
  const page = await open(server, 'alice', form);
  await page.locator('.segments label', { hasText: 'Receipt' }).click();
  const add = page.locator('[data-add]').first();
  const names = page.locator('[name^="items["][name$=".name"]');
  while (await names.count() < 3) await add.click();
  for (const [index, name] of ['Soup', 'Beer', 'Bread'].entries()) await names.nth(index).fill(name);
  await page.locator('[data-remove]').nth(1).click();
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector('.draft');
  assert.deepEqual(await names.evaluateAll((all) => all.map((it) => it.value).filter(Boolean)), ['Soup', 'Bread']);
  await page.context().close();
});

test('what was recorded leaves no draft, and says so', async () => {
  const page = await open(server, 'alice', server.path);
  await enter(page);
  await tap(page, 'Save', { role: 'button' });
  await page.waitForSelector('.hero');
  assert.equal(await said(page), 'Added: Dinner Undo');
  assert.deepEqual(await kept(page), []);
  await page.context().close();
});

test('two people edit one expense, and the second keeps what they typed', async () => {
  const { id } = await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, { amount: 50, description: 'Boat', notes: 'At ten' });
  const page = await open(server, 'alice', `${server.path}/expenses/${id}/edit`);
  await page.fill('#amount', '60');
  await server.call('alice', 'PUT', `/api/groups/${server.group}/expenses/${id}`, { amount: 55, description: 'Boat tour' });
  await tap(page, 'Save', { role: 'button' });
  await page.waitForSelector('.draft');
  assert.match(await said(page), /Your entry is kept/);
  assert.deepEqual(await filled(page), ['60', 'Boat tour']);
  assert.match(await page.locator('[data-theirs=amount]').textContent(), /55/);
  await check(page, 'conflict');
  assert.deepEqual(await page.locator('[data-theirs=amount] button').allTextContents(), ['Use 55.00', 'Keep my 60']);
  await page.locator('[data-theirs=amount] button').first().click();
  assert.deepEqual(await filled(page), ['55.00', 'Boat tour']);
  await page.fill('#amount', '61');
  await tap(page, 'Save', { role: 'button' });
  await page.waitForSelector('h1:has-text("Boat tour")');
  const stored = await server.call('alice', 'GET', `/api/groups/${server.group}/expenses/${id}`);
  assert.deepEqual([Number(stored.amount), stored.description], [61, 'Boat tour']);
  await page.context().close();
});

test('leaving asks first, in both languages', async () => {
  for (const [language, question, cancel] of [['en', /Leave the group\?/, 'Cancel'], ['ru', /Выйти из группы\?/, 'Отмена']]) {
    const fresh = await server.call('dave', 'POST', '/api/groups', { title: `Away ${language}`, chatId: `away-${language}`, currency: 'EUR' });
    const page = await open(server, 'dave', `/app/groups/${fresh.id}/members`, { language });
    const leave = page.locator('form[action$="/leave"] button');
    await leave.click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    assert.match(await dialog.textContent(), question);
    // The last one can export the group first.
    assert.equal(await page.locator('form[action$="/leave"] a').getAttribute('href'), `/app/groups/${fresh.id}/export`);
    await check(page, `leave-${language}`);
    await dialog.getByRole('button', { name: cancel }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.match(page.url(), /members$/);
    await leave.click();
    await dialog.getByRole('button', { name: language === 'en' ? 'Leave the group' : 'Выйти из группы' }).click();
    await page.waitForURL(/\/app$/);
    await page.context().close();
  }
});

test('nobody is linked before they are chosen and the question is answered', async () => {
  const guest = await server.call('alice', 'POST', `/api/groups/${server.group}/members`, { name: 'Mum' });
  await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, { amount: 10, description: 'Tea', splitType: 'equal', splits: ['123456789', guest.id].map((userId) => ({ userId })) });
  const page = await open(server, 'alice', `${server.path}/members`);
  const row = page.locator('li', { hasText: 'Mum' });
  await row.locator('summary').click();
  const link = row.locator('form[action$="/link"]');
  assert.equal(await link.locator('select').inputValue(), '');
  await link.locator('select').selectOption({ label: 'Bob Jones' });
  await link.locator('button').click();
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.textContent(), /Mum owes 5\.00.EUR\. .*Bob Jones .* Propose it\?/);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const { members } = await server.call('alice', 'GET', `/api/groups/${server.group}`);
  assert.ok(members.some((it) => it.id === guest.id && !it.linkedTo));
  await page.context().close();
});

test('an empty amount is nothing, and need not be unticked', async () => {
  const page = await open(server, 'alice', form);
  await page.fill('#amount', '50');
  await page.fill('#description', 'Taxi');
  await page.locator('.segments label', { hasText: 'Amounts' }).click();
  const amounts = page.locator('[name^="splits["][name$=".amount"]');
  await amounts.nth(0).fill('20');
  await amounts.nth(1).fill('30');
  await tap(page, 'Save', { role: 'button' });
  await page.waitForSelector('.hero');
  assert.equal(await said(page), 'Added: Taxi Undo');
  await page.context().close();
});

test('two phones see each other within eleven seconds', async () => {
  const [alice, bob] = await Promise.all(['alice', 'bob'].map((name) => open(server, name, server.path)));
  await bob.waitForTimeout(10_500);
  await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, { amount: 12, description: 'Ice cream' });
  await bob.mouse.click(5, 5);
  await bob.getByText('Ice cream').first().waitFor({ timeout: 11_500 });
  // An entry is not replaced.
  await alice.goto(`${server.api}${form}`);
  await ready(alice);
  await alice.fill('#description', 'Tea');
  await server.call('bob', 'POST', `/api/groups/${server.group}/expenses`, { amount: 3, description: 'Coffee' });
  await alice.evaluate(() => dispatchEvent(new Event('focus')));
  await alice.waitForTimeout(500);
  assert.equal(await alice.inputValue('#description'), 'Tea');
  await Promise.all([alice, bob].map((it) => it.context().close()));
});

test('what waits for a person is on top of the start and of the group', async () => {
  await server.call('bob', 'POST', `/api/groups/${server.group}/settlements`, { toId: '123456789', amount: 5 });
  for (const [language, payment, question, answer] of [['en', /paid you 5.00.EUR/, 'Questions for you', 'Answer'], ['ru', /платёж вам 5,00.EUR/, 'Вопросы к вам', 'Ответить']]) {
    const page = await open(server, 'alice', '/app', { language });
    const text = await page.locator('main').innerText();
    assert.match(text, payment);
    assert.ok(text.indexOf(question) < text.search(/Alps 2026\n\d/), text);
    await page.goto(`${server.api}${server.path}`);
    await ready(page);
    const row = page.locator('section', { hasText: question }).getByRole('link');
    assert.match(await row.innerText(), new RegExp(`Who had what\\?[^]*${answer}`));
    await check(page, `waiting-${language}`);
    await row.click();
    await page.waitForSelector('ul.claims');
    await page.context().close();
  }
});

test('a receipt without claims is recorded for its payer only after a question', async () => {
  const bill = await server.call('alice', 'POST', `/api/groups/${server.group}/questions`, {
    type: 'items', prompt: 'Unclaimed', receipt: { description: 'Kiosk', items: [{ name: 'Map', amount: 5 }] },
  });
  const page = await open(server, 'alice', `${server.path}/questions/${bill.id}`);
  const choice = page.getByLabel('Who pays for what nobody claimed'), record = page.getByRole('button', { name: 'Record as expense' });
  assert.deepEqual(await choice.locator('option').allInnerTexts(), ['The one who paid', 'Nobody: claim it first']);
  await choice.selectOption('reject');
  await record.click();
  await page.locator('[data-problem]:visible, .error:visible').first().waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await choice.selectOption('payers');
  await record.click();
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.textContent(), /the payer bears the whole receipt/);
  await dialog.getByRole('button').nth(1).click();
  await page.waitForURL(/\/expenses\/[^/]+$/);
  await page.context().close();
});

test('the first to claim is told their own part, and lines stay where they are', async () => {
  const bill = await server.call('alice', 'POST', `/api/groups/${server.group}/questions`, {
    type: 'items', prompt: 'Lisbon', receipt: {
      amount: 33.4, description: 'Tascas', currency: 'EUR',
      items: [{ name: 'Gambas', amount: 9.56 }, { name: 'Patatas', amount: 6.5 }, { name: 'Beer', amount: 14, quantity: 4 }, { kind: 'tip', name: 'Tip', amount: 3.34 }],
    },
  });
  const page = await open(server, 'bob', `${server.path}/questions/${bill.id}`);
  const lines = () => page.locator('ul.claims li .grow').evaluateAll((all) => all.map((it) => it.innerText.split('\n')[0].trim()).filter(Boolean));
  const before = await lines();
  await page.locator('ul.claims li', { hasText: 'Patatas' }).locator('input[type=checkbox]').check();
  const beer = page.locator('ul.claims li', { hasText: 'Beer' }).locator('[data-step="1"]');
  await beer.click();
  await beer.click();
  await page.waitForFunction(() => document.querySelector('[data-main]')?.textContent.includes('3 things'));
  await ready(page);
  // 6.50 and 2 of 4 beers of 14.00, and their part of the tip: 13.50 + 13.50 / 30.06 * 3.34.
  assert.match(await page.locator('[data-main]').innerText(), /I had 3 things: 15\.00.EUR/);
  assert.match(await page.locator('p.note').first().innerText(), /Not claimed yet: 18\.40.EUR/);
  assert.deepEqual(await lines(), before);
  await check(page, 'own-part');
  await page.context().close();
});

test('a category is guessed from the words, and a choice by hand stays', async () => {
  for (const [language, words, label, key] of [['en', 'Sushi in Lisbon', /🍽️ Food/, 'food'], ['ru', 'такси домой', /🚌 Транспорт/, 'transport']]) {
    const page = await open(server, 'alice', form, { language });
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await ready(page);
    await page.fill('#amount', '7');
    await page.fill('#description', words);
    const chip = page.locator('[data-guess]');
    await chip.waitFor();
    assert.match(await chip.innerText(), label);
    await check(page, `guessed-${language}`);
    if (language === 'ru') {
      await chip.click();
      await page.locator('#category').selectOption('travel');
      await page.fill('#description', `${words} ужин`);
    }
    await page.locator('[data-main]').click();
    await page.waitForSelector('.hero');
    const [expense] = await server.call('alice', 'GET', `/api/groups/${server.group}/expenses?limit=1`);
    assert.equal(expense.category, language === 'ru' ? 'travel' : key);
    await page.context().close();
  }
});

test('a new group gets the currency of the region, and then the last one of the device', async () => {
  for (const [language, currency] of [['en-GB', 'GBP'], ['ja-JP', 'JPY'], ['ru-RU', 'RUB'], ['de-DE', 'EUR'], ['en', 'EUR']]) {
    const page = await open(server, 'carol', '/app', { language });
    const chosen = async () => {
      await page.locator('summary', { hasText: /New group|Новая группа/ }).click();
      return page.locator('[name=currency]').inputValue();
    };
    assert.equal(await chosen(), currency, language);
    if (language === 'de-DE') {
      await pick(page, 'lari');
      await page.fill('#title', 'Tbilisi');
      await page.locator('details [data-main]').click();
      await page.waitForURL(/groups/);
      await page.goto(`${server.api}/app`);
      await ready(page);
      assert.equal(await chosen(), 'GEL');
    }
    await page.context().close();
  }
});

test('a currency is found by its name, its sign and its code, and is that of the next expense', async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'Signs', chatId: 'signs', currency: 'EUR' });
  const path = `/app/groups/${group.id}/expenses/new`;
  for (const [language, name, found, dialogName] of [['en', 'yen', /JPY\s*Japanese Yen\s*¥/, 'Currency'], ['ru', 'японская', /JPY\s*японская [ий]ена\s*¥/, 'Валюта']]) {
    const page = await open(server, 'alice', path, { language });
    const button = page.locator('button[data-currency]');
    assert.equal((await button.innerText()).replace('\u00a0', ' '), 'EUR €');
    assert.equal(await page.locator('option[value=JPY]').count(), 0);
    await button.click();
    const dialog = page.getByRole('dialog', { name: dialogName });
    const option = dialog.getByRole('option');
    assert.match(await option.first().innerText(), /^EUR/);
    await dialog.getByRole('combobox').fill(name);
    assert.match(await option.first().innerText(), found);
    await check(page, `currencies-${language}`);
    for (const words of ['₾', 'gel']) {
      await dialog.getByRole('combobox').fill(words);
      assert.match(await option.first().innerText(), /^GEL/);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.locator('[name=currency]').inputValue(), 'EUR');
    await button.click();
    await dialog.getByRole('combobox').fill(name);
    await option.first().click();
    await page.fill('#amount', '500');
    await page.fill('#description', 'Sushi');
    assert.match(await page.locator('[data-main]').innerText(), /500.JPY/);
    await page.locator('[data-main]').click();
    await page.waitForSelector('.hero');
    await page.goto(`${server.api}${path}`);
    await ready(page);
    assert.equal(await page.locator('[name=currency]').inputValue(), 'JPY');
    await page.context().close();
  }
});

test('a draft keeps its currency', async () => {
  const page = await open(server, 'alice', form);
  await page.fill('#amount', '8');
  await pick(page, 'gel');
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector('.draft');
  assert.equal(await page.locator('[name=currency]').inputValue(), 'GEL');
  assert.match(await page.locator('button[data-currency]').innerText(), /GEL.₾/);
  await page.context().close();
});

test('without a connection the last screen stays, and says so until there is one', async () => {
  for (const [language, balances, says, again] of [['en', 'Balances', 'There is no connection. Try again', 'Try again'], ['ru', 'Балансы', 'Нет соединения. Повторить', 'Повторить']]) {
    const page = await open(server, 'alice', server.path, { language });
    await page.context().setOffline(true);
    await page.getByRole('link', { name: balances }).click();
    await page.locator('#status', { hasText: says }).waitFor();
    await page.getByText('Pizzeria').waitFor();
    assert.ok(page.url().endsWith(server.path), page.url());
    await check(page, `offline-${language}`);
    await page.waitForTimeout(11_500);
    assert.equal(await said(page), says);
    await page.context().setOffline(false);
    // With the connection, it comes by itself, maybe before a tap.
    if (language === 'en') await page.getByRole('button', { name: again }).click({ timeout: 3_000 }).catch(() => {});
    await page.waitForURL(/balances$/);
    await page.waitForFunction(() => document.querySelector('[aria-current]').href.endsWith('balances'));
    await page.context().close();
  }
});
