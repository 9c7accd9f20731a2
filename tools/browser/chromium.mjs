// Chromium of this machine under a driver; nothing is downloaded.
import { existsSync } from 'node:fs';

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
