// What a page shows is there to be seen, before a yes is: every golden question, and those of somebody who hides a value,
// in a real browser from the width of a phone up.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import type { Listening } from '../../src/server/index.js';
import { createServer, listen, loopbackHosts } from '../../src/server/index.js';
import { STYLE } from '../../src/server/pages/style.js';
import type { Browser } from '../../tools/browser/chromium.mjs';
import { TOKEN } from './server-harness.js';
import { BUTTONS, LOOK } from './in-sight.js';
import { sceneStore, SHOWN_AT, SHOWN_SCENES, shownTexts } from './shown-scenes.js';

const driver = isInstalled() ? await import('../../tools/browser/chromium.mjs') : undefined;
const why = 'needs `npm run tools` and a Chromium on this machine';

const WIDTHS = [320, 390, 1280];
const HEIGHT = 800;
/** The page has seen that the window is another one. */
const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

describe.skipIf(driver?.browserHere() === undefined)(`a question in a browser (${why})`, () => {
  const scenes = [...SHOWN_SCENES.values()];
  const names = [...SHOWN_SCENES.keys()];
  let server: Listening;
  let browser: Browser;
  let base = '';

  beforeAll(async () => {
    const clock = { now: () => SHOWN_AT, sleep: () => new Promise<void>(() => undefined) };
    server = await listen((port) => {
      const access = { type: 'link', token: TOKEN, name: 'ann' } as const;
      const store = sceneStore(scenes);
      return createServer({ store, access, clock, port, hosts: loopbackHosts(port) });
    });
    base = `http://127.0.0.1:${server.port}`;
    browser = await driver!.startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function signedIn(options: { readonly javaScriptEnabled?: boolean } = {}) {
    const context = await browser.newContext({ ...options, viewport: { width: 1280, height: HEIGHT } });
    const page = await context.newPage();
    await page.goto(`${base}/?token=${TOKEN}`);
    return { page, context };
  }

  type Page = Awaited<ReturnType<typeof signedIn>>['page'];

  /** What is wrong with each question of a scene at each width, and what becomes of its yes. */
  async function looked(page: Page, index: number, settled = FRAMES) {
    const { open, state } = scenes[index]!;
    const found: unknown[] = [];
    for (const interrupt of open) {
      await page.goto(`${base}/sessions/s${index}/questions/${interrupt.id}`);
      const texts = shownTexts(interrupt, { ...state, graph: { waiting: () => open } as never });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.evaluate(settled);
        const faults = await page.evaluate(LOOK(texts));
        const { held, early, words } = (await page.evaluate(BUTTONS)) as Record<string, unknown>;
        found.push({ width, faults, held, early, words });
      }
    }
    return found;
  }

  describe.each([
    ['with its script', true],
    ['without a script', false],
  ])('%s', (_name, javaScriptEnabled) => {
    let opened: Awaited<ReturnType<typeof signedIn>>;
    beforeAll(async () => {
      opened = await signedIn({ javaScriptEnabled });
    });
    afterAll(() => opened.context.close());

    test.for(names)('has each of its texts in sight at every width before a yes: %s (F15)', async (name) => {
      const index = names.indexOf(name);
      const nothing = { faults: [], held: 0, early: 0, words: '' };
      const expected = scenes[index]!.open.flatMap(() => WIDTHS.map((width) => ({ width, ...nothing })));
      // A page without a script has no frames to wait for.
      const settled = javaScriptEnabled ? FRAMES : 'true';
      expect(await looked(opened.page, index, settled)).toEqual(expected);
    });
  });

  test.for<[string, string]>([
    [
      'cut off in a box that scrolls',
      '.lines { overflow-x: auto } .line { flex-wrap: nowrap } .line .label { white-space: pre; flex: none }',
    ],
    ['wider than its card', '.line .text { flex: none; margin-left: 90rem }'],
    ['without a box', '.line .text { display: none }'],
    ['not visible', '.line .text { visibility: hidden }'],
    ['of no height', '.lines { height: 20px; overflow: hidden }'],
  ])('offers no yes for what is %s, and says so (F15)', async ([, css]) => {
    const { page, context } = await signedIn();
    const style = `${STYLE}\n${css}`;
    await page.route('**/style.css', (route) => route.fulfill({ contentType: 'text/css', body: style }));
    await page.goto(`${base}/sessions/s${names.indexOf('a key of 605')}/questions/i1`);
    const words =
      'This window cannot show all of the question, so you cannot approve it here. Make the window wider, or answer at a terminal.';
    await page.waitForSelector('#held');
    expect(await page.evaluate(BUTTONS)).toMatchObject({ open: 0, words });
    expect(await page.isEnabled('button:text("reject")')).toBe(true);
    await context.close();
  });

  test('offers the yes again when the window has room for all of it (F15)', async () => {
    const { page, context } = await signedIn();
    const css =
      '.lines { overflow-x: auto } .line { flex-wrap: nowrap } .line .label { white-space: pre; flex: none }';
    const style = `${STYLE}\n${css}`;
    await page.route('**/style.css', (route) => route.fulfill({ contentType: 'text/css', body: style }));
    await page.setViewportSize({ width: 390, height: HEIGHT });
    await page.goto(`${base}/sessions/s${names.indexOf('a key of 40')}/questions/i1`);
    await page.waitForSelector('#held');
    await page.setViewportSize({ width: 1280, height: HEIGHT });
    await page.waitForSelector('#held', { state: 'detached' });
    expect(await page.evaluate(BUTTONS)).toMatchObject({ held: 0, words: '' });
    await context.close();
  });
});
