// A group of as many members as there can be: its forms make the rows of the members, of whom each is
// sent once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NARROW, check, open, ready, serve } from './harness.mjs';

const server = await serve();
const MEMBERS = 500;
// What the script must not read as a place of a template, as an element or as the number of a line.
const ODD = '{id} #7 $& <b>"x"</b>';
const HEBREW = 'נועה כהן';

const group = await server.call('alice', 'POST', '/api/groups', { title: 'Village', chatId: 'village', currency: 'EUR' });
const path = `/app/groups/${group.id}`, api = `/api/groups/${group.id}`;
const names = [ODD, HEBREW, ...Array.from({ length: MEMBERS - 3 }, (_, at) => `Member ${String(at + 3).padStart(3, '0')}`)];
const ids = {};
for (const name of names) ids[name] = (await server.call('alice', 'POST', `${api}/members`, { name })).id;
const LAST = names.at(-1);

const row = (page, id) => page.locator(`.shares [data-row]:has([value="${id}"])`);
const expense = async () => (await server.call('alice', 'GET', `${api}/expenses`))[0];
const shares = ({ splits }) => Object.fromEntries(splits.map((it) => [it.userName, it.amount]));
const save = async (page, url) => {
  await page.locator('[data-main]').click();
  await page.waitForURL(url);
  await ready(page);
};

test('amounts of a few of 500 are recorded, and an edit keeps them', { timeout: 120_000 }, async () => {
  const page = await open(server, 'alice', `${path}/expenses/new`);
  const rows = page.locator('[data-counts][name^="splits["]');
  assert.equal(await rows.count(), MEMBERS);
  assert.equal(await page.locator('[data-counts][name^="payers["]').count(), MEMBERS);
  assert.equal(await rows.last().getAttribute('name'), `splits[${MEMBERS - 1}].userId`);
  assert.equal(await page.locator('template[data-each]').count(), 0, 'every list has its rows');
  await page.locator('[data-none]').click();
  await page.getByRole('radio', { name: 'Amounts' }).check();
  await page.fill('#amount', '60');
  await page.fill('#description', 'Bread');
  for (const [name, amount] of [[ODD, '10'], [HEBREW, '20'], [LAST, '30']]) {
    await page.getByRole('checkbox', { name: `${name} shares it`, exact: true }).check();
    await page.getByRole('textbox', { name: `Part of ${name}`, exact: true }).fill(amount);
  }
  await page.waitForFunction((id) => document.querySelector(`[data-share="${id}"]`).textContent === '30.00', ids[LAST]);
  assert.equal(await row(page, ids[ODD]).locator('.name bdi').textContent(), ODD);
  assert.deepEqual(page.errors, []);
  await save(page, `**${path}`);
  const made = await expense();
  assert.deepEqual(shares(made), { [ODD]: '10', [HEBREW]: '20', [LAST]: '30' });

  await page.goto(`${server.api}${path}/expenses/${made.id}/edit`);
  await ready(page);
  const ticked = page.locator('[name^="splits["]:checked');
  assert.deepEqual(await ticked.evaluateAll((all) => all.map((it) => it.ariaLabel)), [ODD, HEBREW, LAST].map((it) => `${it} shares it`));
  const part = (name) => page.getByRole('textbox', { name: `Part of ${name}`, exact: true });
  assert.deepEqual(await Promise.all([ODD, HEBREW, LAST].map((it) => part(it).inputValue())), ['10.00', '20.00', '30.00']);
  await part(LAST).fill('40');
  await page.fill('#amount', '70');
  await save(page, new RegExp(`expenses/${made.id}$`));
  assert.deepEqual(shares(await expense()), { [ODD]: '10', [HEBREW]: '20', [LAST]: '40' });
  await page.context().close();
});

test('weights, several payers and percentages of an edit are those that were recorded', { timeout: 120_000 }, async () => {
  const of = (field, numbers) => Object.entries(numbers).map(([name, number]) => ({ userId: ids[name], [field]: number }));
  const payers = of('amount', { [HEBREW]: '70', [LAST]: '30' });
  for (const [splitType, field, numbers] of [['shares', 'weight', { [ODD]: '2', [LAST]: '0.5' }], ['percentage', 'percentage', { [HEBREW]: '33.3', [LAST]: '66.7' }], ['adjustment', 'adjustment', { [ODD]: '-5', [HEBREW]: '5' }]]) {
    const made = await server.call('alice', 'POST', `${api}/expenses`, { amount: '100', description: 'Wine', payers, splitType, splits: of(field, numbers) });
    const page = await open(server, 'alice', `${path}/expenses/${made.id}/edit`);
    await page.fill('#description', 'Old wine');
    await save(page, new RegExp(`expenses/${made.id}$`));
    const edited = await server.call('alice', 'GET', `${api}/expenses/${made.id}`);
    const said = ({ splits, payers: paid }) => [splits.map((it) => [it.userName, it.amount, it[field]]), paid.map((it) => [it.userName, it.amount])];
    assert.deepEqual([edited.description, said(edited)], ['Old wine', said(made)], splitType);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});

test('the lines of a receipt keep their sharers and weights, in a draft, too', { timeout: 120_000 }, async () => {
  const items = [
    { name: 'Soup', amount: '12', sharers: [{ userId: ids[ODD], weight: '2' }, { userId: ids[LAST] }] },
    { name: 'Tea', amount: '3', sharers: [{ userId: ids[HEBREW] }] },
  ];
  const made = await server.call('alice', 'POST', `${api}/expenses`, { description: 'Inn', splitType: 'itemized', items });
  const page = await open(server, 'alice', `${path}/expenses/${made.id}/edit`);
  await page.locator('[data-add=line]').click();
  const line = page.locator('form [data-row]:has([name^="items["])').last();
  await line.getByLabel('What', { exact: true }).fill('Beer');
  await line.getByLabel('Amount').fill('5');
  for (const name of [ODD, LAST]) await line.getByRole('checkbox', { name, exact: true }).check();
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector('.draft');
  assert.deepEqual(await line.locator(':checked').evaluateAll((all) => all.map((it) => it.ariaLabel)), [ODD, LAST]);
  await save(page, new RegExp(`expenses/${made.id}$`));
  const edited = await server.call('alice', 'GET', `${api}/expenses/${made.id}`);
  const lines = ({ items: all }) => all.map((it) => [it.name, it.sharers.map((one) => [one.userId, one.weight ?? '1'])]);
  assert.deepEqual(lines(edited), [...lines(made), ['Beer', [[ids[ODD], '1'], [ids[LAST], '1']]]]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test('a rule of the usual split keeps a member who has left, and shares what comes next', { timeout: 120_000 }, async () => {
  const gone = names[5];
  const weights = { [gone]: '4', [LAST]: '3', [HEBREW]: '1' };
  const splits = Object.entries(weights).map(([name, weight]) => ({ userId: ids[name], weight }));
  await server.call('alice', 'PATCH', api, { defaultSplits: [{ splits }] });
  await server.call('alice', 'DELETE', `${api}/members/${ids[gone]}`);
  const page = await open(server, 'alice', `${path}/split`, { size: NARROW, extra: '&direction=he', deviceScaleFactor: 1 });
  const ticked = page.locator('[data-row]:has([data-counts]:checked)');
  const rows = () => ticked.evaluateAll((all) => all.map((it) => [it.querySelector('bdi').textContent, it.querySelector('.num').value]));
  assert.deepEqual(await rows(), [[HEBREW, '1'], [LAST, '3'], [gone, '4']]);
  await page.getByRole('button', { name: `More for ${LAST}`, exact: true }).click();
  await page.locator('[data-main]').click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const { defaultSplits } = await server.call('alice', 'GET', api);
  const stored = Object.fromEntries(defaultSplits[0].splits.map((it) => [it.userId, it.weight]));
  assert.deepEqual(stored, { [ids[gone]]: '4', [ids[LAST]]: '4', [ids[HEBREW]]: '1' });
  await page.goto(`${server.api}${path}/expenses/new`);
  await ready(page);
  await page.fill('#amount', '50');
  const usual = page.locator('[data-of=usual] .row');
  assert.equal(await usual.count(), 2);
  await usual.filter({ hasText: LAST }).getByText('40.00').waitFor();
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test('balances of all are shown page after page', { timeout: 60_000 }, async () => {
  const page = await open(server, 'alice', `${path}/balances`);
  const rows = page.locator('[data-pages] li');
  assert.ok(await rows.count() < MEMBERS);
  for (let tries = 0; tries < 60 && await page.locator('[data-more]').count(); tries += 1) {
    await page.locator('[data-more]').scrollIntoViewIfNeeded().catch(() => {});
    await page.waitForTimeout(100);
  }
  // One was removed.
  assert.equal(await rows.count(), MEMBERS - 1);
  const links = await rows.locator('a').evaluateAll((all) => all.map((it) => it.pathname));
  assert.equal(new Set(links).size, MEMBERS - 1);
  await check(page, 'balances-large', { examined: false });
  await page.context().close();
});
