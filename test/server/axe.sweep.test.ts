import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { openStore } from '../../src/index.js';
import type { Listening } from '../../src/server/index.js';
import { createServer, listen, loopbackHosts } from '../../src/server/index.js';
import type { Browser } from '../../tools/browser/chromium.mjs';
import { asking, coding, PICK, TOKEN } from './server-harness.js';

const driver = isInstalled() ? await import('../../tools/browser/chromium.mjs') : undefined;
const why = 'needs `npm run tools` and a Chromium on this machine';

describe.skipIf(driver?.browserHere() === undefined)(`axe and the pages of hitl serve (${why})`, () => {
  const store = openStore();
  let server: Listening;
  let browser: Browser;
  let base = '';

  beforeAll(async () => {
    await asking(store, 'transfer');
    await asking(store, 'pick', PICK);
    await coding(store, 'shop');
    server = await listen((port) => {
      const access = { type: 'link', token: TOKEN, name: 'ann' } as const;
      return createServer({ store, access, port, hosts: loopbackHosts(port) });
    });
    base = server.origin;
    browser = await driver!.startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  /** Opens pages one after the other, signed in. */
  async function signedIn(colorScheme: 'light' | 'dark') {
    const page = await (await browser.newContext({ colorScheme })).newPage();
    await page.goto(`${base}/?token=${TOKEN}`);
    return page;
  }

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    test.for([
      ...['/', '/sessions', '/sessions/transfer', '/sessions/transfer/questions/i1'],
      ...['/sessions/pick/questions/i1', '/sessions/nobody', '/sessions/shop', '/sessions/shop/questions/i2'],
      ...['/?words=nothing', '/sessions/shop?before=3'],
    ])('It finds nothing wrong with %s.', async (place) => {
      const page = await signedIn(colorScheme);
      await page.goto(`${base}${place}`);
      expect(await driver!.axeFaults(page)).toEqual([]);
    });

    test('It finds nothing wrong with an edit that is looked at.', async () => {
      const page = await signedIn(colorScheme);
      await page.goto(`${base}/sessions/transfer/questions/i1`);
      await page.keyboard.press('e');
      await page.fill('[name="input.amount"]', '150');
      await page.click('text=Review change');
      await page.waitForSelector('button:text("approve with this")');
      expect(await driver!.axeFaults(page)).toEqual([]);
    });

    test('It finds nothing wrong with the actions behind `?`.', async () => {
      const page = await signedIn(colorScheme);
      await page.goto(`${base}/sessions/shop/questions/i2`);
      await page.click('summary:has-text("? more")');
      expect(await driver!.axeFaults(page)).toEqual([]);
    });

    test('It finds nothing wrong with the page for whoever is not let in.', async () => {
      const page = await (await browser.newContext({ colorScheme })).newPage();
      await page.goto(`${base}/`);
      expect(await driver!.axeFaults(page)).toEqual([]);
    });
  });

  test('It looks: a picture without words is a fault.', async () => {
    const page = await signedIn('light');
    await page.evaluate(`document.querySelector('main').append(new Image())`);
    expect(await driver!.axeFaults(page)).toEqual([expect.stringMatching(/^image-alt: /u)]);
  });
});
