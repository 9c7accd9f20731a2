import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import type { SessionStore } from '../../src/index.js';
import { answers, openStore } from '../../src/index.js';
import type { Listening } from '../../src/server/index.js';
import { signInsInMemory } from '../../src/server/doors/cookie.js';
import { createServer, listen, loopbackHosts } from '../../src/server/index.js';
import type { Browser } from '../../tools/browser/chromium.mjs';
import { asking, coding, editAsked, PICK, TOKEN } from './server-harness.js';

const driver = isInstalled() ? await import('../../tools/browser/chromium.mjs') : undefined;
const why = 'needs `npm run tools` and a Chromium on this machine';

describe.skipIf(driver?.browserHere() === undefined)(`hitl serve in a browser (${why})`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hitl-browser-'));
  let store: SessionStore;
  let server: Listening;
  let browser: Browser;
  let base = '';

  beforeAll(async () => {
    store = openStore(folder);
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
    rmSync(folder, { recursive: true, force: true });
  });

  /** A page of somebody who opened the link; what the browser complains of fails the test. */
  async function signedIn(options: { readonly javaScriptEnabled?: boolean } = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => {
      complaints.push(error.message);
    });
    await page.goto(`${base}/?token=${TOKEN}`);
    return { page, context, complaints };
  }

  async function decidedIn(id: Parameters<SessionStore['open']>[0]) {
    await using session = await store.open(id, 'read');
    const last = session.state.resolved.at(-1);
    return last && { resolution: last.resolution, by: last.by };
  }

  const by = { type: 'person', name: 'ann', via: 'web' };

  test('the token leaves the address, and no script can read the cookie', async () => {
    const { page } = await signedIn();
    expect(page.url()).toBe(`${base}/`);
    expect(await page.evaluate('document.cookie')).toBe('');
  });

  test('another port of this machine never gets the cookie, by whichever name it is opened (F16)', async () => {
    const { page, context } = await signedIn();
    const [cookie] = await context.cookies();
    const seen: string[] = [];
    const other = createHttpServer(({ headers, url }, response) => {
      seen.push(headers.cookie ?? '');
      response.setHeader('content-type', 'text/html');
      response.end(url === '/' ? '<title>other</title><a href="/next">next</a><img src="/picture">' : '');
    });
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const place = other.address();
    const port = typeof place === 'object' ? (place?.port ?? 0) : 0;
    for (const host of ['127.0.0.1', 'localhost', 'guess.localhost']) {
      const guest = await context.newPage();
      await guest.goto(`http://${host}:${port}/`);
      await guest.click('text=next');
      await guest.close();
    }
    other.closeAllConnections();
    other.close();
    expect([cookie?.domain, cookie?.name]).toEqual([new URL(base).hostname, `hitl-${server.port}`]);
    expect([seen.length >= 6, seen.filter((cookie) => cookie !== '')]).toEqual([true, []]);
    await page.goto(`http://127.0.0.1:${server.port}/sessions`); // an old bookmark leads to the server's own host
    expect([page.url(), await page.locator('text=signed in as ann').count()]).toEqual([
      `${base}/sessions`,
      1,
    ]);
  });

  test('a person signs out, and signs in with a token by the form (F4)', async () => {
    const { page } = await signedIn();
    await page.click('button:text("sign out")');
    await page.waitForSelector('text=You are not signed in.');
    await page.fill('[name="token"]', TOKEN);
    await page.click('button:text("sign in")');
    await page.waitForSelector('text=signed in as ann');
  });

  test('a wrong token and no token see nothing', async () => {
    await asking(store, 'hidden');
    const page = await (await browser.newContext()).newPage();
    for (const address of [`${base}/?token=wrong`, `${base}/`, `${base}/sessions/hidden/questions/i1`]) {
      const response = await page.goto(address);
      expect([response?.status(), (await page.content()).includes('ABC123')]).toEqual([401, false]);
    }
  });

  test('a person sees a question and approves it', async () => {
    const { session } = await asking(store, 'approved');
    const { page, complaints } = await signedIn();
    await page.click('a[href="/sessions/approved/questions/i1"]');
    await page.click('button:text("approve")');
    await page.waitForSelector('text=ann approved');
    expect([await decidedIn(session), complaints]).toEqual([{ resolution: { action: 'restart' }, by }, []]);
  });

  test('a key moves to its way and sends nothing; the difference of an edit is seen before it counts', async () => {
    const { session, place } = await asking(store, 'edited');
    const { page, complaints } = await signedIn();
    await page.goto(`${base}${place}`);
    await page.keyboard.press('y');
    await page.keyboard.press('e');
    await page.fill('[name="input.amount"]', '150');
    await page.click('text=Review change');
    expect(await page.textContent('.lines')).toMatch(/- amount: 200\s*\+ amount: 150/u);
    expect(await decidedIn(session)).toBeUndefined();
    await page.click('button:text("approve with this")');
    await page.waitForSelector('text=ann approved');
    const resolution = { action: 'restart', input: { to: 'ABC123', amount: 150 } };
    expect([await decidedIn(session), complaints]).toEqual([{ resolution, by }, []]);
  });

  test('a person rejects with a reason by Enter in its field', async () => {
    const { session, place } = await asking(store, 'rejected');
    const { page } = await signedIn();
    await page.goto(`${base}${place}`);
    await page.keyboard.press('n');
    await page.keyboard.type('too much');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=ann rejected');
    expect(await decidedIn(session)).toEqual({ resolution: { action: 'reject', reason: 'too much' }, by });
  });

  test('what is answered elsewhere leaves the open page, and the list', async () => {
    const { session, question, place } = await asking(store, 'elsewhere');
    const { page, context } = await signedIn();
    const list = await context.newPage();
    await list.goto(base);
    await page.goto(`${base}${place}`);
    await page.click('summary:has-text("reject")');
    await page.fill('[name="text"]', 'half a reason');
    await openStore(folder).post(session, answers.reject(question, { reason: 'no' }));
    await page.waitForSelector('text=This question was answered elsewhere.');
    await list.waitForSelector('a[href="/sessions/elsewhere/questions/i1"]', { state: 'detached' });
    expect(await page.locator('form button.starts').count()).toBe(0);
  });

  test('says since when a page is not live, and takes the line back when the server is there again', async () => {
    const { session, question, place } = await asking(store, 'away');
    const access = { type: 'link', token: TOKEN, name: 'ann' } as const;
    const signIns = signInsInMemory(new Uint8Array(32).fill(7));
    const originAt = (port: number) => `http://away.localhost:${port}`;
    const serve = (at?: number) =>
      listen(
        (port) =>
          createServer({ store, access, signIns, port, hosts: loopbackHosts(port), origin: originAt(port) }),
        at === undefined ? {} : { port: at },
      );
    let away = await serve();
    const { port } = away;
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${originAt(port)}/?token=${TOKEN}`);
    await page.goto(`${originAt(port)}${place}`);
    expect(await page.textContent('#live')).toBe('');
    await away.close();
    await page.waitForSelector('#live:not([hidden])');
    expect(await page.textContent('#live')).toMatch(/^Not live since \d\d:\d\d: trying again\. Reload$/u);
    await openStore(folder).post(session, answers.reject(question, { reason: 'no' }));
    away = await serve(port);
    try {
      await page.waitForSelector('text=This question was answered elsewhere.');
      await page.waitForSelector('#live:not([hidden])', { state: 'detached' });
    } finally {
      await away.close();
    }
  });

  test('sends nothing to a server that does not answer, says so, and keeps what was typed (R13)', async () => {
    const { session, place } = await asking(store, 'unsent');
    const { page } = await signedIn();
    await page.goto(`${base}${place}`);
    await page.click('summary:has-text("reject")');
    await page.fill('[name="text"]', 'too much');
    let asked = 0;
    await page.route('**/readyz', (route) => {
      asked += 1;
      return asked === 1 ? route.abort() : asked === 2 ? route.fulfill({ status: 503 }) : route.continue();
    });
    for (const button of ['approve', 'reject']) {
      await page.click(`button:text("${button}")`);
      await page.waitForSelector('#unsent');
      expect(await page.textContent('#unsent')).toBe(
        'Not sent: the server does not answer. What you typed is still here. Try again in a moment.',
      );
      expect([page.url(), await page.inputValue('[name="text"]')]).toEqual([`${base}${place}`, 'too much']);
      expect(await decidedIn(session)).toBeUndefined();
    }
    await page.click('button:text("reject")');
    await page.waitForSelector('text=ann rejected');
    expect((await decidedIn(session))?.resolution).toEqual({ action: 'reject', reason: 'too much' });
  });

  test('a yes of a page that is not live is held to what it showed', async () => {
    const { session, question, place } = await asking(store, 'stale');
    const { page } = await signedIn();
    await page.route('**/v1/stream', (route) => route.fulfill({ status: 502, body: '' }));
    await page.goto(`${base}${place}`);
    await page.waitForSelector('#live:not([hidden])');
    await openStore(folder).post(session, answers.reject(question, { reason: 'no' }));
    await page.click('button:text("approve")');
    await page.waitForSelector('text=Answered');
    expect((await decidedIn(session))?.resolution).toEqual({ action: 'reject', reason: 'no' });
  });

  test('everything works without a script', async () => {
    const { session, place } = await asking(store, 'plain', PICK);
    const { page } = await signedIn({ javaScriptEnabled: false });
    await page.goto(`${base}${place}`);
    await page.check('text=right');
    await page.click('button:text("answer")');
    await page.waitForSelector('text=Answered');
    expect(await decidedIn(session)).toEqual({ resolution: { action: 'respond', output: 'right' }, by });
  });

  test('approve, edit and reject stand in one row on a phone, and each action is explained, without a script (T8)', async () => {
    const { session, place } = await asking(store, 'row');
    const { page, context } = await signedIn({ javaScriptEnabled: false });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${base}${place}`);
    const row = `[...document.querySelector('.acts').children].map((one) => Math.round(one.getBoundingClientRect().top))`;
    expect(new Set((await page.evaluate(row)) as number[]).size).toBe(1);
    await page.click('summary:has-text("? more")');
    expect(await page.textContent('.helps div:nth-child(3)')).toMatch(
      /^\s*reject\s*n\s*don’t run it, and tell the model why\s*$/u,
    );
    await page.click('summary:has-text("reject")');
    await page.fill('.act[open] [name="text"]', 'too much');
    await page.click('.act[open] button:text("reject")');
    await page.waitForSelector('text=ann rejected');
    expect(await decidedIn(session)).toEqual({ resolution: { action: 'reject', reason: 'too much' }, by });
    await context.close();
  });

  test('a conversation goes on while somebody types, and what is said waits for the session', async () => {
    const { session } = await coding(store, 'live');
    const { page, complaints } = await signedIn();
    const asked: string[] = [];
    page.on('request', (request) => {
      asked.push(request.url());
    });
    await page.goto(`${base}/sessions/live`);
    await page.fill('[name="text"]', 'also the docs');
    await openStore(folder).post(session, answers.reject(editAsked('r3', 'i2'), { reason: 'not now' }));
    await page.waitForSelector('text=library rejected “not now”');
    expect([await page.inputValue('[name="text"]'), await page.textContent('[data-part="waiting"]')]).toEqual(
      ['also the docs', expect.stringMatching(/^\s*$/u)],
    );
    expect(asked.filter((url) => url.includes('?from='))).not.toEqual([]);
    expect(await page.locator('.turn').count()).toBe(4);
    await page.click('button:text("Send")');
    await page.waitForSelector('text=“also the docs”');
    const { items } = await store.mail(session).list();
    expect([items.map(({ text, from }) => ({ text, from })), complaints]).toEqual([
      [{ text: 'also the docs', from: by }],
      [],
    ]);
  });

  test('the form of another origin answers nothing, and its frame shows nothing', async () => {
    const { session, question, place } = await asking(store, 'foreign');
    const { page } = await signedIn();
    const evil = `<form method="post" action="${base}${place}/answer"><input name="way" value="y"><input name="digest" value="${question.digest}"><button>win</button></form><iframe src="${base}/"></iframe>`;
    await page.route('http://evil.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: evil }),
    );
    await page.goto('http://evil.example/');
    const answered = page.waitForResponse((response) => response.url().endsWith('/answer'));
    await page.click('button');
    expect([[401, 403].includes((await answered).status()), await decidedIn(session)]).toEqual([
      true,
      undefined,
    ]);
  });
});
