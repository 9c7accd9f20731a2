import { describe, expect, test } from 'vitest';

import type { JsonObject, SessionId } from '../../src/core/index.js';
import { questionPage } from '../../src/server/pages/question-page.js';
import { readForm } from '../../src/server/pages/read-form.js';
import { sceneOf } from '../screen/golden/scenes.js';
import { asking, mainOf, openServer, PICK, TRANSFER, valueIn, wordsOf } from './server-harness.js';

const resolvedIn = async (
  { store }: Awaited<ReturnType<typeof openServer>>,
  id: Parameters<typeof asking>[1],
) => {
  for await (const { id: session } of store.list())
    if (session === id) {
      await using read = await store.open(session, 'read');
      return read.state.resolved.at(-1)?.resolution;
    }
  return undefined;
};

describe('the pages', () => {
  test('show the oldest question first, and lead to it', async () => {
    const { store, browser } = await openServer();
    await asking(store, 'one');
    await asking(store, 'two', PICK);
    const page = await (await (await browser()).get('/')).text();
    expect(mainOf(page)).toBe(
      '2 questions Filter by words Filter Oldest first Newest first transfer ABC123, 200 just now About one · script Which way? just now About two · script',
    );
    expect(page).toContain('href="/sessions/one/questions/i1"');
  });

  test('show a grant in words, and not its data', () => {
    const { open, state } = sceneOf('grant', 'short');
    const session = 'one' as SessionId;
    const shown = { session, state, open, seesSession: true, now: 0, formToken: 'f' };
    const page = questionPage(open[0]!, shown).main.toString();
    expect(wordsOf(page)).toContain(
      'Allow up to 16 calls without asking 1: commands that start with npm test in /w, at most 5 times 2: write_file in /w/src and below it, at most 10 times 3: transfer_money, exactly {"toAccount":"ABC123","amount":20}, once until: the end of this turn commands: can write in this folder, no network Reason: Which account should it come from?',
    );
    expect(page).not.toContain('toolDigest');
  });

  test('show a question in the words of a terminal, with each way to answer as a form of its own', async () => {
    const { store, browser } = await openServer();
    const { place } = await asking(store, 'one');
    const page = await (await (await browser()).get(place)).text();
    const asked = page.slice(page.indexOf('<main'), page.indexOf('<section aria-labelledby'));
    expect(wordsOf(asked).trim()).toBe(
      'About one script · mode ask user Do it Approve this call? transfer library to: ABC123 amount: 200 effect: once (running it again repeats it) not run yet',
    );
    expect(wordsOf(page.slice(page.indexOf('<section aria-labelledby'))).trim()).toBe(
      [
        'approve edit to amount (a number) note (optional) Review change reject Reason (optional) reject',
        '? more provide result JSON or text provide result cancel Reason (optional) cancel',
        'approve y run it with exactly this input',
        'edit e change the input, then run it (the model sees the change)',
        'reject n don’t run it, and tell the model why',
        'provide result a don’t run it, type the result yourself',
        'cancel c don’t run it, and tell the model you cancelled',
        'Question i1 · at a terminal: hitl resume one',
      ].join(' '),
    );
    const ways = [...page.matchAll(/name="way"\s+value="(\w)"/gu)].map(([, key]) => key);
    expect(ways).toEqual(['y', 'e', 'n', 'a', 'c']);
  });

  test('escape what comes from outside, for the screen and for the page', async () => {
    const { store, browser } = await openServer();
    const hostile = '<img src=x onerror=alert(1)>\u202E"\u001B[2J';
    const { place } = await asking(store, 'one', { name: 'transfer', input: { to: hostile, amount: 1 } });
    for (const path of ['/', place, '/sessions', '/sessions/one']) {
      const page = await (await (await browser()).get(path)).text();
      expect(page).not.toMatch(/<img|\u202E|\p{Cc}(?<!\s)/u);
    }
    const page = await (await (await browser()).get(place)).text();
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;\\u{202E}');
  });

  test('record an approval, and then show who decided', async () => {
    const opened = await openServer();
    const { place } = await asking(opened.store, 'one');
    const { send, get } = await opened.browser();
    const answered = await send(`${place}/answer`, { way: 'y' });
    expect([answered.status, answered.headers.get('location')]).toEqual([303, place]);
    expect(await resolvedIn(opened, 'one')).toEqual({ action: 'restart' });
    expect(wordsOf(await (await get(place)).text())).toContain(
      '✓ Answered ann approved transfer ABC123, 200',
    );
  });

  test('have what a run does in the open, as a terminal has it, each line once (R13)', async () => {
    const { store, browser } = await openServer();
    const { place } = await asking(store, 'one');
    const page = await (await (await browser()).get(place)).text();
    const card = page.slice(page.indexOf('<article'), page.indexOf('</article>'));
    expect(wordsOf(card).match(/effect: \S+|not run yet/gu)).toEqual(['effect: once', 'not run yet']);
  });

  test('offer the next question after an answer: of this session, else the oldest (R13)', async () => {
    const opened = await openServer();
    const first = await asking(opened.store, 'one');
    const second = await asking(opened.store, 'two', PICK);
    const { send, get } = await opened.browser();
    const offeredAt = async (place: string) =>
      /<a class="next starts" href="([^"]*)"/u.exec(await (await get(place)).text())?.[1];
    expect(await offeredAt(first.place)).toBeUndefined();
    await send(`${first.place}/answer`, { way: 'n', text: '' });
    expect(await offeredAt(first.place)).toBe(second.place);
    expect(wordsOf(await (await get(first.place)).text())).toContain('Next question Which way?');
    await send(`${second.place}/answer`, { way: 'c' });
    expect(await offeredAt(first.place)).toBeUndefined();
  });

  test('tell whoever was second that the answer does not count, and who was first', async () => {
    const opened = await openServer();
    const { place, question } = await asking(opened.store, 'one');
    const { send, get } = await opened.browser();
    const page = await (await get(place)).text();
    await send(`${place}/answer`, { way: 'n', text: 'too much' });
    const second = await send(`${place}/answer`, {
      ...{ way: 'y', digest: question.digest },
      form: valueIn(page, 'form'),
    });
    expect(second.status).toBe(409);
    const words = wordsOf(await second.text());
    expect(words).toContain('Not recorded: this was already rejected by ann');
    expect(words).toContain('ann rejected transfer ABC123, 200 “too much”');
    expect(await resolvedIn(opened, 'one')).toEqual({ action: 'reject', reason: 'too much' });
  });

  test('refuse an answer to a question that is another one by now', async () => {
    const opened = await openServer();
    const { place } = await asking(opened.store, 'one');
    const { send } = await opened.browser();
    const changed = await send(`${place}/answer`, { way: 'y', digest: 'f'.repeat(64) });
    expect([changed.status, await resolvedIn(opened, 'one')]).toEqual([412, undefined]);
  });

  test('show the difference of an edit before it counts, and send exactly that', async () => {
    const opened = await openServer();
    const { place } = await asking(opened.store, 'one');
    const { send } = await opened.browser();
    const fields = { way: 'e', 'input.to': 'ABC123', 'input.amount': '150', 'input.note': '' };
    const shown = await (await send(`${place}/preview`, fields)).text();
    expect(wordsOf(shown)).toContain('Your change: - amount: 200 + amount: 150');
    expect(await resolvedIn(opened, 'one')).toBeUndefined();
    const json = valueIn(shown, 'json').replaceAll('&quot;', '"');
    const answered = await send(`${place}/answer`, { way: 'e', json });
    expect([answered.status, await resolvedIn(opened, 'one')]).toEqual([
      303,
      { action: 'restart', input: { to: 'ABC123', amount: 150 } },
    ]);
  });

  test('put a text into its field as it is, with the line breaks that it begins and ends with', async () => {
    const { store, browser } = await openServer();
    const note = '\nfirst line\nsecond line\n';
    const { place } = await asking(store, 'one', { name: 'transfer', input: { ...TRANSFER.input, note } });
    const page = await (await (await browser()).get(place)).text();
    // The first line break behind the tag is none of the text.
    expect(/name="input.note"[^>]*>\n([^<]*)<\/textarea>/u.exec(page)?.[1]).toBe(note);
  });

  test.for([
    [
      'command',
      ['input.command', 'input.cwd', 'input.timeoutMs', 'input.network', 'input.network'],
      'edit command folder, time limit (ms), network folder time limit (ms) (a whole number, at least 1, at most 600000) network (yes or no) yes no Review change',
    ],
    [
      'edit',
      ['input.newText', 'input.path', 'input.oldText'],
      'edit new text file, old text file old text Review change',
    ],
  ] as const)('edit what matters first, with the rest folded: a %s', ([kind, names, words]) => {
    const { open, state } = sceneOf(kind, 'short');
    const session = 'one' as SessionId;
    const shown = { session, state, open, seesSession: true, now: 0, formToken: 'f' };
    const page = questionPage(open[0]!, shown).main.toString();
    const form = page.slice(page.indexOf('data-key="e"'), page.indexOf('<details class="act" data-key="n"'));
    expect([...form.matchAll(/name="(input\.\w+)"/gu)].map(([, name]) => name)).toEqual(names);
    const [first = '', rest = ''] = form.split('<details');
    expect([first.includes(names[0]), rest.includes(names[1])]).toEqual([true, true]);
    expect(
      wordsOf(form.replaceAll(/<textarea[^]*?<\/textarea>/gu, ''))
        .replace(/^[^>]*> ?/u, '')
        .trim(),
    ).toBe(words);
  });

  test.for<readonly [JsonObject, Readonly<Record<string, string>>, JsonObject]>([
    [
      { command: 'npm test', cwd: '.' },
      { 'input.command': 'npm test -- --bail' },
      { command: 'npm test -- --bail', cwd: '.' },
    ],
    [{ argv: ['npm', 'test'] }, { 'input.command': 'npm run lint' }, { argv: ['npm', 'run', 'lint'] }],
    [{ argv: ['npm', 'test'] }, { 'input.command': 'npm test | tee x' }, { command: 'npm test | tee x' }],
    [
      { argv: ['npm', 'test'] },
      { 'input.command': 'npm test', 'input.cwd': 'packages' },
      { argv: ['npm', 'test'], cwd: 'packages' },
    ],
    [
      { argv: ['printf', 'a\nb $HOME'] },
      { 'input.command': "printf 'a\nb $HOME'", 'input.cwd': 'packages' },
      { argv: ['printf', 'a\nb $HOME'], cwd: 'packages' },
    ],
  ])('read an edited command, also of %j', ([input, fields, edited]) => {
    const { open, state } = sceneOf('command', 'short');
    const [asked] = open;
    if (asked?.source.type !== 'tool') throw new Error('no tool asks');
    const interrupt = { ...asked, source: { ...asked.source, input } };
    const tool = state.agent?.tools.find(({ name }) => name === 'run_command');
    const form = new URLSearchParams({ way: 'e', ...fields });
    expect(readForm(form, { interrupt, ...(tool && { tool }) }, state)).toEqual({
      ok: true,
      resolution: { action: 'restart', input: edited },
    });
  });

  test('give back what was typed where an edit does not match its schema', async () => {
    const opened = await openServer();
    const { place } = await asking(opened.store, 'one');
    const { send } = await opened.browser();
    const response = await send(`${place}/preview`, {
      way: 'e',
      'input.to': 'XYZ',
      'input.amount': 'much',
      'input.note': '',
    });
    const page = await response.text();
    expect([response.status, page.includes('value="much"'), page.includes('value="XYZ"')]).toEqual([
      400,
      true,
      true,
    ]);
    expect(wordsOf(page)).toContain('Invalid: amount: Enter a number');
  });

  test('take a choice of a question', async () => {
    const opened = await openServer();
    const { place } = await asking(opened.store, 'one', PICK);
    const { send } = await opened.browser();
    const none = await send(`${place}/answer`, { way: 'a' });
    expect([none.status, await resolvedIn(opened, 'one')]).toEqual([400, undefined]);
    await send(`${place}/answer`, { way: 'a', choice: '2' });
    expect(await resolvedIn(opened, 'one')).toEqual({ action: 'respond', output: 'right' });
  });
});
