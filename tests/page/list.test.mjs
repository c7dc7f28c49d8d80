// The list of a group and its search, an archived group, and who takes part in a new expense.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESK, NARROW, check, open, ready, serve, tap } from './harness.mjs';

const server = await serve();
const fresh = async (title, more = {}) => {
  const group = await server.call('alice', 'POST', '/api/groups', { title, chatId: title.replace(' ', '-'), currency: 'EUR', ...more });
  return { id: group.id, path: `/app/groups/${group.id}`, api: `/api/groups/${group.id}` };
};
const rows = (page) => page.locator('[data-pages] .name').allTextContents();
const said = (page) => page.locator('#status').textContent();

test('the list is by date, has no end, and keeps its place', { timeout: 90_000 }, async () => {
  const group = await fresh('Long');
  const day = (at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10);
  // Recorded in another order than they happened, two on each day.
  for (let at = 0; at < 70; at += 1) {
    await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 1 + at, description: `Meal ${(at * 37) % 70}`, date: day(Math.floor(((at * 37) % 70) / 2)) });
  }
  const page = await open(server, 'alice', group.path);
  const days = () => page.locator('[data-pages] .day time').evaluateAll((all) => all.map((it) => it.dateTime));
  assert.ok((await rows(page)).length < 70);
  for (let before = 0; (await page.locator('[data-more]').count()) > 0 && before < 20; before += 1) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.waitForTimeout(300);
  }
  const found = await days();
  assert.equal((await rows(page)).length, 70);
  assert.deepEqual(found, [...found].sort().reverse());
  assert.equal(new Set(found).size, 35, 'a day has one heading');
  await page.getByText('Meal 3', { exact: true }).click();
  await page.waitForSelector('h1:has-text("Meal 3")');
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('[data-pages] .name').length === 70);
  await page.waitForTimeout(600);
  assert.ok(await page.getByText('Meal 3', { exact: true }).evaluate((it) => {
    const { top, bottom } = it.getBoundingClientRect();
    return top > 0 && bottom < innerHeight;
  }), 'the row is where it was');
  // One that was recorded for an earlier day stands below that day.
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 9, description: 'Late', date: day(34) });
  await page.goto(`${server.api}${group.path}`);
  await ready(page);
  assert.ok((await rows(page)).slice(0, 3).includes('Late'));
  assert.equal((await rows(page)).filter((it) => it === 'Late').length, 1);
  await page.context().close();
});

test('a search says what it found and what that sums to, and is cleared', async () => {
  for (const [language, sum, clear] of [['en', /2 expenses · 30\.00.EUR · 5\.00.USD/, 'Clear'], ['ru', /2 расхода · 30,00.EUR · 5,00.USD/, 'Очистить']]) {
    const group = await fresh(`Search ${language}`);
    await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat tour' });
    await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 5, description: 'Boat tip', currency: 'USD' });
    await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 7, description: 'Tea' });
    const page = await open(server, 'alice', `${group.path}/expenses`, { language, size: NARROW });
    await page.fill('#q', 'boat');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=boat/);
    await ready(page);
    assert.match(await page.locator('p.note').innerText(), sum);
    assert.deepEqual((await rows(page)).sort(), ['Boat tip', 'Boat tour']);
    await check(page, `search-${language}`);
    await tap(page, clear);
    assert.equal((await rows(page)).length, 3);
    await page.context().close();
  }
});

test('an archived group has no forms, and says why', async () => {
  const group = await fresh('Past');
  const { id } = await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Tea' });
  const receipt = { description: 'Café', items: [{ name: 'Cake', amount: 6 }, { name: 'Tea', amount: 6, quantity: 3 }] };
  const question = (await server.call('alice', 'POST', `${group.api}/questions`, { type: 'items', prompt: 'Who had what?', receipt })).id;
  await server.call('alice', 'PUT', `${group.api}/questions/${question}/claims`, { items: [{ item: 1, count: 2 }] });
  await server.call('alice', 'PATCH', group.api, { archived: true });
  for (const [language, sentence, out] of [['en', 'This group is in the archive', 'Take out of the archive'], ['ru', 'Эта группа в архиве', 'Вернуть из архива']]) {
    const page = await open(server, 'alice', group.path, { language });
    for (const path of ['', '/balances', '/members', `/expenses/${id}`, '/expenses?deleted=true', '/import', '/settings', '/questions', `/questions/${question}`]) {
      await page.goto(`${server.api}${group.path}${path}`);
      await ready(page);
      const forms = await page.locator('main form[data-method]').evaluateAll((all) => all.map((it) => it.innerText.trim()));
      assert.deepEqual(forms.filter((it) => !it.includes(out)), [], path);
      assert.equal(await page.locator('[data-main]').count(), 0, path);
    }
    await page.getByText(sentence).waitFor();
    await check(page, `archived-question-${language}`);
    for (const path of ['/expenses/new', `/expenses/${id}/edit`, '/settle', '/questions/new']) {
      await page.goto(`${server.api}${group.path}${path}`);
      await ready(page);
      assert.equal(await page.locator('h1').innerText(), sentence, path);
      assert.equal(await page.locator('main form').count(), 0, path);
      await page.locator('a.back').waitFor();
    }
    await check(page, `archived-${language}`);
    await page.context().close();
  }
});

test('who took part last time is ticked, and so is whoever joined since', async () => {
  const group = await fresh('Crew');
  for (const name of ['Ana', 'Bea']) await server.call('alice', 'POST', `${group.api}/members`, { name });
  const page = await open(server, 'alice', `${group.path}/expenses/new`);
  const ticked = () => page.locator('.shares [data-row]:has([data-counts]:checked) .name').allTextContents();
  assert.deepEqual(await ticked(), ['You', 'Ana', 'Bea']);
  await page.getByRole('checkbox', { name: /Bea/ }).uncheck();
  await page.fill('#amount', '20');
  await page.fill('#description', 'Tea');
  await page.locator('[data-main]').click();
  await page.waitForSelector('.hero');
  await server.call('alice', 'POST', `${group.api}/members`, { name: 'Cleo' });
  await page.goto(`${server.api}${group.path}/expenses/new`);
  await ready(page);
  assert.deepEqual(await ticked(), ['You', 'Ana', 'Cleo']);
  await page.getByText('As last time').waitFor();
  assert.match(await page.locator('.takers').innerText(), /As last time, without Bea ·\s*All/);
  await check(page, 'as-last-time');
  // It is said only while it is so.
  const last = page.locator('[data-last]');
  await page.getByRole('checkbox', { name: /Bea/ }).check();
  assert.ok(await last.isHidden());
  await page.getByRole('checkbox', { name: /Bea/ }).uncheck();
  assert.ok(await last.isVisible());
  await page.locator('[data-all]').click();
  assert.deepEqual(await ticked(), ['You', 'Ana', 'Bea', 'Cleo']);
  assert.ok(await last.isHidden());
  await page.locator('[data-none]').click();
  assert.deepEqual(await ticked(), []);
  assert.equal(await page.locator('[data-filter]').count(), 0);
  await page.context().close();
});

test('members of a large group are found by their names', async () => {
  const group = await fresh('Many');
  for (let at = 0; at < 12; at += 1) await server.call('alice', 'POST', `${group.api}/members`, { name: `Guest ${at}` });
  const page = await open(server, 'alice', `${group.path}/expenses/new`, { size: NARROW });
  await page.locator('[data-filter]').fill('guest 1');
  assert.deepEqual(await page.locator('.shares:not([data-of=itemized] *) [data-row]:visible .name').allTextContents(), ['Guest 1', 'Guest 10', 'Guest 11']);
  await page.locator('[data-none]').click();
  await page.getByRole('checkbox', { name: /Guest 10/ }).check();
  await page.fill('#amount', '20');
  await page.fill('#description', 'Tea');
  await page.locator('[data-main]').click();
  await page.waitForSelector('.hero');
  const [expense] = await server.call('alice', 'GET', `${group.api}/expenses`);
  assert.deepEqual(expense.splits.map((it) => it.userName), ['Guest 10']);
  await page.context().close();
});

test('the rest of the amount is shown, and a tap gives it to the row touched last', async () => {
  for (const [language, left, over, save] of [['en', '17.50 EUR of 50.00 EUR left · give it to Ana', '2.50 EUR more than 50.00 EUR', 'Save · 50.00 EUR'], ['ru', 'Осталось распределить 17,50 EUR из 50,00 EUR · добавить к доле: Ana', 'На 2,50 EUR больше, чем 50,00 EUR', 'Сохранить · 50,00 EUR']]) {
    const group = await fresh(`Rest ${language}`);
    for (const name of ['Ana', 'Bea']) await server.call('alice', 'POST', `${group.api}/members`, { name });
    const page = await open(server, 'alice', `${group.path}/expenses/new`, { language });
    const plain = async (selector) => (await page.locator(selector).innerText()).replaceAll('\u00a0', ' ');
    await page.fill('#amount', '50');
    await page.fill('#description', 'Taxi');
    assert.equal(await plain('[data-main]'), save);
    await page.locator('.segments label').nth(2).click();
    const amounts = page.locator('[name^="splits["][name$=".amount"]');
    await amounts.nth(0).fill('20');
    await amounts.nth(1).fill('12,50');
    assert.equal(await plain('[data-rest]'), left);
    assert.equal(await plain('[data-main]'), left.split(' · ')[0]);
    await amounts.nth(2).fill('20');
    assert.equal(await plain('[data-rest]'), over);
    await amounts.nth(2).fill('');
    await check(page, `rest-${language}`);
    await amounts.nth(1).focus();
    await amounts.nth(1).fill('12');
    await page.locator('[data-rest]').click();
    assert.equal(await amounts.nth(1).inputValue(), language === 'ru' ? '30,00' : '30.00');
    assert.ok(await page.locator('[data-rest]').isHidden());
    assert.equal(await plain('[data-main]'), save);
    // The payer whose amount is left empty pays the rest.
    await page.locator('[data-instead] summary').click();
    const payers = page.locator('[data-instead] [data-row]');
    for (const at of [0, 1]) await payers.nth(at).getByRole('checkbox').check();
    await payers.nth(0).locator('.num').fill('36');
    assert.match(await payers.nth(1).locator('.num').getAttribute('placeholder'), /^14[.,]00$/);
    await page.locator('[data-main]').click();
    await page.waitForSelector('.hero');
    const [expense] = await server.call('alice', 'GET', `${group.api}/expenses`);
    assert.deepEqual(expense.splits.map((it) => it.amount).sort(), ['20', '30']);
    assert.deepEqual(expense.payers.map((it) => it.amount).sort(), ['14', '36']);
    await page.context().close();
  }
});

test('another expense begins with the day of the one before, and equally', async () => {
  const group = await fresh('Again');
  const page = await open(server, 'alice', `${group.path}/expenses/new`);
  await page.locator('.segments label').nth(1).click();
  await page.fill('#amount', '20');
  await page.fill('#description', 'Tea');
  await page.locator('summary', { hasText: 'Date, ' }).click();
  await page.fill('#date', '2026-11-03');
  await tap(page, 'Save and add another', { role: 'button' });
  await page.waitForFunction(() => document.querySelector('#amount').value === '');
  assert.equal(await said(page), 'Added: Tea Undo');
  assert.equal(await page.inputValue('#date'), '2026-11-03');
  assert.ok(await page.locator('.segments input').first().isChecked());
  await page.context().close();
});

test('a receipt that becomes an equal split costs what its lines sum to', async () => {
  const { id } = await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, {
    description: 'Lunch', splitType: 'itemized', items: [{ name: 'Soup', amount: 10 }, { name: 'Wine', amount: 23 }],
  });
  const page = await open(server, 'alice', `${server.path}/expenses/${id}/edit`);
  await page.locator('[data-remove]').first().click();
  await page.locator('.segments label').first().click();
  assert.equal(await page.inputValue('#amount'), '23.00');
  await page.context().close();
});

test('what is new has days, balances over time have names, and budgets have the zone of the device', async () => {
  for (const [language, own, closing] of [['en', 'You', /Balances at the end of \w/], ['ru', 'Вы', /Балансы на конец [а-я\d]/]]) {
    const page = await open(server, 'dave', `${server.path}/changes`, { language, timezoneId: 'Asia/Tokyo' });
    assert.ok(await page.locator('h2.day').count() >= 1);
    assert.equal(await page.locator('.row.past b').first().innerText(), own);
    assert.equal(await page.locator('.row:not(.past) b', { hasText: own }).count(), 0, 'own changes are not new');
    await page.goto(`${server.api}${server.path}/ledger`);
    await ready(page);
    const names = await page.locator('details[open] .row .grow').allTextContents();
    assert.ok(names[0] === own && names.includes('Bob Jones'), names.join());
    assert.equal(await page.locator('svg').count(), 0, 'the lines of one day would be level');
    assert.match((await page.locator('summary').first().innerText()).replaceAll('\u00a0', ' '), closing);
    await check(page, `over-time-${language}`);
    await page.goto(`${server.api}/app/me/budgets`);
    await ready(page);
    await page.waitForFunction(() => document.querySelector('#zone').value === 'Asia/Tokyo');
    assert.ok(await page.locator('#zones option').count() > 100);
    await check(page, `budgets-${language}`);
    await page.context().close();
  }
});

test('what is new is under the days of the device', async () => {
  // Where it is another day than in UTC.
  const timezoneId = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
  const page = await open(server, 'dave', `${server.path}/changes`, { timezoneId });
  await page.waitForSelector('[data-days] > h2');
  const days = await page.evaluate(() => {
    const day = (at) => new Intl.DateTimeFormat('sv').format(new Date(at.dateTime));
    const headings = [...document.querySelectorAll('[data-days] > h2')];
    return headings.map((it) => [it.firstElementChild, ...it.nextElementSibling.querySelectorAll('time')].map(day));
  });
  for (const [heading, ...rows] of days) assert.ok(rows.length && rows.every((it) => it === heading), `${heading}: ${rows}`);
  const headings = days.map(([heading]) => heading);
  assert.deepEqual(headings, [...new Set(headings)].sort().reverse());
  await page.context().close();
});

test('at a desk, a new expense is added beside the list, and a screen has one edge', async () => {
  const page = await open(server, 'alice', server.path, { size: DESK });
  const box = (selector) => page.locator(selector).first().evaluate((it) => it.getBoundingClientRect().toJSON());
  const before = (await page.locator('[data-pages] .name').allTextContents()).length;
  await tap(page, 'Add expense');
  await page.locator('aside').getByText('Pizzeria').waitFor();
  const [list, form] = [await box('aside'), await box('main form')];
  assert.ok(list.right <= form.left && form.top < 200, `${list.right}, ${form.left}, ${form.top}`);
  assert.equal(await page.locator('aside .name').count(), before);
  assert.equal(await page.locator('aside form, aside button, aside h1').count(), 0);
  await check(page, 'desk-add');
  // What was added is in it at once.
  await page.fill('#amount', '9');
  await page.fill('#description', 'Beside');
  await page.getByRole('button', { name: 'Save and add another' }).click();
  await page.locator('aside').getByText('Beside').waitFor();
  assert.equal(await page.inputValue('#amount'), '');
  await page.goBack();
  await page.locator('main').getByText('Pizzeria').waitFor();
  assert.equal(await page.locator('aside').count(), 0);
  for (const screen of ['', '/balances', '/more', '/stats', '/members']) {
    await page.goto(`${server.api}${server.path}${screen}`);
    await ready(page);
    const edges = await page.locator('main > :is(.back, h1, .tabs, .columns, section, form, ul, details)').evaluateAll((all) => all.filter((it) => it.offsetWidth).map((it) => it.getBoundingClientRect().left));
    assert.equal(new Set(edges).size, 1, `${screen}: ${edges}`);
  }
  await page.setViewportSize(NARROW);
  await page.goto(`${server.api}${server.path}/expenses/new`);
  await ready(page);
  await page.waitForTimeout(300);
  assert.equal(await page.locator('aside').count(), 0, 'a phone has no room');
  await page.context().close();
});

test('of many groups, those are shown that have the text', { timeout: 90_000 }, async () => {
  for (let at = 0; at < 52; at += 1) await server.call('bob', 'POST', '/api/groups', { title: `Trip ${at}`, chatId: `trip-${at}`, currency: 'EUR' });
  for (const at of [7, 51]) {
    const [group] = await server.call('bob', 'GET', `/api/groups?chatId=trip-${at}`);
    await server.call('bob', 'PATCH', `/api/groups/${group.id}`, { archived: true });
  }
  const page = await open(server, 'bob', '/app');
  assert.match(await page.locator('.hero').innerText(), /Over your 50 latest groups/);
  for (let before = 0; (await page.locator('[data-more]').count()) > 0 && before < 5; before += 1) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.waitForTimeout(300);
  }
  assert.equal(await page.locator('[data-end]').count(), 1, 'what is archived is folded once');
  assert.ok(await page.locator('[data-pages] > :last-child').evaluate((it) => it.matches('[data-end]')));
  const shown = () => page.locator('[data-pages] li:visible .name').allTextContents();
  await page.fill('[data-find]', 'trip 5');
  assert.deepEqual((await shown()).sort(), ['Trip 5', 'Trip 50', 'Trip 51']);
  await page.fill('[data-find]', 'TRIP 7');
  assert.deepEqual(await shown(), ['Trip 7']);
  await page.context().close();
});

test('an expense is called the reader\'s part of it, in Latest always, and friends are found from Me', async () => {
  const group = await fresh('Own part');
  for (const name of ['bob', 'carol']) await server.call(name, 'POST', `${group.api}/join`, {});
  await server.call('bob', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Boat' });
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: 60, description: 'Mine' });
  await server.call('alice', 'POST', `${group.api}/expenses`, { amount: -9, description: 'Refund' });
  await server.call('bob', 'POST', `${group.api}/expenses`, { amount: 30, description: 'Both', payers: [{ userId: '123456789', amount: 4 }, { userId: '987654321', amount: 26 }] });
  const text = async (page, name, part) => (await page.locator('a.row', { hasText: name }).first().locator(part).innerText()).replaceAll('\u00a0', ' ');
  for (const [language, [part, ofRefund], says, friends] of [
    ['en', ['your part', 'your part of the refund'], { Boat: 'your part 10.00 EUR', Mine: 'you lent 40.00 EUR', Refund: '6.00 EUR of it is theirs', Both: 'your part 10.00 EUR, you paid 4.00 EUR' }, 'Friends'],
    ['ru', ['ваша доля', 'ваша часть возврата'], { Boat: 'ваша доля 10,00 EUR', Mine: 'вам должны 40,00 EUR', Refund: '6,00 EUR причитается остальным', Both: 'ваша доля 10,00 EUR, вы заплатили 4,00 EUR' }, 'Друзья'],
  ]) {
    const page = await open(server, 'alice', group.path, { language, size: NARROW });
    for (const [name, words] of Object.entries(says)) assert.equal(await text(page, name, '.effect'), words);
    await check(page, `parts-${language}`);
    await page.goto(`${server.api}/app/me`);
    await ready(page);
    const amount = (number) => language === 'ru' ? number.replace('.', ',') : number;
    for (const [name, number] of [['Boat', '10.00'], ['Mine', '20.00'], ['Refund', '3.00'], ['Both', '10.00']]) {
      assert.equal(await text(page, name, '.effect'), `${name === 'Refund' ? ofRefund : part} ${amount(number)} EUR`);
    }
    await tap(page, friends);
    await check(page, `friends-${language}`);
    assert.match(await text(page, 'Carol White', '.amounts'), /EUR/);
    await tap(page, /Bob Jones/);
    await page.getByRole('heading', { name: /Bob Jones/ }).waitFor();
    await tap(page, friends);
    await page.getByRole('heading', { name: friends, exact: true }).waitFor();
    await page.context().close();
  }
});

test('frames cut nothing, and no row looks out beside the button at a desk', async () => {
  const { id } = await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, {
    description: 'Tea', splitType: 'itemized', items: [{ name: 'Tea', amount: 9, sharers: [{ userId: '123456789' }] }],
  });
  const phone = await open(server, 'alice', `${server.path}/expenses/new?from=${id}`);
  await phone.getByLabel('What for').focus();
  const [label, frame] = await phone.evaluate(() => {
    const field = document.activeElement, { outlineOffset, outlineWidth, outlineStyle } = getComputedStyle(field);
    if (outlineStyle === 'none') throw new Error('no frame');
    return [field.labels[0].getBoundingClientRect().bottom, field.getBoundingClientRect().top - parseFloat(outlineOffset) - parseFloat(outlineWidth)];
  });
  assert.ok(label <= frame, `the label ends at ${label}, the frame begins at ${frame}`);
  // The ring of a person who is marked is 4 px around the picture.
  const gaps = await phone.locator('.toggle:has(:checked)').evaluateAll((all) => all.map((it) => it.querySelector('small').getBoundingClientRect().top - it.querySelector('.avatar').getBoundingClientRect().bottom));
  assert.ok(gaps.length && gaps.every((it) => it >= 4), gaps.join());
  const desk = await open(server, 'alice', server.path, { size: { ...DESK, height: 620 } });
  const [list, button] = await desk.evaluate(() => ['[data-pages] .list', '.main-button'].map((it) => document.querySelector(it).getBoundingClientRect().toJSON()));
  assert.ok(button.left <= list.left && button.right >= list.right, JSON.stringify([list, button]));
  for (const page of [phone, desk]) await page.context().close();
});

test('the statement is found from the balances and from More', async () => {
  const page = await open(server, 'alice', `${server.path}/more`);
  await tap(page, 'Your statement');
  await page.getByRole('heading', { name: 'Your statement' }).waitFor();
  await page.goto(`${server.api}${server.path}/balances`);
  await ready(page);
  const marks = await page.locator('a.row[href*="/ledger/"]').evaluateAll((all) => all.map((it) => getComputedStyle(it, '::after').content));
  assert.ok(marks.length && marks.every((it) => it === '"›"'), marks.join());
  await page.context().close();
});
