// What a person sees at a glance: words, signs, and where things stand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, PHONE, check, open, ready, serve, tap } from './harness.mjs';

const server = await serve();
const group = await server.call('alice', 'POST', '/api/groups', { title: 'Glance '.repeat(14).trim(), chatId: 'glance', currency: 'EUR' });
const path = `/app/groups/${group.id}`;
const api = `/api/groups/${group.id}`;
for (const name of ['bob', 'carol']) await server.call(name, 'POST', `${api}/join`, {});
const { members } = await server.call('alice', 'GET', api);
const id = (name) => members.find((it) => it.name.startsWith(name)).id;
const text = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();

test('claims keep counts apart, take a discount off, and name a tip once', async () => {
  const bill = await server.call('alice', 'POST', `${api}/questions`, {
    type: 'items', prompt: 'Who had what?', receipt: {
      description: 'Bar', items: [{ name: 'Beer', amount: 14, quantity: 4 }, { kind: 'discount', name: 'Coupon', amount: 4 }, { kind: 'tip', name: 'Tip', amount: 2 }],
    },
  });
  const at = `${api}/questions/${bill.id}`;
  await server.call('bob', 'PUT', `${at}/claims`, { items: [{ item: 0, count: 2 }] });
  for (const [language, left, coupon] of [['en', '2 left', '−4.00 EUR'], ['ru', 'осталось 2', '−4,00 EUR']]) {
    for (const name of ['alice', 'bob']) {
      const page = await open(server, name, `${path}/questions/${bill.id}`, { language });
      const rows = page.locator('.claims > li');
      assert.match(await text(rows.nth(0)), new RegExp(`× 2 · ${left}`));
      assert.ok((await text(rows.nth(1))).endsWith(coupon), await text(rows.nth(1)));
      // In Russian, the word of the receipt is another one than that of its kind.
      if (language === 'en') assert.equal((await text(rows.nth(2))).match(/Tip/g).length, 1);
      await page.context().close();
    }
  }
  await server.call('alice', 'POST', `${at}/close`, {});
});

test('any member answers for a guest, who has no Telegram', async () => {
  for (const [language, words] of [
    ['en', { open: 'Answer for a guest', head: 'Tap what Gran had', none: 'Gran had none of it', done: /^Done · Gran had 1 thing: 7\.00/, answered: 'answered', answer: 'Answer', own: 'Back to your own answer' }],
    ['ru', { open: 'Ответить за гостя', head: 'Отметьте, что было у гостя Gran', none: 'У гостя Gran здесь ничего нет', done: /^Готово · у гостя Gran 1 позиция: 7,00/, answered: 'ответ есть', answer: 'Ответить', own: 'К своему ответу' }],
  ]) {
    const made = await server.call('alice', 'POST', '/api/groups', { title: 'Guests', chatId: `guests-${language}`, currency: 'EUR' });
    await server.call('bob', 'POST', `/api/groups/${made.id}/join`, {});
    const gran = await server.call('alice', 'POST', `/api/groups/${made.id}/members`, { name: 'Gran' });
    const bill = await server.call('alice', 'POST', `/api/groups/${made.id}/questions`, {
      type: 'items', prompt: 'Who had what?', receipt: { description: 'Bar', items: [{ name: 'Tea', amount: 7 }, { name: 'Cake', amount: 5 }] },
    });
    const at = `/api/groups/${made.id}/questions/${bill.id}`;
    await server.call('bob', 'PUT', `${at}/claims`, { items: [{ item: 1 }] });
    const page = await open(server, 'bob', `/app/groups/${made.id}/questions/${bill.id}`, { language, size: NARROW });
    const answer = page.getByRole('button', { name: words.answer, exact: true });
    assert.equal(await page.getByLabel(words.open).locator('option:checked').innerText(), 'Gran');
    await answer.click();
    await page.getByText(words.head).waitFor();
    await ready(page);
    // What the reader has is not what the guest has.
    assert.equal(await page.locator('.claims [data-counts]:checked').count(), 0);
    assert.equal(await page.getByRole('button', { name: words.none }).count(), 1);
    await page.locator('.claims [data-counts]').first().check();
    await page.getByRole('button', { name: words.done }).waitFor();
    await check(page, `answer-guest-${language}`);
    const { answers } = await server.call('alice', 'GET', at);
    const claimed = answers.map((it) => [it.userName, it.answeredBy, it.claims.map((claim) => claim.item)]);
    assert.deepEqual(claimed, [['Bob Jones', '987654321', [1]], ['Gran', '987654321', [0]]]);
    await page.getByRole('button', { name: words.done }).click();
    await page.waitForURL(/questions\/[^?]+$/);
    await ready(page);
    assert.ok(await page.locator('.claims [data-counts]').nth(1).isChecked());
    assert.equal(await page.getByLabel(words.open).locator('option:checked').innerText(), `Gran · ${words.answered}`);
    await check(page, `guests-answer-${language}`);
    await answer.click();
    await page.getByRole('link', { name: words.own }).click();
    await page.waitForURL(/questions\/[^?]+$/);
    // A user answers for themselves.
    await page.goto(`${server.api}/app/groups/${made.id}/questions/${bill.id}?guest=123456789`);
    await ready(page);
    assert.equal(await page.getByText(words.head).count(), 0);
    await page.context().close();
  }
});

test('a guest who is asked a question gets an answer from any member, once', async () => {
  const made = await server.call('alice', 'POST', '/api/groups', { title: 'Poll', chatId: 'poll', currency: 'EUR' });
  const gran = await server.call('alice', 'POST', `/api/groups/${made.id}/members`, { name: 'Gran' });
  const poll = await server.call('alice', 'POST', `/api/groups/${made.id}/questions`, {
    type: 'multiple_choice', prompt: 'Where to?', options: ['Sea', 'Hills'], audience: ['123456789', gran.id], requiredResponses: 2,
  });
  const page = await open(server, 'alice', `/app/groups/${made.id}/questions/${poll.id}`);
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('The answer of the guest Gran').waitFor();
  await page.getByRole('radio', { name: 'Hills' }).check();
  await page.locator('[data-main]').click();
  await page.waitForURL(/questions\/[^?]+$/);
  await ready(page);
  // No guest is left to answer for, and the reader has not answered yet.
  assert.equal(await page.getByText('Answer for a guest', { exact: true }).count(), 0);
  assert.equal(await page.getByRole('radio', { name: 'Sea' }).count(), 1);
  const { answers } = await server.call('alice', 'GET', `/api/groups/${made.id}/questions/${poll.id}`);
  assert.deepEqual(answers.map((it) => [it.userId, it.selectedOption, it.answeredBy]), [[gran.id, 1, '123456789']]);
  await page.context().close();
});

test('among several, a payment has no recipient before one is chosen', async () => {
  for (const [language, choose, words] of [['en', 'Choose …', 'Choose who is paid'], ['ru', 'Выберите …', 'Выберите, кому платят']]) {
    const page = await open(server, 'carol', `${path}/settlements`, { language });
    await page.locator('[data-main]').click();
    await page.waitForURL(/settle$/);
    await ready(page);
    assert.equal(await page.locator('#to option:checked').innerText(), choose);
    await page.fill('#amount', '3');
    await page.locator('[data-main]').click();
    await page.locator('.error:visible').first().waitFor();
    assert.deepEqual(await page.locator('.error:visible').allInnerTexts(), [words]);
    await check(page, `no-recipient-${language}`);
    await page.context().close();
  }
});

test('more claims than pieces are said apart from the count', async () => {
  const bill = await server.call('alice', 'POST', `${api}/questions`, {
    type: 'items', prompt: 'Too many', receipt: { description: 'Bar', items: [{ name: 'Beer', amount: 14, quantity: 4 }] },
  });
  const at = `${api}/questions/${bill.id}`;
  for (const [name, count] of [['bob', 2], ['carol', 3]]) await server.call(name, 'PUT', `${at}/claims`, { items: [{ item: 0, count }] });
  for (const [language, words] of [['en', 'more than there is'], ['ru', 'больше, чем есть']]) {
    const page = await open(server, 'alice', `${path}/questions/${bill.id}`, { language });
    assert.match(await text(page.locator('.claims > li').first()), new RegExp(`× 3 · .* × 2 · ${words}`));
    await page.context().close();
  }
});

test('two payers are both named, and an expense says once how it was split', async () => {
  const made = await server.call('alice', 'POST', `${api}/expenses`, {
    amount: 90, description: 'Boat', payers: [{ userId: id('Alice'), amount: 50 }, { userId: id('Bob'), amount: 40 }],
    splitType: 'shares', splits: members.map((it) => ({ userId: it.id, weight: 1 })),
  });
  const page = await open(server, 'alice', path);
  assert.match(await text(page.locator('a.row', { hasText: 'Boat' })), /You and Bob( Jones)? paid/);
  await page.goto(`${server.api}${path}/expenses/${made.id}`);
  await ready(page);
  const words = await text(page.locator('main'));
  assert.doesNotMatch(words, /Shares · Shares|by You\b/);
  assert.match(words, /[Rr]ecorded by you/);
  await page.context().close();
});

test('what is new names once who joined, and a stranger is told whom to ask', async () => {
  for (const [language, joined, stranger] of [
    ['en', /Bob Jones joined the group/, /You are not in this group\. Ask a member for an invitation/],
    ['ru', /Bob Jones теперь в группе/, /Вы не в этой группе\. Попросите участника пригласить вас/],
  ]) {
    const page = await open(server, 'alice', `${path}/changes`, { language });
    const row = await text(page.locator('.row', { hasText: joined }).first());
    assert.equal(row.match(/Bob/g).length, 1, row);
    await page.context().close();
    const dave = await open(server, 'dave', '/app', { language });
    await dave.goto(`${server.api}${path}`);
    await dave.getByText(stranger).waitFor();
    await dave.context().close();
  }
});

test('an invitation names the group, and a link without a code says that it does not', async () => {
  const { code } = await server.call('alice', 'POST', `${api}/invitation`, {});
  const own = /^Glance/m;
  for (const [language, words] of [['en', 'This link does not name the group'], ['ru', 'Эта ссылка не называет группу']]) {
    for (const query of ['', `?code=${code}`]) {
      const page = await open(server, 'dave', `/app/join/${group.id}${query}`, { language });
      const shown = await page.locator('main').innerText();
      assert.deepEqual([own.test(shown), shown.includes(words)], query ? [true, false] : [false, true], `${language} ${query}`);
      await page.context().close();
    }
  }
});

test('each member stands in one line, and cards have a gap between them', async () => {
  for (const size of [PHONE, NARROW]) {
    const page = await open(server, 'alice', `${path}/members`, { size });
    const rows = page.locator('main li').filter({ hasText: /^\S*\s*(You|Bob|Carol)/ });
    assert.ok(await rows.count() >= 3);
    for (const row of await rows.all()) {
      const { height } = await row.boundingBox();
      assert.ok(height < 72, `${await text(row)}: ${height}`);
    }
    await page.context().close();
  }
  const empty = await server.call('alice', 'POST', '/api/groups', { title: 'Empty', chatId: 'empty', currency: 'EUR' });
  for (const at of ['', '/settings']) {
    const page = await open(server, 'alice', `/app/groups/${empty.id}${at}`);
    assert.ok(await page.locator('main .card').count() > 1);
    await check(page, `empty${at.replace('/', '-')}`);
    await page.context().close();
  }
});

test('a code is copied whole', async () => {
  const page = await open(server, 'alice', `${path}/members`, { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.locator('[data-token] summary').click();
  const shown = await page.locator('[data-token] p.link', { hasText: server.api }).innerText();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Copied').waitFor();
  assert.ok(shown.startsWith(`${server.api}/app?start=g_`), shown);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
  await page.context().close();
});

test('an empty form says what it needs in the reader’s words', async () => {
  for (const [language, words] of [['en', ['Enter the amount', 'What was it for?']], ['ru', ['Укажите сумму', 'Напишите, за что']]]) {
    const page = await open(server, 'alice', `${path}/expenses/new`, { language });
    await page.locator('[data-main]').click();
    await page.locator('.error:visible').nth(1).waitFor();
    assert.deepEqual(await page.locator('.error:visible').allInnerTexts(), words);
    await page.context().close();
  }
});

test('a payment is taken back after a question', async () => {
  await server.call('alice', 'POST', `${api}/expenses`, { amount: 30, description: 'Tea' });
  const paid = await server.call('alice', 'POST', `${api}/settlements`, { fromId: id('Bob'), toId: id('Alice'), amount: 3 });
  const page = await open(server, 'alice', `${path}/settlements/${paid.id}`);
  await page.getByRole('button', { name: 'Take back (not received)' }).click();
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.textContent(), /Take this payment back\?/);
  await page.keyboard.press('Escape');
  assert.equal((await server.call('alice', 'GET', `${api}/settlements/${paid.id}`)).status, 'completed');
  await page.context().close();
});

test('a long title takes two lines, and one in the way back', async () => {
  const lines = (locator) => locator.evaluate((it) => it.getBoundingClientRect().height / parseFloat(getComputedStyle(it).lineHeight));
  const page = await open(server, 'alice', path);
  assert.ok(await lines(page.locator('h1')) < 2.6, 'two lines and their margins');
  await page.goto(`${server.api}${path}/balances`);
  await ready(page);
  assert.ok((await page.locator('a.back').boundingBox()).height < 56);
  await page.context().close();
});

test('members of a split stand in one line each', async () => {
  const page = await open(server, 'alice', `${path}/expenses/new`, { size: PHONE });
  await page.getByLabel('Amount', { exact: true }).fill('30');
  for (const way of ['Shares', 'Amounts']) {
    await page.getByRole('radio', { name: way }).check();
    const rows = page.locator('li.row', { hasText: 'Carol' }).filter({ has: page.locator('input:visible') });
    assert.ok((await rows.first().boundingBox()).height < 72, way);
  }
  assert.ok(await page.getByRole('radio', { name: 'Equally ±' }).count());
  await page.context().close();
});

test('a field that has the focus is not under the button', async () => {
  const page = await open(server, 'alice', `${path}/expenses/new`, { size: { width: 390, height: 460 } });
  await page.getByLabel('Amount', { exact: true }).fill('30');
  await page.getByRole('radio', { name: 'Amounts' }).check();
  await page.getByLabel('What for').focus();
  let fields = 0;
  for (let at = 0; at < 30; at += 1) {
    await page.keyboard.press('Tab');
    await page.waitForTimeout(20);
    const [bottom, top, own] = await page.evaluate(() => {
      const [it, main] = [document.activeElement, document.querySelector('[data-main]')];
      return [it.getBoundingClientRect().bottom, main.getBoundingClientRect().top, it === main || !it.matches('main input')];
    });
    if (own) continue;
    fields += 1;
    assert.ok(bottom <= top, `field ${at} ends at ${bottom}, below ${top}`);
  }
  assert.ok(fields >= 4, `${fields} fields`);
  await page.context().close();
});

test('targets of categories are folded, and a spending begins in the currency of the region', async () => {
  const page = await open(server, 'carol', '/app/me/budgets', { language: 'en-GB' });
  assert.ok(await page.locator('#target-total').isVisible());
  assert.ok(!(await page.locator('#target-rent').isVisible()));
  await page.locator('summary').click();
  await page.locator('#target-rent').fill('900');
  await check(page, 'budgets-open');
  await page.locator('[data-main]').click();
  await page.waitForURL('**/days');
  await page.goto(`${server.api}/app/me/budgets`);
  await ready(page);
  assert.ok(await page.locator('#target-rent').isVisible(), 'what is set is not folded');
  const spend = await open(server, 'bob', '/app/me/days/2026-11-20', { language: 'en-GB' });
  assert.match(await text(spend.locator('button[data-currency]')), /GBP|£/);
  await page.context().close();
  await spend.context().close();
});

test('a friend has a total only where it is that of all groups', async () => {
  const { members: all } = await server.call('alice', 'GET', `/api/groups/${server.group}`);
  const dave = all.find((it) => it.name.startsWith('Dave')).id;
  const total = async () => {
    const page = await open(server, 'alice', `/app/me/friends/${dave}`);
    const shown = await page.locator('section').first().innerText();
    await page.context().close();
    return /^Total/m.test(shown);
  };
  for (let number = 1; number <= 10; number += 1) {
    const made = await server.call('alice', 'POST', '/api/groups', { title: `With Dave ${number}`, chatId: `dave-${number}`, currency: 'EUR' });
    await server.call('dave', 'POST', `/api/groups/${made.id}/join`, {});
    await server.call('alice', 'POST', `/api/groups/${made.id}/expenses`, { amount: 10, description: 'Tea' });
    if (number === 3) assert.ok(await total());
  }
  // The page looks at ten groups.
  assert.ok(!(await total()));
});

test('the key n adds', async () => {
  const page = await open(server, 'alice', path);
  await page.keyboard.press('n');
  await page.waitForURL('**/expenses/new');
  await tap(page, /Glance/);
  await page.waitForURL(`**${path}`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
