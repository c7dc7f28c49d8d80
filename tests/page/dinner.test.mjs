// The main job: four friends on four phones, a dinner with its receipt, and everybody at zero.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, PHONE, check, open, ready, serve } from './harness.mjs';

const server = await serve();
const group = await server.call('alice', 'POST', '/api/groups', { title: 'Dinner', chatId: '42', currency: 'EUR' });
const path = `/app/groups/${group.id}`;
const button = (page, name) => page.getByRole('button', { name, exact: true });
const link = (page, name) => page.getByRole('link', { name });

async function join(name) {
  const page = await open(server, name, `/app/join/${group.id}`);
  await button(page, 'Join').click();
  await page.waitForURL(`**${path}`);
  await ready(page);
  return page;
}

test('four friends, a guest, a receipt with two payers, payments and a cut connection', { timeout: 120_000 }, async () => {
  const alice = await open(server, 'alice', path);
  const [bob, carol, dave] = [await join('bob'), await join('carol'), await join('dave')];

  // Alice adds a guest.
  await alice.goto(`${server.api}${path}/members`);
  await ready(alice);
  await alice.getByText('Add a guest').click();
  await alice.getByLabel('Name', { exact: true }).fill('Grandma');
  await button(alice, 'Add').click();
  await alice.getByText('Grandma', { exact: true }).first().waitFor();

  // Dave enters the dinner with the lines of its receipt, and watches the shares.
  await link(dave, /^Add .*expense$/).click();
  await dave.getByLabel('What for').fill('Pizzeria');
  await dave.getByRole('radio', { name: 'Receipt' }).check();
  const line = async (name, amount, sharers) => {
    await button(dave, 'Add item').click();
    const row = dave.locator('form [data-row]:has([name^="items"])').last();
    await row.getByLabel('What', { exact: true }).fill(name);
    await row.getByLabel('Amount').fill(amount);
    for (const sharer of sharers) await row.getByRole('checkbox', { name: sharer }).check();
  };
  await line('Wine', '15,50', []);
  await line('Pizza', '24', ['Alice', 'Bob']);
  await line('Salad', '7.20', ['Carol', 'You']);
  await dave.getByText('Several people paid').click();
  await dave.locator('[data-instead]').getByRole('checkbox', { name: 'Carol White' }).check();
  await dave.getByLabel('Amount of Carol White').fill('20');
  await dave.locator('[data-instead]').getByRole('checkbox', { name: 'You' }).check();
  // The preview follows the last change after 250 ms; the total alone was right before.
  await dave.waitForTimeout(300);
  await dave.waitForFunction(() => document.querySelector('[data-total]').textContent === '46.70' && !document.querySelector('[data-share].stale'));
  const shown = await dave.evaluate(() => Object.fromEntries([...document.querySelectorAll('[data-of=itemized] [data-share]')].map((it) => [it.dataset.share, it.textContent])));

  // The connection is cut at the worst moment: the expense is recorded, the answer is lost.
  let cut = false;
  await dave.route((url) => url.pathname === `/api/groups/${group.id}/expenses`, async (route) => {
    if (route.request().method() !== 'POST' || cut) return route.continue();
    cut = true;
    await route.fetch();
    return route.abort();
  });
  await dave.locator('[data-main]').click();
  await dave.getByText('Your entry is kept').waitFor();
  await dave.locator('[data-main]').click();
  await dave.waitForURL(`**${path}`);
  const [expense, ...others] = await server.call('dave', 'GET', `/api/groups/${group.id}/expenses`);
  assert.equal(others.length, 0);
  assert.equal(expense.amount, '46.7');
  assert.deepEqual(expense.payers.map((it) => it.amount).sort(), ['20', '26.7']);
  for (const share of expense.splits) {
    assert.ok(shown[share.userId].replace('≈ ', '') <= Number(share.amount).toFixed(2), `${share.userName}: ${shown[share.userId]}`);
    assert.ok(Math.abs(Number(share.amount) - Number(shown[share.userId].replace('≈ ', ''))) < 0.011);
  }

  // Dave corrects a line.
  await dave.getByRole('link', { name: /Pizzeria/ }).click();
  await link(dave, 'Edit').click();
  await dave.locator('[name="items[2].amount"]').fill('8');
  await dave.waitForFunction(() => document.querySelector('[data-total]').textContent === '47.50');
  await dave.locator('[data-main]').click();
  await dave.waitForURL(`**/expenses/${expense.id}`);
  assert.equal((await server.call('dave', 'GET', `/api/groups/${group.id}/expenses/${expense.id}`)).amount, '47.5');

  // Everyone looks who pays whom, pays, and the recipients confirm, until all are at zero.
  const pages = { alice, bob, carol, dave };
  const balances = async () => (await server.call('alice', 'GET', `/api/groups/${group.id}/debts`)).balances.map((it) => Number(it.balance));
  // A screen may be that of a moment ago, so whoever is not at zero yet looks again.
  for (let round = 0; round < 4 && (await balances()).some((it) => it !== 0); round += 1) {
    for (const [name, page] of Object.entries(pages)) {
      await page.goto(`${server.api}${path}/balances`);
      await ready(page);
      if (name === 'alice' && round === 0) await check(page, 'dinner-balances');
      while (await link(page, 'Record payment').count()) {
        await link(page, 'Record payment').first().click();
        await button(page, 'Record payment').click();
        await page.waitForURL(`**${path}/balances`);
        await ready(page);
      }
    }
    for (const page of Object.values(pages)) {
      await page.goto(`${server.api}${path}`);
      await ready(page);
      for (let left = await button(page, 'Confirm').count(); left > 0; left -= 1) {
        await button(page, 'Confirm').first().click();
        // The screen is loaded again after the answer.
        await page.waitForFunction((count) => [...document.querySelectorAll('button')].filter((it) => it.textContent.trim() === 'Confirm').length < count, left);
      }
    }
    // The guest pays in cash: a recipient records it.
    for (const page of Object.values(pages)) {
      await page.goto(`${server.api}${path}/balances`);
      await ready(page);
      while (await link(page, 'Mark received').count()) {
        await link(page, 'Mark received').first().click();
        await button(page, 'Record payment').click();
        await page.waitForURL(`**${path}/balances`);
        await ready(page);
      }
    }
  }
  assert.deepEqual(await balances(), [0, 0, 0, 0, 0]);
  await alice.goto(`${server.api}${path}`);
  await alice.getByText('You are settled').waitFor();
  for (const page of Object.values(pages)) assert.deepEqual(page.errors, []);
});

test('a receipt is claimed by taps, and becomes an expense', { timeout: 90_000 }, async () => {
  const [question] = await server.call('alice', 'GET', `/api/groups/${server.group}/questions`);
  const at = `${server.path}/questions/${question.id}`;
  const bob = await open(server, 'bob', at, { size: PHONE });
  const alice = await open(server, 'alice', at);
  await bob.getByRole('checkbox', { name: /Wine/ }).check();
  await bob.getByRole('checkbox', { name: /Pizza/ }).check();
  await bob.getByRole('button', { name: 'More: Salad' }).click();
  await bob.getByRole('button', { name: /I had 3 things/ }).waitFor();
  // Alice sees it within seconds, without doing anything.
  await alice.locator('.claims').getByText('Bob Jones').first().waitFor();
  await alice.getByRole('checkbox', { name: /Salad/ }).check();
  await alice.getByRole('button', { name: /I had 1 thing/ }).waitFor();
  await check(alice, 'claimed');
  await alice.getByRole('button', { name: 'Record as expense' }).click();
  await alice.waitForURL('**/expenses/*');
  const expense = await server.call('alice', 'GET', `/api/groups/${server.group}/expenses/${alice.url().split('/').pop()}`);
  assert.equal(expense.amount, '38.15');
  assert.equal(expense.splitType, 'itemized');
});

test('a question is asked by its form, and answered', async () => {
  const alice = await open(server, 'alice', `${server.path}/questions/new?type=multiple_choice`);
  await alice.getByLabel('Question').fill('Pizza or sushi?');
  await alice.getByLabel('Option 1', { exact: true }).fill('Pizza');
  await alice.getByLabel('Option 2').fill('Sushi');
  await button(alice, 'Ask').click();
  await alice.waitForURL('**/questions/0*');
  const bob = await open(server, 'bob', new URL(alice.url()).pathname);
  await bob.getByLabel('Sushi').check();
  await button(bob, 'Send answer').click();
  await bob.getByText('You have answered.').waitFor();
});

test('whoever asks about a receipt sees what a piece costs and what all comes to', async () => {
  const page = await open(server, 'alice', `${server.path}/questions/new`, { size: NARROW });
  const plain = async (selector) => (await page.locator(selector).innerText()).replaceAll('\u00a0', ' ');
  const part = (name, at) => page.getByRole('textbox', { name, exact: true }).nth(at);
  await part('What', 0).fill('Beer');
  await part('Pieces', 0).fill('2');
  await part('Price for all', 0).fill('24');
  await part('Price for all', 1).fill('3,50');
  await page.waitForFunction(() => document.querySelector('[data-each-piece]')?.textContent);
  assert.equal(await page.locator('[data-each-piece]').first().textContent(), '= 2 × 12.00');
  assert.equal(await plain('[data-sum-of-lines]'), '27.50 EUR');
  await part('Pieces', 0).fill('7');
  assert.equal(await page.locator('[data-each-piece]').first().textContent(), '≈ 7 × 3.43');
  await check(page, 'ask-filled');
  await page.context().close();
});

test('whoever asks a choice votes, too, and sends the link at once', async () => {
  for (const [language, prompt, ask, link, send] of [['en', 'Question', 'Ask', 'Send link', 'Send answer'], ['ru', 'Вопрос', 'Спросить', 'Отправить ссылку', 'Ответить']]) {
    const page = await open(server, 'alice', `${server.path}/questions/new?type=multiple_choice`, { language });
    const options = page.locator('[data-grows]:visible input');
    assert.equal(await options.count(), 2);
    await page.getByLabel(prompt, { exact: true }).fill('Where to?');
    await options.nth(0).fill('Sea');
    await options.nth(1).fill('Hills');
    assert.equal(await options.count(), 3, 'the next option is there once the last one is filled');
    await page.getByRole('button', { name: ask, exact: true }).click();
    await page.getByRole('heading', { name: 'Where to?' }).waitFor();
    const [first] = await page.locator('main button').allTextContents();
    assert.equal(first, link);
    await check(page, `choice-${language}`);
    await page.getByLabel('Hills').check();
    await page.getByRole('button', { name: send, exact: true }).click();
    await page.locator('.effect', { hasText: 'Hills' }).waitFor();
    await page.context().close();
  }
});

test('a dinner of four takes three taps, a payment two, and its confirmation one', async () => {
  const trip = await server.call('alice', 'POST', '/api/groups', { title: 'Taps', chatId: 'taps', currency: 'EUR' });
  for (const name of ['bob', 'carol', 'dave']) await server.call(name, 'POST', `/api/groups/${trip.id}/join`, {});
  const taps = async (name, at) => {
    const page = await open(server, name, at);
    let count = 0;
    const touch = async (target) => {
      count += 1;
      await target.tap();
      await ready(page);
    };
    return { page, touch, count: () => count };
  };
  const alice = await taps('alice', `/app/groups/${trip.id}`);
  await alice.touch(link(alice.page, /^Add .*expense$/));
  await alice.page.waitForSelector('#amount:focus');
  await alice.page.keyboard.type('86.40');
  await alice.touch(alice.page.locator('#description'));
  await alice.page.keyboard.type('Dinner');
  await alice.touch(alice.page.locator('[data-main]'));
  await alice.page.locator('#status', { hasText: 'Added: Dinner' }).waitFor();
  assert.equal(alice.count(), 3);
  const bob = await taps('bob', `/app/groups/${trip.id}`);
  await bob.touch(link(bob.page, 'Settle up'));
  await bob.touch(bob.page.locator('form [data-main]'));
  await bob.page.locator('#status', { hasText: 'Alice' }).waitFor();
  assert.equal(bob.count(), 2);
  const recipient = await taps('alice', '/app');
  await recipient.touch(button(recipient.page, 'Confirm'));
  await recipient.page.locator('#status', { hasText: 'confirmed' }).waitFor();
  assert.equal(recipient.count(), 1);
  const { balances } = await server.call('alice', 'GET', `/api/groups/${trip.id}/debts`);
  assert.deepEqual(balances.map((it) => Number(it.balances.EUR ?? 0)).sort((one, other) => one - other), [-21.6, -21.6, 0, 43.2]);
  for (const { page } of [alice, bob, recipient]) await page.context().close();
});

test('a receipt that is copied shows who had how many and what a discount is for, and is recorded the same', { timeout: 90_000 }, async () => {
  const [alice, bob, carol] = ['123456789', '987654321', '456789123'];
  const original = await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, { description: 'Diner', splitType: 'itemized', items: [
    { name: 'Wine', amount: '15.50' },
    { name: 'Pizza', amount: 24, quantity: 2, price: 12, sharers: [{ userId: alice }, { userId: bob }] },
    { name: 'Salad', amount: '7.20', sharers: [{ userId: carol, weight: 2 }, { userId: bob }] },
    { name: 'Beer', amount: 14, quantity: 4, sharers: [{ userId: carol, weight: '2.5' }, { userId: bob, weight: '1.5' }] },
    { kind: 'tip', name: 'Tip', amount: 5, split: 'equal' },
    { kind: 'discount', name: 'Coupon', amount: 4, over: [1, 2] },
    { kind: 'fee', name: 'Corkage', amount: 3, sharers: [{ userId: carol, weight: 2 }, { userId: alice }] },
  ] });
  const copied = async (page) => {
    const before = (await server.call('alice', 'GET', `/api/groups/${server.group}/expenses`)).map((it) => it.id);
    await page.locator('[data-main]').click();
    await page.locator('#status', { hasText: 'Diner' }).waitFor();
    const [added] = (await server.call('alice', 'GET', `/api/groups/${server.group}/expenses`)).filter((it) => !before.includes(it.id));
    return server.call('alice', 'GET', `/api/groups/${server.group}/expenses/${added.id}`);
  };
  for (const [language, on, all, half] of [['en', 'by what each had · on', 'by what each had · on everything', '2.5'], ['ru', 'по заказу каждого · на:', 'по заказу каждого · на всё', '2,5']]) {
    const at = `${server.path}/expenses/new?from=${original.id}`;
    const page = await open(server, 'alice', at, { language, size: NARROW });
    const line = (name) => page.locator('[data-row]', { has: page.locator(`[name^="items["][value="${name}"]`) }).first();
    const counts = (name) => line(name).locator('.taker .num:visible').evaluateAll((inputs) => inputs.map((it) => it.value).sort());
    assert.deepEqual(await counts('Salad'), ['1', '2']);
    assert.deepEqual(await counts('Beer'), [half.replace('2', '1'), half]);
    assert.deepEqual(await counts('Pizza'), []);
    assert.equal(await line('Coupon').locator('small').innerText(), `Coupon · ${on} Pizza, Salad`);
    assert.match(await line('Corkage').locator('small').innerText(), /Carol White ×\s2/);
    await check(page, `copied-${language}`);
    const same = await copied(page);
    assert.deepEqual(same.items, original.items);
    assert.deepEqual(same.splits, original.splits);
    // Somebody who did not have it after all, another number, and an item less.
    await page.goto(`${server.api}${at}`);
    await ready(page);
    await line('Beer').getByRole('checkbox', { name: 'Bob Jones' }).uncheck({ force: true });
    await line('Salad').locator('.taker .num:visible').first().fill('3');
    await line('Pizza').locator('[data-remove]').click();
    assert.equal(await line('Coupon').locator('small').innerText(), `Coupon · ${on} Salad`);
    const other = await copied(page);
    const beer = other.items.find((it) => it.name === 'Beer');
    assert.deepEqual(beer.sharers.map((it) => [it.userId, it.weight]), [[carol, '2.5']]);
    assert.ok(other.items.find((it) => it.name === 'Salad').sharers.some((it) => it.weight === '3'));
    assert.deepEqual(other.items.find((it) => it.name === 'Coupon').over, [1]);
    await page.goto(`${server.api}${at}`);
    await ready(page);
    for (const name of ['Pizza', 'Salad']) await line(name).locator('[data-remove]').click();
    assert.equal(await line('Coupon').locator('small').innerText(), `Coupon · ${all}`);
    assert.equal((await copied(page)).items.find((it) => it.name === 'Coupon').over, undefined);
    // What has no name of its own is called as what it is.
    await page.goto(`${server.api}${at}`);
    await ready(page);
    await page.locator('[data-add=extra]').click();
    await page.locator('select[name="items[500].kind"]').selectOption('discount');
    await page.locator('[name="items[500].amount"]').fill('1');
    const named = (await copied(page)).items.at(-1);
    assert.deepEqual([named.kind, named.name], ['discount', language === 'en' ? 'Discount' : 'Скидка']);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});
