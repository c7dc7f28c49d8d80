// Every screen, in both colour schemes, on phones and at a desk, in both languages, and mirrored.

import { test } from 'node:test';
import { DESK, NARROW, PHONE, check, open, serve } from './harness.mjs';

const server = await serve();
const at = (path) => `${server.path}${path}`;
const SCREENS = {
  home: '/app',
  group: at(''),
  balances: at('/balances'),
};

const LOOKS = {
  'phone-light': { size: PHONE, scheme: 'light' },
  'phone-dark-ru': { size: PHONE, scheme: 'dark', language: 'ru' },
  'narrow-rtl': { size: NARROW, extra: '&direction=ar' },
  'desk-light': { size: DESK },
};

for (const [screen, path] of Object.entries(SCREENS)) {
  for (const [look, options] of Object.entries(LOOKS)) {
    test(`${screen}, ${look}`, async () => {
      const page = await open(server, 'alice', path, options);
      await check(page, `${screen}-${look}`);
      await page.context().close();
    });
  }
}
