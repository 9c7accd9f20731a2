// Chromium of this machine under a driver; nothing is downloaded.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; `undefined` where there is none. */
export function browserHere() {
  return [process.env['CHROMIUM'] ?? '', ...PLACES].find((file) => file !== '' && existsSync(file));
}

/** Starts the browser, without a window. */
export function startBrowser() {
  return chromium.launch({
    executablePath: browserHere(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

/** What axe finds wrong with a page: each rule, and the places. */
export async function axeFaults(page) {
  await page.evaluate(readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
  return page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
}
