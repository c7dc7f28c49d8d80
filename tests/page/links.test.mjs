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
  ['en', { propose: 'Propose', confirm: 'Confirm', wrong: 'No', withdraw: 'Withdraw', says: /says: “.+” is you/, waits: 'Not confirmed yet', owes: /owes 20\.00\sEUR\. Then you owe .* in all\. This cannot be undone/ }],
  ['ru', { propose: 'Предложить', confirm: 'Подтвердить', wrong: 'Нет', withdraw: 'Отозвать', says: /: «.+» — это вы/, waits: 'Ещё не подтверждено', owes: /долг 20,00\sEUR\. Тогда вы должны всего .*нельзя/ }],
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
