// Amounts as people type them: what they mean, what is said below the field, and what is recorded.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve, pick } from './harness.mjs';

const file = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));
// The server puts the texts in, of which reading amounts has none.
const source = Buffer.from(file('crates/web/assets/more.js').toString().replace('TEXTS', '{}').replace('STEMS', '[]')).toString('base64');
const { typed, numbered } = await import(`data:text/javascript;base64,${source}`);
const table = JSON.parse(file('tests/fixtures/amounts.json'));

const server = await serve();
const EUR = await server.call('alice', 'POST', '/api/groups', { title: 'Trip', chatId: '51', currency: 'EUR' });
await server.call('bob', 'POST', `/api/groups/${EUR.id}/join`, {});
await server.call('alice', 'POST', `/api/groups/${EUR.id}/members`, { name: 'Grandma' });
const TON = await server.call('alice', 'POST', '/api/groups', { title: 'Chain', chatId: '52', currency: 'TON' });
await server.call('bob', 'POST', `/api/groups/${TON.id}/join`, {});

test('texts are read as the table says', () => {
  for (const { typed: text, chosen, used = [], reads } of table.amounts) {
    assert.deepEqual(typed(text, chosen, used, table.decimals).reads, reads, JSON.stringify([text, chosen]));
  }
  for (const { typed: text, reads } of table.numbers) assert.equal(numbered(text) ?? null, reads, JSON.stringify(text));
});

test('a refused amount says if it has too many decimals', () => {
  assert.equal(typed('12,5000', 'EUR', [], table.decimals).fine, 'EUR');
  assert.equal(typed('12 60', 'EUR', [], table.decimals).fine, undefined);
});

const form = (group, options, path = '/expenses/new') => open(server, 'alice', `/app/groups/${group.id}${path}`, options);
const amount = (page) => page.locator('[name=amount]');
const understood = (page) => page.locator('[data-understood]').first();
const nbsp = (text) => text.replaceAll('\u00a0', ' ');
const currency = (page) => page.locator('[name$=currency]').first();
const save = (page) => page.getByRole('button', { name: /^Save($| ·)/ });
const newest = async (group) => (await server.call('alice', 'GET', `/api/groups/${group.id}/expenses?limit=1`))[0];
async function record(page, group, name) {
  await page.getByLabel('What for').fill(name);
  await save(page).click();
  await page.waitForURL(`**/groups/${group.id}`);
  const { description, amount: recorded, currency: code } = await newest(group);
  assert.equal(description, name);
  return `${recorded} ${code}`;
}

test('what was understood stands below the field, and is recorded', { timeout: 120_000 }, async () => {
  const page = await form(EUR);
  for (const [text, shown, recorded] of [
    ['1.234,50', '= 1,234.50 EUR', '1234.5 EUR'],
    ['1,234.50', '= 1,234.50 EUR', '1234.5 EUR'],
    ['12,60', '', '12.6 EUR'],
    ['1 234', '= 1,234.00 EUR', '1234 EUR'],
    ['12,60+3.40', '= 16.00 EUR', '16 EUR'],
    ['10/3', '≈ 3.33 EUR', '3.33 EUR'],
    ['€12', '= 12.00 EUR', '12 EUR'],
    ['500 ₽', '= 500.00 RUB', '500 RUB'],
    ['１２．５', '= 12.50 EUR', '12.5 EUR'],
  ]) {
    await amount(page).pressSequentially(text);
    assert.equal(nbsp(await understood(page).textContent()), shown, text);
    assert.equal(await currency(page).inputValue(), recorded.split(' ')[1]);
    assert.equal(await record(page, EUR, text), recorded);
    // The next expense would begin with the last currency.
    await page.evaluate(() => localStorage.clear());
    await page.getByRole('link', { name: /^Add .*expense$/ }).click();
    await page.getByRole('heading', { name: 'New expense' }).waitFor();
    await ready(page);
  }
  assert.deepEqual(page.errors, []);
});

test('the shares follow what is understood, in its currency', async () => {
  const page = await form(EUR);
  await amount(page).fill('2×1.500,50 ¥'.replace('¥', 'usd'));
  await page.waitForFunction(() => document.querySelector('[data-share]').textContent === '1,000.34' || document.querySelector('[data-share]').textContent.includes('1,000.33'));
  assert.equal(await currency(page).inputValue(), 'USD');
  await amount(page).fill('12');
  assert.equal(await currency(page).inputValue(), 'EUR', 'the currency that was chosen is back');
  await page.waitForFunction(() => document.querySelector('[data-share]').textContent === '4.00');
});

test('an ambiguous amount is asked, and nothing is recorded before', async () => {
  const page = await form(TON, { size: NARROW });
  await amount(page).fill('1,234');
  await page.getByText('Which amount?').waitFor();
  await page.getByLabel('What for').fill('Asked');
  await save(page).click();
  await page.waitForFunction(() => document.activeElement.name === 'amount');
  assert.deepEqual(await server.call('alice', 'GET', `/api/groups/${TON.id}/expenses`), []);
  const buttons = understood(page).getByRole('button');
  assert.deepEqual((await buttons.allTextContents()).map(nbsp), ['1.234 TON (decimals)', '1 234 TON (thousands)']);
  assert.equal(await save(page).textContent(), 'Save · choose the amount first');
  await check(page, 'amount-asked');
  await buttons.last().click();
  assert.equal(nbsp(await understood(page).textContent()), '= 1,234 TON');
  assert.equal(await record(page, TON, 'Asked'), '1234 TON');
  // The amount of the form that edits it is not asked again.
  const id = (await newest(TON)).id;
  await server.call('alice', 'PUT', `/api/groups/${TON.id}/expenses/${id}`, { amount: '1.234' });
  const edit = await form(TON, {}, `/expenses/${id}/edit`);
  await edit.getByLabel('What for').fill('Not asked');
  await save(edit).click();
  await edit.waitForURL(`**/expenses/${id}`);
  assert.equal((await newest(TON)).amount, '1.234');
});

test('a sign of several currencies takes the one in use, or is asked', async () => {
  const page = await form(EUR);
  await amount(page).fill('5 kr');
  await page.getByText('Which kr?').waitFor();
  await understood(page).getByRole('button', { name: 'NOK' }).click();
  assert.equal(await record(page, EUR, 'Ferry'), '5 NOK');
  const again = await form(EUR);
  await amount(again).fill('7 kr');
  assert.equal(nbsp(await understood(again).textContent()), '= 7.00 NOK');
});

test('a refused amount says so, and is not sent', async () => {
  const page = await form(EUR);
  let posts = 0;
  page.on('request', (it) => { posts += Number(it.method() === 'POST') });
  await amount(page).fill('12,5000');
  assert.equal(await understood(page).textContent(), 'EUR has 2 decimals');
  await page.getByLabel('What for').fill('Refused');
  await save(page).click();
  await page.waitForFunction(() => document.activeElement.name === 'amount');
  assert.equal(posts, 0);
  await check(page, 'amount-refused');
  // What may still become an amount is not refused before the field is left.
  await amount(page).fill('12+');
  assert.equal(await understood(page).textContent(), '');
  await amount(page).blur();
  assert.equal(await understood(page).textContent(), 'An amount like 12.50');
  const ru = await form(EUR, { language: 'ru' });
  await amount(ru).fill('12 60x');
  await amount(ru).blur();
  assert.equal(await understood(ru).textContent(), 'Сумма, например 12,50');
});

test('a currency that is chosen by hand stands above one that was typed', async () => {
  const page = await form(EUR);
  await amount(page).fill('£5');
  assert.equal(await currency(page).inputValue(), 'GBP');
  await pick(page, 'dollar');
  assert.equal(await amount(page).inputValue(), '5.00');
  assert.equal(await record(page, EUR, 'By hand'), '5 USD');
});

test('shares, payers and lines take every notation, and no other currency', async () => {
  const page = await form(EUR, { size: NARROW });
  await amount(page).fill('1.000');
  await page.getByRole('radio', { name: 'Amounts' }).check();
  const [alice, bob, guest] = ['You', 'Bob Jones', 'Grandma'].map((it) => page.getByRole('textbox', { name: `Part of ${it}` }));
  await alice.fill('$ 5');
  await alice.blur();
  await page.getByText('Amounts here are in EUR').waitFor();
  await alice.fill('500,00 €');
  await bob.fill('100×3');
  await guest.fill('200');
  await page.waitForFunction(() => document.querySelectorAll('[data-share]')[0].textContent === '500.00');
  await page.getByText('Several people paid').click();
  await page.locator('[data-instead]').getByRole('checkbox', { name: 'Bob Jones' }).check();
  await page.getByLabel('Amount of Bob Jones').fill('1 000,00');
  await check(page, 'amount-shares');
  assert.equal(await record(page, EUR, 'Rent'), '1000 EUR');
  const { splits, payers } = await newest(EUR);
  assert.deepEqual(splits.map((it) => it.amount).sort(), ['200', '300', '500']);
  assert.equal((await newest(EUR)).payerName, 'Bob Jones', JSON.stringify(payers));
});

test('a percentage has a decimal mark only, and weights are counted by taps', async () => {
  const page = await form(EUR);
  await amount(page).fill('100');
  await page.getByRole('radio', { name: '%' }).check();
  const [alice, bob, guest] = ['You', 'Bob Jones', 'Grandma'].map((it) => page.getByRole('textbox', { name: `Part of ${it}` }));
  await alice.fill('33,333%');
  await bob.fill('33.333');
  await guest.fill('33,334');
  await page.waitForFunction(() => document.querySelectorAll('[data-share]')[0].textContent === '33.33');
  await page.getByRole('radio', { name: 'By shares' }).check();
  await alice.fill('1,1');
  await page.getByRole('button', { name: 'Less for You' }).click();
  await page.waitForFunction(() => document.querySelector('[name="splits[0].weight"]').value === '0.1' || [...document.querySelectorAll('[name$=weight]')].some((it) => it.value === '0.1'));
  assert.deepEqual(page.errors, []);
});

test('payments, spendings and targets take every notation', async () => {
  const pay = await form(EUR, {}, '/settle');
  await amount(pay).fill('1.234,50');
  await pay.getByLabel('To whom').selectOption({ label: 'Bob Jones' });
  await pay.getByRole('button', { name: 'Record payment' }).click();
  await pay.waitForURL('**/balances');
  const [payment] = await server.call('alice', 'GET', `/api/groups/${EUR.id}/settlements`);
  assert.equal(payment.amount, '1234.5');
  const edit = await form(EUR, {}, `/settlements/${payment.id}`);
  await edit.getByText('Put right').click();
  await edit.getByLabel('Amount, EUR').fill('$5');
  await edit.getByLabel('Amount, EUR').blur();
  await edit.getByText('An amount like 12.50').or(edit.getByText('Amounts here are in EUR')).waitFor();
  await edit.getByLabel('Amount, EUR').fill('3×4');
  assert.equal(nbsp(await understood(edit).textContent()), '= 12.00 EUR');
  await save(edit).click();
  await edit.waitForFunction(() => document.querySelector('.hero').textContent.includes('12.00'));

  const spend = await open(server, 'alice', '/app/me/days/2026-11-20');
  await amount(spend).last().fill('3,50 €');
  await spend.getByLabel('What', { exact: true }).fill('Coffee');
  await spend.getByRole('button', { name: 'Add spending' }).click();
  await spend.getByText('3.50').first().waitFor();

  const budgets = await open(server, 'alice', '/app/me/budgets');
  await pick(budgets, 'euro');
  await budgets.getByLabel('Everything').fill('1.200');
  assert.equal(nbsp(await understood(budgets).textContent()), '= 1,200.00 EUR');
  await save(budgets).click();
  await budgets.waitForURL('**/days');
  assert.equal((await server.call('alice', 'GET', '/api/users/me/targets')).total, '1200');
  for (const page of [pay, edit, spend, budgets]) assert.deepEqual(page.errors, []);
});

test('a form whose script could not be loaded keeps the entry and tries again', async () => {
  const page = await form(EUR, { before: (it) => it.route((url) => url.pathname === '/app/more.js', (route) => route.abort()) });
  await amount(page).fill('1.234,50');
  await page.getByLabel('What for').fill('Later');
  await save(page).click();
  await page.getByText('Your entry is kept').waitFor();
  await page.unrouteAll();
  await save(page).click();
  await page.waitForURL(`**/groups/${EUR.id}`);
  assert.equal((await newest(EUR)).amount, '1234.5');
});

test('an amount that a form proposes is in the reader\'s notation, and is read back exactly', async () => {
  const KWD = await server.call('alice', 'POST', '/api/groups', { title: 'Gulf', chatId: '53', currency: 'KWD' });
  await server.call('bob', 'POST', `/api/groups/${KWD.id}/join`, {});
  for (const [group, number, language, shown] of [[EUR, '1500.5', 'ru', '1500,50'], [EUR, '1500.5', 'en', '1500.50'], [KWD, '1.234', 'ru', '1,234'], [KWD, '1.5', 'en', '1.500']]) {
    const splits = [{ userId: '123456789', amount: '1.1' }, { userId: '987654321', amount: number === '1500.5' ? '1499.4' : number === '1.5' ? '0.4' : '0.134' }];
    const at = await server.call('alice', 'POST', `/api/groups/${group.id}/expenses`, { amount: number, description: 'Rent', splitType: 'exact', splits });
    const page = await form(group, { language }, `/expenses/${at.id}/edit`);
    assert.equal(await amount(page).inputValue(), shown);
    const parts = await page.locator('[name^="splits["][name$=".amount"]:visible').evaluateAll((all) => all.map((it) => it.value).filter(Boolean));
    const decimals = shown.length - shown.search(/[.,]/) - 1;
    for (const it of parts) assert.match(it, new RegExp(`^\\d+[${language === 'ru' ? ',' : '.'}]\\d{${decimals}}$`));
    assert.equal(await understood(page).count() && await understood(page).textContent(), await understood(page).count() ? '' : 0);
    await page.locator('#notes').fill('Changed');
    await page.locator('[data-main]').click();
    await page.waitForURL(`**/expenses/${at.id}`);
    const after = await server.call('alice', 'GET', `/api/groups/${group.id}/expenses/${at.id}`);
    assert.deepEqual([after.amount, after.notes], [number, 'Changed']);
    assert.deepEqual(after.splits.map((it) => it.amount).sort(), splits.map((it) => it.amount).sort());
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
  const pay = await form(EUR, { language: 'ru' }, '/settle?to=987654321&amount=6.5&currency=EUR');
  assert.equal(await amount(pay).inputValue(), '6,50');
  await pay.context().close();
});
