// The page inside Telegram, with its script faked, and with a keyboard alone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NARROW, PHONE, check, open, ready, serve, tap } from './harness.mjs';

const server = await serve({ BOT_USERNAME: 'fracti_test_bot' });

// What Telegram's script offers, as far as the page uses it, and a record of how it is used.
// https://core.telegram.org/bots/webapps#initializing-mini-apps
const SCRIPT = `
  window.used = [];
  const button = (name) => ({
    handlers: [], text: '', visible: false,
    onClick(handler) { this.handlers.push(handler) },
    enabled: true, enable() { this.enabled = true }, disable() { this.enabled = false },
    show() { this.visible = true; return this }, hide() { this.visible = false; return this },
    setText(text) { this.text = text; return this },
    showProgress() { used.push(name + ' busy') }, hideProgress() { used.push(name + ' free') },
    press() { this.handlers.forEach((handler) => handler()) },
  });
  const events = {};
  window.Telegram = { WebApp: {
    themeParams: {}, MainButton: button('main'), BackButton: button('back'),
    SettingsButton: button('settings'), hideKeyboard: () => used.push('no keyboard'), addToHomeScreen: () => used.push('home screen'),
    setHeaderColor: (color) => used.push('header ' + color), setBackgroundColor: (color) => used.push('background ' + color), setBottomBarColor: (color) => used.push('bottom ' + color),
    disableVerticalSwipes() { this.isVerticalSwipesEnabled = false }, enableVerticalSwipes() { this.isVerticalSwipesEnabled = true },
    HapticFeedback: { notificationOccurred: (kind) => used.push('haptic ' + kind), selectionChanged: () => used.push('haptic selection') },
    enableClosingConfirmation() { this.isClosingConfirmationEnabled = true }, disableClosingConfirmation() { this.isClosingConfirmationEnabled = false },
    ready: () => used.push('ready'), expand: () => used.push('expand'),
    onEvent: (name, handler) => { events[name] = handler },
    openLink: (url) => used.push('open ' + url), openTelegramLink: (url) => used.push('telegram ' + url),
    paint(params) { this.themeParams = params; events.themeChanged() },
  } };`;

const DARK = { bg_color: '#17212b', secondary_bg_color: '#232e3c', section_bg_color: '#17212b', text_color: '#f5f5f5', link_color: '#6ab3f3', button_color: '#5288c1', button_text_color: '#ffffff' };
const launched = (more = '') => `&tgWebAppPlatform=ios&tgWebAppThemeParams=${encodeURIComponent(JSON.stringify(DARK))}${more}`;

const telegram = async (context) => {
  await context.route('https://telegram.org/js/telegram-web-app.js', (route) => route.fulfill({ contentType: 'text/javascript', body: SCRIPT }));
};

test('the way back of a form that a link opened leads to its group', async () => {
  const page = await open(server, 'alice', `${server.path}/expenses/new`, { telegram, extra: launched() });
  await page.waitForFunction(() => window.Telegram?.WebApp.BackButton);
  await page.evaluate(() => Telegram.WebApp.BackButton.press());
  await page.waitForURL(`**${server.path}`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test('what was entered survives the way back of Telegram', async () => {
  const page = await open(server, 'alice', server.path, { telegram, extra: launched() });
  await page.waitForFunction(() => window.Telegram?.WebApp.BackButton);
  await page.evaluate(() => Telegram.WebApp.MainButton.press());
  await page.fill('#amount', '86.40');
  await page.evaluate(() => Telegram.WebApp.BackButton.press());
  await page.waitForSelector('.hero');
  await page.getByText('kept as a draft').waitFor();
  await page.evaluate(() => Telegram.WebApp.MainButton.press());
  await page.waitForSelector('.draft');
  assert.equal(await page.inputValue('#amount'), '86.40');
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test('Telegram has its own buttons, theme and haptics', async () => {
  const page = await open(server, 'bob', `${server.path}/expenses/new`, { telegram, extra: launched() });
  await page.waitForFunction(() => window.Telegram?.WebApp.MainButton.visible);
  assert.equal(await page.evaluate(() => Telegram.WebApp.MainButton.text), 'Save');
  assert.ok(!(await page.getByRole('button', { name: /^Save($| ·)/ }).isVisible()), 'the own button is replaced');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.scheme), 'dark');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(35, 46, 60)');
  assert.equal(await page.evaluate(() => Telegram.WebApp.MainButton.enabled), false, 'nothing is entered');
  await check(page, 'telegram-dark');
  await page.getByLabel('Amount', { exact: true }).fill('9');
  await page.getByLabel('What for').fill('Tea');
  assert.deepEqual(await page.evaluate(() => [Telegram.WebApp.MainButton.text, Telegram.WebApp.MainButton.enabled]), ['Save · 9.00\u00a0EUR', true]);
  await page.evaluate(() => Telegram.WebApp.MainButton.press());
  await page.waitForURL(`**${server.path}`);
  const used = await page.evaluate(() => window.used);
  for (const what of ['ready', 'expand', 'main busy', 'haptic success']) assert.ok(used.includes(what), `${what} in ${used}`);
  await page.evaluate(() => Telegram.WebApp.BackButton.press());
  await page.waitForURL(/\/app/);
  await page.evaluate(() => Telegram.WebApp.paint({ bg_color: '#ffffff', text_color: '#000000' }));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.scheme), 'light');
});

test('Telegram asks before it closes over an entry, and not otherwise', async () => {
  const page = await open(server, 'bob', `${server.path}/expenses`, { telegram, extra: launched() });
  await page.waitForFunction(() => window.Telegram?.WebApp.MainButton);
  const asks = () => page.evaluate(() => Boolean(Telegram.WebApp.isClosingConfirmationEnabled));
  await page.locator('[type=search]').first().fill('Pizza');
  assert.equal(await asks(), false, 'searching is no entry');
  await page.goto(`${server.api}${server.path}/expenses/new`);
  await page.waitForFunction(() => window.Telegram?.WebApp.MainButton.visible);
  await page.fill('#amount', '9');
  assert.equal(await asks(), true);
  await page.fill('#description', 'Tea');
  await page.evaluate(() => Telegram.WebApp.MainButton.press());
  await page.waitForURL(`**${server.path}`);
  await ready(page);
  assert.equal(await asks(), false, 'it is recorded');
  await page.context().close();
});

test('a reload keeps who is signed in and the theme', async () => {
  const page = await open(server, 'bob', server.path, { telegram, extra: launched() });
  await page.goto(`${server.api}${server.path}/balances`);
  await ready(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.scheme), 'dark');
  await page.getByText('Who pays whom').waitFor();
});

test('six palettes of Telegram are readable', { timeout: 120_000 }, async () => {
  const palettes = {
    'ios-light': { bg_color: '#ffffff', secondary_bg_color: '#efeff4', section_bg_color: '#ffffff', text_color: '#000000', link_color: '#007aff', button_color: '#007aff', button_text_color: '#ffffff' },
    'ios-dark': { bg_color: '#000000', secondary_bg_color: '#1c1c1d', section_bg_color: '#2c2c2e', text_color: '#ffffff', link_color: '#3e88f7', button_color: '#3e88f7', button_text_color: '#ffffff' },
    'android-light': { bg_color: '#ffffff', secondary_bg_color: '#f0f0f0', section_bg_color: '#ffffff', text_color: '#222222', link_color: '#2678b6', button_color: '#50a8eb', button_text_color: '#ffffff' },
    'android-dark': { bg_color: '#1d2733', secondary_bg_color: '#151e27', section_bg_color: '#1d2733', text_color: '#ffffff', link_color: '#5eabe1', button_color: '#50a8eb', button_text_color: '#ffffff' },
    'desktop-day': { bg_color: '#ffffff', secondary_bg_color: '#f1f1f1', section_bg_color: '#ffffff', text_color: '#000000', link_color: '#168acd', button_color: '#40a7e3', button_text_color: '#ffffff' },
    'desktop-night': { bg_color: '#17212b', secondary_bg_color: '#232e3c', section_bg_color: '#17212b', text_color: '#f5f5f5', link_color: '#73b9f5', button_color: '#5288c1', button_text_color: '#ffffff' },
  };
  for (const [name, palette] of Object.entries(palettes)) {
    const page = await open(server, 'alice', `${server.path}/balances`, { telegram, extra: `&tgWebAppPlatform=x&tgWebAppThemeParams=${encodeURIComponent(JSON.stringify(palette))}` });
    await page.waitForFunction(() => document.documentElement.dataset.mainButton !== undefined);
    await check(page, `palette-${name}`);
    await page.context().close();
  }
});

test('an invitation opens from its link, and a question, too', async () => {
  const group = await server.call('dave', 'POST', '/api/groups', { title: 'Flat', chatId: '9', currency: 'EUR' });
  const page = await open(server, 'bob', '/app', { telegram, extra: launched(`&tgWebAppStartParam=g_${group.id.replaceAll('-', '')}`) });
  await page.getByRole('heading', { name: 'You are invited to a group' }).waitFor();
  assert.ok(!(await page.content()).includes('Flat'), 'nothing about the group is told');
  const [question] = await server.call('alice', 'GET', `/api/groups/${server.group}/questions`);
  const start = `q_${server.group.replaceAll('-', '')}_${question.id.replaceAll('-', '')}`;
  const claims = await open(server, 'carol', '/app', { telegram, extra: launched(`&tgWebAppStartParam=${start}`) });
  await claims.getByRole('heading', { name: 'Who had what?' }).waitFor();
});

test('the invitation is also a code for the camera of another phone', async () => {
  for (const [language, invite, code, size, scheme] of [['en', 'Invite', 'QR code of the invitation', NARROW, 'light'], ['ru', 'Пригласить', 'QR-код приглашения', PHONE, 'dark']]) {
    const page = await open(server, 'alice', `${server.path}/members`, { language, size, scheme });
    await page.getByText(invite, { exact: true }).click();
    const box = await page.getByRole('img', { name: code }).boundingBox();
    assert.equal(await page.locator('svg.qr > path').count(), 2, 'one inside of another is not drawn');
    assert.ok(box.width >= 200 && box.width === box.height, JSON.stringify(box));
    await check(page, `invitation-code-${language}`);
    await page.context().close();
  }
});

test('the chat of an empty group moves to another one, in its settings', async () => {
  server.sign('Gil', '14', '-80');
  const gil = () => server.call('gil', 'POST', '/api/groups/open', { title: 'Lisbon' });
  const old = await gil();
  server.sign('Gil', '14', '-81');
  const made = await gil();
  const page = await open(server, 'gil', `/app/groups/${made.id}/settings`, { size: NARROW, language: 'ru' });
  await page.getByText('У этого чата уже была группа?').click();
  await check(page, 'settings-move-ru');
  await page.getByRole('button', { name: 'Lisbon' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lisbon' }).click();
  await page.waitForURL(`**/app/groups/${old.id}`);
  await page.getByText('«Lisbon» теперь группа этого чата').waitFor();
  await page.context().close();
});

test('a chat opens its group: created once, joined by the others, who may be one of its guests', async () => {
  const chat = '-77';
  for (const [name, id] of [['Erik', '11'], ['Fay', '12']]) server.sign(name, id, chat);
  const erik = await open(server, 'erik', '/app', { telegram, extra: launched(), language: 'en-GB' });
  // The first one is told what this is, names the group, and is led to what comes next.
  await erik.getByRole('heading', { name: 'Name this group' }).waitFor();
  await erik.getByText('says who owes whom').waitFor();
  await erik.waitForFunction(() => document.querySelector('[name=currency]').value === 'GBP');
  await check(erik, 'name-group');
  await erik.getByLabel('Title').fill('Boat');
  await Promise.all([erik.waitForResponse((it) => it.request().method() === 'PATCH'), erik.evaluate(() => Telegram.WebApp.MainButton.press())]);
  await erik.getByRole('heading', { name: 'Boat' }).waitFor();
  assert.equal(await erik.locator('#status').innerText(), 'Saved');
  const [group] = await server.call('erik', 'GET', '/api/users/me/groups');
  assert.deepEqual([group.title, group.currency], ['Boat', 'GBP']);
  assert.equal(await erik.evaluate(() => Telegram.WebApp.MainButton.text), 'Add the first expense');
  await check(erik, 'first-steps');
  await erik.getByRole('button', { name: 'Send invitation' }).click();
  const sent = await erik.evaluate(() => window.used.findLast((it) => it.startsWith('telegram ')).slice(9));
  assert.match(new URL(sent).searchParams.get('url'), new RegExp(`startapp=g_${group.id.replaceAll('-', '')}$`));
  await server.call('erik', 'POST', `/api/groups/${group.id}/members`, { name: 'Fay without a phone' });
  // Fay has never been here: the group is hers, and one guest may be her.
  const fay = await open(server, 'fay', '/app', { telegram, extra: launched() });
  await fay.getByRole('heading', { name: 'Are you one of these?' }).waitFor();
  await check(fay, 'welcome-guests');
  await fay.getByRole('button', { name: 'That is me' }).click();
  await fay.getByRole('dialog').getByRole('button').nth(1).click();
  await fay.getByRole('button', { name: 'Ask to confirm' }).click();
  const used = await fay.evaluate(() => window.used);
  const shared = new URL(used.find((it) => it.startsWith('telegram ')).slice(9));
  assert.match(shared.searchParams.get('text'), /I am “Fay without a phone”/);
  assert.match(shared.searchParams.get('url'), /startapp=m_[0-9a-f]{32}$/);
  await fay.evaluate(() => Telegram.WebApp.BackButton.press());
  await fay.getByRole('heading', { name: 'Groups' }).waitFor();
  assert.equal((await server.call('fay', 'GET', '/api/users/me/groups')).length, 1);
  // The link leads whom it was sent to the members.
  const members = await open(server, 'erik', `/app?start=m_${group.id.replaceAll('-', '')}`);
  await members.getByRole('heading', { name: 'Members' }).waitFor();
  // Erik is no guest of the group that he made.
  await erik.evaluate(() => sessionStorage.clear());
  await erik.goto('about:blank');
  await erik.goto(server.links.erik + launched());
  await erik.getByRole('heading', { name: 'Boat' }).waitFor();
  assert.ok(erik.url().endsWith(`/app/groups/${group.id}`), erik.url());
  // The second time, the group is shown at once.
  await fay.evaluate(() => sessionStorage.clear());
  await fay.goto('about:blank');
  await fay.goto(server.links.fay + launched());
  await fay.getByRole('heading', { name: 'Boat' }).waitFor();
  assert.ok(fay.url().endsWith(`/app/groups/${group.id}`), fay.url());
  for (const page of [erik, fay, members]) assert.deepEqual(page.errors, []);
});

test('what is new is counted until it was looked at', async () => {
  const page = await open(server, 'bob', server.path);
  assert.ok(!(await page.getByText("What's new").isVisible()), 'a new device has nothing unread');
  await server.call('carol', 'POST', `/api/groups/${server.group}/expenses`, { amount: 4, description: 'Unread tea' });
  await page.reload();
  await ready(page);
  const mark = page.getByRole('link', { name: "What's new 1" });
  await mark.click();
  await page.getByRole('heading', { name: "What's new" }).waitFor();
  await page.getByText('Unread tea').first().waitFor();
  await page.goBack();
  await ready(page);
  await page.reload();
  await ready(page);
  assert.ok(!(await mark.isVisible()));
});

test('the last payer of this device is proposed for the next expense, which is split equally at first', async () => {
  const page = await open(server, 'carol', `${server.path}/expenses/new`);
  await page.getByLabel('Amount', { exact: true }).fill('8');
  await page.getByLabel('What for').fill('Remembered');
  await page.getByLabel('Paid by').selectOption({ label: 'Dave Brown' });
  await page.getByRole('radio', { name: 'By shares' }).check();
  await page.getByRole('button', { name: /^Save($| ·)/ }).click();
  await page.waitForURL(`**${server.path}`);
  await page.goto(`${server.api}${server.path}/expenses/new`);
  await ready(page);
  assert.equal(await page.getByLabel('Paid by').evaluate((it) => it.selectedOptions[0].textContent), 'Dave Brown');
  assert.ok(await page.getByRole('radio', { name: 'Equally', exact: true }).isChecked());
});

test('an expense is recorded with the keyboard alone', async () => {
  const page = await open(server, 'alice', server.path);
  const to = async (predicate) => {
    for (let n = 0; n < 60; n += 1) {
      if (await page.evaluate(predicate)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`no Tab leads to ${predicate}`);
  };
  await to(() => document.activeElement.textContent === 'Add expense');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New expense' }).waitFor();
  await to(() => document.activeElement.name === 'amount');
  await page.keyboard.type('12');
  await to(() => document.activeElement.name === 'description');
  await page.keyboard.type('Keyboard');
  await to(() => document.activeElement.name === 'splitType');
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.getByRole('radio', { name: 'By shares' }).isChecked());
  await to(() => document.activeElement.textContent.startsWith('Save ·'));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${server.path}`);
  await page.locator('[data-pages]').getByText('Keyboard').waitFor();
});

test('the focus follows to the heading of the next screen', async () => {
  const page = await open(server, 'alice', server.path);
  await tap(page, 'Balances');
  await page.waitForFunction(() => document.activeElement.tagName === 'H1');
});

test('a browser is signed in from Telegram, by a link that works once, until it signs out', async () => {
  const page = await open(server, 'alice', '/app/me', { telegram, extra: launched() });
  const make = async () => {
    await Promise.all([page.waitForResponse((it) => it.url().endsWith('/api/users/me/tokens')), page.getByRole('button', { name: 'Make a link' }).click()]);
    await page.getByRole('button', { name: 'Open' }).click();
    const link = await page.evaluate(() => window.used.filter((it) => it.startsWith('open ')).at(-1).slice(5));
    return new URL(link, server.api).href;
  };
  const fresh = async () => (await page.context().browser().newContext()).newPage();
  const follow = async (other, link, answer = 'Yes') => {
    await other.goto(link);
    await other.getByRole('dialog').getByRole('button', { name: answer }).click();
  };
  const first = await make();
  // Whoever did not make the link refuses it.
  const refuser = await fresh();
  await follow(refuser, first, 'Cancel');
  await refuser.getByRole('heading', { name: 'Open Fracti in Telegram' }).waitFor();
  assert.equal(await refuser.getByRole('link', { name: '@fracti_test_bot' }).getAttribute('href'), 'https://t.me/fracti_test_bot');
  assert.ok(await refuser.locator('img.qr').evaluate((it) => it.decode().then(() => it.naturalWidth > 0)), 'the code of the link for a phone');
  const browser = await fresh();
  await follow(browser, first);
  await browser.getByText('Alps 2026').first().waitFor();
  assert.ok(!browser.url().includes('code'), 'the code leaves the URL');
  await browser.reload();
  await browser.getByText('Alps 2026').first().waitFor();
  const other = await fresh();
  await follow(other, first);
  await other.getByRole('heading', { name: 'This link does not sign in' }).waitFor();
  // A second link of the same screen is another one, and may be pasted where the page is open.
  await other.goto(`${server.api}/app`);
  await other.getByRole('heading', { name: 'Open Fracti in Telegram' }).waitFor();
  await follow(other, await make());
  await other.getByText('Alps 2026').first().waitFor();
  // There is one browser at a time.
  await browser.reload();
  await browser.getByText('This browser is signed out').waitFor();
  await browser.getByRole('link', { name: '@fracti_test_bot' }).waitFor();
  await other.goto(`${server.api}/app/me`);
  await other.getByRole('button', { name: 'Sign out of this browser' }).click();
  await other.getByRole('heading', { name: 'Open Fracti in Telegram' }).waitFor();
  assert.equal(await other.evaluate(() => localStorage.length), 0);
  assert.deepEqual((await server.call('alice', 'GET', '/api/users/me/tokens')).filter((it) => it.name === 'Browser'), []);
});

test('an export in Telegram opens in a browser by one tap', async () => {
  const page = await open(server, 'alice', `${server.path}/export`, { telegram, extra: launched() });
  await tap(page, 'Open in a browser', { role: 'button' });
  await page.waitForFunction(() => window.used.some((it) => it.startsWith('open ')));
  const link = await page.evaluate(() => window.used.find((it) => it.startsWith('open ')).slice(5));
  const browser = await (await page.context().browser().newContext()).newPage();
  await browser.goto(new URL(link, server.api).href);
  await browser.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  const [file] = await Promise.all([browser.waitForEvent('download'), browser.getByRole('button', { name: 'Spreadsheet' }).click()]);
  assert.match(file.suggestedFilename(), /Alps-2026.*csv/);
  await browser.context().close();
  await page.context().close();
});

test('the page is part of Telegram: its colours, its menu, its taps', async () => {
  const page = await open(server, 'alice', server.path, { telegram, extra: launched() });
  const used = () => page.evaluate(() => window.used);
  await page.waitForFunction(() => window.used.includes('bottom secondary_bg_color'));
  assert.ok((await used()).includes('header secondary_bg_color'));
  await page.evaluate(() => window.Telegram.WebApp.SettingsButton.press());
  await page.waitForURL(`**${server.path}/settings`);
  assert.ok(await page.evaluate(() => window.Telegram.WebApp.SettingsButton.visible));
  await page.goto(`${server.api}${server.path}/expenses/new`);
  await ready(page);
  await page.fill('#amount', '12.555');
  assert.equal(await page.evaluate(() => window.Telegram.WebApp.isVerticalSwipesEnabled), false);
  await page.fill('#amount', '12');
  await page.evaluate(() => document.querySelector('[data-main]').click());
  await page.waitForFunction(() => window.used.includes('haptic error'));
  assert.ok((await used()).includes('no keyboard'));
  await page.goto(`${server.api}/app`);
  await ready(page);
  assert.equal(await page.evaluate(() => window.Telegram.WebApp.SettingsButton.visible), false);
  await page.context().close();
});

test('two accounts on one device do not see what the other has chosen or seen', async () => {
  const alice = await open(server, 'alice', `${server.path}/expenses/new`);
  await alice.getByLabel('Amount', { exact: true }).fill('8');
  await alice.getByLabel('What for').fill('Of Alice');
  await alice.getByLabel('Paid by').selectOption({ label: 'You' });
  await alice.getByRole('button', { name: /^Save($| ·)/ }).click();
  await alice.waitForURL(`**${server.path}`);
  await alice.goto('about:blank');
  await alice.goto(`${server.api}${server.path}/expenses/new${new URL(server.links.bob).hash}`);
  await ready(alice);
  assert.equal(await alice.getByLabel('Paid by').evaluate((it) => it.selectedOptions[0].textContent), 'You');
  const kept = await alice.evaluate(() => Object.keys(sessionStorage).filter((it) => it.endsWith(':seen')));
  assert.equal(kept.length, 2);
});

test('without storage the page is shown, and forgets', async () => {
  const denied = async (context) => context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('', 'SecurityError') } });
  });
  const page = await open(server, 'alice', server.path, { telegram: denied });
  await page.getByText('Pizzeria').waitFor();
  await page.getByRole('link', { name: 'Balances' }).click();
  await page.getByText('Who pays whom').waitFor();
  assert.deepEqual(page.errors, []);
});

test('a file is planned, imported, and taken back', async () => {
  const page = await open(server, 'alice', `${server.path}/import`);
  const csv = 'Date,Description,Category,Cost,Currency,Alice Smith,Erik\n2026-01-10,Taxi,Taxi,25.00,EUR,12.50,-12.50\n\n2026-01-31,Total balance,,,EUR,12.50,-12.50\n';
  await page.getByLabel('File').setInputFiles({ name: 'splitwise.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Show what will be added' }).click();
  await page.getByText('Expenses: 1, payments: 0').waitFor();
  const row = page.locator('[data-plan] li');
  const year = new Date().getFullYear() === 2026 ? '' : '.2026';
  assert.match(await row.innerText(), new RegExp(`Taxi\\s+10.Jan${year} · paid by Alice Smith\\s+25\\.00.EUR`));
  await check(page, 'import-plan');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.waitForURL(`**${server.path}`);
  await page.getByText('Imported. Expenses: 1, payments: 0').waitFor();
  await page.getByText('Taxi').waitFor();
  await page.goto(`${server.api}${server.path}/import`);
  await ready(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Taken back. Expenses: 1, payments: 0').waitFor();
  await page.getByText(/ · taken back · /).waitFor();
  assert.match(await page.locator('main').innerText(), /Splitwise\n.* · taken back · 1 expense/);
});

test('what a file does not say is asked, and then it is imported', async () => {
  const group = await server.call('carol', 'POST', '/api/groups', { title: 'Moved', chatId: '12', currency: 'EUR' });
  const page = await open(server, 'carol', `/app/groups/${group.id}/import`);
  const file = new URL('../fixtures/import/spliit.csv', import.meta.url).pathname;
  await page.getByLabel('File').setInputFiles(file);
  await page.getByRole('button', { name: 'Show what will be added' }).click();
  await page.getByLabel(/who paid/).first().waitFor();
  // The one amount to check is named, and so is what is not in the list yet.
  const plan = (await page.locator('[data-plan]').innerText()).replaceAll('\u00a0', ' ');
  assert.match(plan, /"Train tickets" of 2026-02-02 was 120\.31 CHF, and is recorded as 111\.06 EUR/);
  assert.match(plan, /waiting for your answer: 2/);
  assert.match(plan, /=Carol got back\s+100\.00 EUR/);
  await check(page, 'import-questions');
  const { payers } = JSON.parse(readFileSync(`${file}.answers.json`, 'utf8'));
  for (const [line, name] of Object.entries(payers)) await page.locator(`[data-answer=payers][data-key="${line}"]`).selectOption(name);
  await page.getByRole('button', { name: 'Continue with these answers' }).click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.waitForURL(`**/app/groups/${group.id}`);
  const [done] = await server.call('carol', 'GET', `/api/groups/${group.id}/imports`);
  assert.equal(done.status, 'done');
  assert.ok(done.expenses > 3, JSON.stringify(done));
});

test('what Fracti does not know in a file is left out only if the reader says so', async () => {
  const group = await server.call('carol', 'POST', '/api/groups', { title: 'Unknown', chatId: '13', currency: 'EUR' });
  const page = await open(server, 'carol', `/app/groups/${group.id}/import`);
  const bills = [{ what: 'Tea', amount: 10, currency: 'EUR', date: '2026-01-10', payer_name: 'Ann', payer_weight: 1, owers: ['Ann', 'Bo'], tips: 2.5 }];
  await page.getByLabel('File').setInputFiles({ name: 'bills.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(bills)) });
  await page.getByRole('button', { name: 'Show what will be added' }).click();
  await page.getByText('would be missing').waitFor();
  await check(page, 'import-unknown');
  for (const weight of await page.getByLabel(/How many shares/).all()) await weight.fill('1');
  // What is ticked while the next plan is on its way stays ticked.
  const planned = page.waitForResponse('**/api/groups/*/import');
  await page.route('**/api/groups/*/import', async (route) => {
    await new Promise((done) => setTimeout(done, 1000));
    await route.continue();
  }, { times: 1 });
  await page.getByRole('button', { name: 'Continue with these answers' }).click();
  await page.getByLabel('Import without tips').check();
  await planned;
  await page.getByLabel(/How many shares/).first().waitFor({ state: 'detached' });
  assert.ok(await page.getByLabel('Import without tips').isChecked());
  await page.getByRole('button', { name: 'Continue with these answers' }).click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.waitForURL(`**/app/groups/${group.id}`);
  await page.getByText('Imported. Expenses: 1, payments: 0').waitFor();
  assert.equal((await server.call('carol', 'GET', `/api/groups/${group.id}/expenses`))[0].amount, '10');
});

test('an exported file is what the API exports', async () => {
  const page = await open(server, 'alice', `${server.path}/export`);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  assert.match(download.suggestedFilename(), /^Alps-2026-\d{4}-\d\d-\d\d\.csv$/);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  const response = await fetch(`${server.api}/api/groups/${server.group}/export?format=csv&amounts=text`, { headers: { authorization: `tma ${server.token('alice')}` } });
  assert.equal(Buffer.concat(chunks).toString(), await response.text());
});
