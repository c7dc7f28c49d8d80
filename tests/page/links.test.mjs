// Who a guest is: both sides say so. And the invitation that is sent once more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, open, ready, serve } from './harness.mjs';

const server = await serve();
const group = () => server.call('alice', 'GET', `/api/groups/${server.group}`);
const sent = async (page, method, act) => {
  await Promise.all([page.waitForResponse((it) => it.request().method() === method && it.url().endsWith('/link')), act()]);
  await ready(page);
};
const yes = async (page, button) => {
  await button.click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const question = await dialog.textContent();
  await sent(page, 'POST', () => dialog.getByRole('button').nth(1).click());
  return question;
};

for (const [language, words] of [
  ['en', { propose: 'Propose', confirm: 'Yes, that is me', wrong: 'Not me', withdraw: 'Withdraw', says: /says: the guest “.+” is you/, waits: 'Not confirmed yet', owes: /owes 20\.00\sEUR\. Then you owe .* in all\. This cannot be undone/ }],
  ['ru', { propose: 'Предложить', confirm: 'Да, это я', wrong: 'Нет, не я', withdraw: 'Отозвать', says: /: гость «.+» — это вы/, waits: 'Ещё не подтверждено', owes: /долг 20,00\sEUR\. После этого вы будете должны всего .*нельзя/ }],
]) {
  test(`a guest is linked once the user confirms what another member says, ${language}`, async () => {
    const guest = await server.call('alice', 'POST', `/api/groups/${server.group}/members`, { name: `Mum ${language}` });
    const splits = [{ userId: guest.id }];
    await server.call('alice', 'POST', `/api/groups/${server.group}/expenses`, { amount: 20, description: 'Cake', splits });
    const alice = await open(server, 'alice', `${server.path}/members`, { language });
    const row = alice.locator('li', { hasText: guest.name });
    await row.locator('summary').click();
    await row.locator('select').selectOption({ label: 'Dave Brown' });
    await yes(alice, row.getByRole('button', { name: words.propose }));
    await alice.locator('#status', { hasText: language === 'en' ? 'Proposed' : 'Предложено' }).waitFor();
    // The list is loaded again, with the guest's fold closed.
    await row.getByText(words.waits).waitFor({ state: 'attached' });
    await row.locator('summary').click();
    await row.getByText(words.waits).waitFor();
    await check(alice, `link-proposed-${language}`);
    // The start of the user and the group's screen ask, and the user knows what follows.
    const dave = await open(server, 'dave', '/app', { language });
    await dave.locator('a', { hasText: guest.name }).first().waitFor();
    await dave.goto(`${server.api}${server.path}`);
    await ready(dave);
    const asked = dave.locator('li', { hasText: guest.name }).first();
    assert.match(await asked.textContent(), words.says);
    await check(dave, `link-asked-${language}`);
    await sent(dave, 'DELETE', () => asked.getByRole('button', { name: words.wrong }).click());
    assert.equal((await group()).members.find((it) => it.id === guest.id).link, undefined);
    // Declined, and proposed again.
    const path = `/api/groups/${server.group}/members/${guest.id}/link`;
    await server.call('alice', 'POST', path, { userId: (await server.call('dave', 'GET', '/api/users/me')).id });
    await dave.reload();
    await ready(dave);
    const question = await yes(dave, dave.locator('li', { hasText: guest.name }).first().getByRole('button', { name: words.confirm }));
    assert.match(question, words.owes);
    const { members } = await group();
    assert.ok(members.find((it) => it.id === guest.id).linkedTo, 'linked');
    for (const page of [alice, dave]) await page.context().close();
  });
}

test('the invitation is shown, sent once more, and made anew', async () => {
  const page = await open(server, 'alice', `${server.path}/members`);
  await page.getByText('Invite', { exact: true }).click();
  const link = () => page.locator('p.link').textContent();
  const byId = await link();
  assert.ok(byId.endsWith(`start=g_${server.group.replaceAll('-', '')}`), byId);
  await page.getByRole('button', { name: 'Make a new link' }).click();
  await page.waitForFunction((before) => document.querySelector('p.link')?.textContent !== before, byId);
  await page.getByText('Invite', { exact: true }).click();
  const { code } = await server.call('alice', 'GET', `/api/groups/${server.group}/invitation`);
  assert.equal(await link(), `${byId}_${code}`);
  await check(page, 'invitation');
  await page.reload();
  await ready(page);
  assert.equal(await link(), `${byId}_${code}`, 'the next day, too');
  await page.context().close();
});

test('members of one name are told apart, also in what is new, points and payments that wait', async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'Namesakes', chatId: 'namesakes', currency: 'EUR' });
  const api = `/api/groups/${group.id}`;
  for (const id of ['41', '42']) {
    server.sign('Sam', id);
    await server.call('sam', 'POST', `${api}/join`, {});
  }
  await server.call('sam', 'POST', `${api}/settlements`, { toId: '123456789', amount: 5 });
  const page = await open(server, 'alice', '/app');
  await page.locator('section', { hasText: 'Waiting for you' }).getByText('Sam (2)').waitFor();
  await page.goto(`${server.api}/app/groups/${group.id}/changes`);
  await ready(page);
  assert.match(await page.locator('main li', { hasText: 'recorded a payment' }).innerText(), /Sam \(2\) → You/);
  await page.goto(`${server.api}/app/groups/${group.id}/members`);
  await ready(page);
  const row = page.locator('li', { hasText: 'Sam (2)' });
  await row.locator('summary').click();
  await row.getByText('A payment is not confirmed yet').waitFor();
  await page.context().close();
});

test('many members are shown page by page, found by their names, and listed for a choice that is opened', async () => {
  const group = await server.call('alice', 'POST', '/api/groups', { title: 'Crowd', chatId: 'crowd', currency: 'EUR' });
  await server.call('bob', 'POST', `/api/groups/${group.id}/join`, {});
  for (let number = 1; number <= 70; number += 1) await server.call('alice', 'POST', `/api/groups/${group.id}/members`, { name: `Guest ${number}` });
  const read = async (at) => (await fetch(`${server.api}/screens/groups/${group.id}${at}`, { headers: { authorization: `tma ${server.token('alice')}` } })).text();
  assert.ok((await read('/members')).length < 95_000, `${(await read('/members')).length} bytes`);
  assert.equal((await read('/members')).split('value="987654321"').length - 1, 0, 'the users are not in each row');
  for (const [language, search, found] of [['en', 'Search', 'Guest 68'], ['ru', 'Поиск', 'Guest 69']]) {
    const page = await open(server, 'alice', `/app/groups/${group.id}/members`, { language });
    assert.equal(await page.locator('[data-pages] > ul > li').count(), 50);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.waitForFunction(() => document.querySelectorAll('[data-pages] > ul > li').length === 72);
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByLabel(search).fill(found);
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    await page.waitForFunction(() => document.querySelectorAll('[data-pages] > ul > li').length === 1);
    const row = page.locator('[data-pages] li', { hasText: found });
    await row.locator('summary').click();
    await row.locator('select').selectOption({ label: 'Bob Jones' });
    await check(page, `member-found-${language}`);
    await page.context().close();
  }
});
