// A local server with the demo group, browsers of its friends, and what every scenario asserts.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';

// The packages are below target/, so that the source has no installed files.
const require = createRequire(`${process.env.PAGE_MODULES ?? new URL('../../target/page/', import.meta.url).pathname}x.js`);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const root = new URL('../../', import.meta.url).pathname;
export const shots = `${root}target/page/pictures/`;
mkdirSync(shots, { recursive: true });

export const PHONE = { width: 390, height: 844 };
export const NARROW = { width: 320, height: 640 };
export const DESK = { width: 1280, height: 900 };

/** A server of its own for a file of scenarios. It ends with the process. */
export async function serve(env = {}) {
  const server = spawn(`${root}target/debug/fracti-local`, ['--demo', '--port', '0', '--dynamodb-port', '0', '--keeper-seconds', env.FRACTI_KEEPER ?? '0', ...(env.FRACTI_TELEGRAM ? ['--fake-telegram', '--telegram-port', '0'] : [])], { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } });
  const links = {};
  let api, group;
  after(() => server.kill());
  for await (const line of createInterface({ input: server.stdout })) {
    const page = line.match(/^page (\S+) \((\w+)/);
    if (page) links[page[2].toLowerCase()] = page[1];
    if (line.startsWith('api ')) api = line.slice(4);
    if (line.startsWith('demo group ')) group = line.slice(11);
    if (line.startsWith('export DAVE')) break;
  }
  const token = (name) => new URLSearchParams(new URL(links[name]).hash.slice(1)).get('tgWebAppData');
  /** Calls the API as a friend. */
  const call = async (name, method, path, body) => {
    const response = await fetch(api + path, {
      method, headers: { authorization: `tma ${token(name)}`, 'content-type': 'application/json', accept: 'application/json;amounts=text' },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  /** Init data of any user, as Telegram signs it; with a chat, as of a link in that chat. */
  const sign = (name, id, chat) => {
    const port = new URL(api).port;
    const args = ['--port', port, 'sign', '--link', '--user', id, '--name', name, ...(chat ? [`--chat=${chat}`] : [])];
    links[name.toLowerCase()] = execFileSync(`${root}target/debug/fracti-local`, args, { encoding: 'utf8' }).trim();
  };
  return { api, group, links, call, sign, token, path: `/app/groups/${group}` };
}

let browser;
export const launch = async () => {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  return browser;
};
after(() => browser?.close());

/** A friend's browser at a path, signed in. Console errors and reports of the CSP fail the test. */
export async function open(server, name, path = '/app', { size = PHONE, scheme = 'light', language = 'en', extra = '', telegram, before, ...more } = {}) {
  const context = await (await launch()).newContext({
    viewport: size, colorScheme: scheme, locale: language, deviceScaleFactor: 2, reducedMotion: 'reduce', hasTouch: size.width < 900, ...more,
  });
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => {
    // A refusal of the API that the page handles is logged by the browser, too.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== server.api && !(telegram && url.host === 'telegram.org')) errors.push(`a request to ${url.host}`);
  });
  page.errors = errors;
  // A screen is shown in the same document, for which Playwright's network is idle once and for all.
  const loading = page.loading = new Set();
  page.on('request', (request) => loading.add(request));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => loading.delete(request));
  if (telegram) await telegram(context, page);
  await before?.(page);
  const hash = new URL(server.links[name]).hash;
  await page.goto(`${server.api}${path}${hash}${extra}`);
  await ready(page);
  return page;
}

/** Waits until the screen is shown and nothing has loaded for 100 ms. */
export async function ready(page) {
  await page.waitForSelector('main:not([aria-busy]) h1');
  for (let idle = 0; idle < 4; idle = page.loading?.size ? 0 : idle + 1) await page.waitForTimeout(25);
}

/** Follows a link or presses a button, and waits for the next screen. */
export async function tap(page, name, { role = 'link', within = page } = {}) {
  await within.getByRole(role, { name }).first().click();
  await ready(page);
}

/** Asserts what holds on every screen, and keeps a picture. */
export async function check(page, name, { examined = true } = {}) {
  // The shares of an entry come a moment after it.
  if (await page.locator('form[data-preview]').count()) {
    await page.waitForTimeout(300);
    for (let tries = 0; page.loading?.size && tries < 40; tries += 1) await page.waitForTimeout(25);
  }
  await page.screenshot({ path: `${shots}${name}.png`, fullPage: true });
  assert.deepEqual(page.errors, [], name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${name} scrolls sideways by ${wide} px`);
  const small = await page.evaluate(() => [...document.querySelectorAll('main a, main button, main select, main summary, main input')]
    .map((it) => [it, (it.closest('.check, .segments label, .toggle') ?? it).getBoundingClientRect()])
    .filter(([it, box]) => box.width > 0 && it.type !== 'hidden' && (box.height < 43.5 || box.width < 43.5))
    .map(([it, box]) => `${it.outerHTML.slice(0, 90)} ${box.width}x${box.height}`));
  assert.deepEqual(small, [], `${name}: targets below 44 px`);
  const touching = await page.evaluate(() => [...document.querySelectorAll('main .card')]
    .filter((it) => it.offsetHeight && !it.parentElement.closest('.card'))
    .map((it) => [it, it.getBoundingClientRect()])
    .filter(([, { bottom }], index, all) => {
      const gap = (all[index + 1]?.[1].top ?? Infinity) - bottom;
      // In columns, the next one is beside it.
      return gap > -1 && gap < 8;
    })
    .map(([it]) => it.outerHTML.slice(0, 90)));
  assert.deepEqual(touching, [], `${name}: cards without a gap`);
  if (!examined) return;
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));
  const findings = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120) + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`);
  assert.deepEqual(findings, [], name);
}

/** Chooses a currency in its list, by what a person would look for. */
export async function pick(page, words) {
  await page.locator('button[data-currency]').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').fill(words);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}
