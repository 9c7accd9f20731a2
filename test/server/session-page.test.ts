import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Interrupt, Resolution, SessionEvent, SessionId } from '../../src/core/index.js';
import { HitlError, interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import type { SessionStore } from '../../src/index.js';
import { answers, openFlow, openStore, workflow } from '../../src/index.js';
import type { Access, Role } from '../../src/server/index.js';
import { listWaiting } from '../../src/server/sight/cursor.js';
import type { Browser } from './server-harness.js';
import {
  asking,
  coding,
  CODER,
  editAsked,
  HOME,
  HOST,
  mainOf,
  modelSays,
  openServer,
  PICK,
  userSays,
  valueIn,
  wordsOf,
} from './server-harness.js';

async function pageAt(path: string, store: SessionStore): Promise<string> {
  return (await (await (await openServer({ store })).browser()).get(path)).text();
}

/** A part of a page, from what begins it to what comes next. */
function between(page: string, start: string, end: string): string {
  const from = page.indexOf(start);
  return page.slice(from, page.indexOf(end, from + start.length));
}

const headingsOf = (page: string) =>
  [...page.matchAll(/<h[1-6][^>]*>([^<]*)<\/h[1-6]>/gu)].map(([, text]) => text);
const part = (page: string, name: string): string => {
  const from = page.indexOf(`data-part="${name}"`);
  const next = ['data-part=', '<form', '<h2>Conversation'].map((end) => page.indexOf(end, from + 12));
  const end = page.lastIndexOf('<', Math.min(...next.filter((at) => at > 0)));
  return wordsOf(page.slice(page.indexOf('>', from) + 1, end)).trim();
};

async function talk(store: SessionStore, id: string, events: readonly SessionEvent[], title?: string) {
  const session = await store.create({
    ...{ id: id as SessionId, agent: CODER, events, ...(title !== undefined && { title }) },
  });
  await session[Symbol.asyncDispose]();
  return session.id;
}

async function append(store: SessionStore, id: SessionId, ...events: readonly SessionEvent[]) {
  await using session = await store.open(id, 'write');
  await session.append(events);
}

const EDIT = '5 − const gross = net * rate; 6 − return round( gross ); 5 + return round( net );';

describe('the page of a session', () => {
  test('has its title as heading, the whole conversation with calls, decisions, changes and results, and a line to say something', async () => {
    const store = openStore();
    await coding(store, 'shop');
    const page = await pageAt('/sessions/shop', store);
    expect(headingsOf(page)).toEqual(['Fix the rounding', 'Waiting for you', 'Conversation']);
    expect(mainOf(page)).toBe(
      [
        'Session Fix the rounding /home/ann/shop · demo-1 · mode accept-edits',
        'Waiting for you Make this edit? Edit src/cart.js +1 −2',
        'Conversation user The totals are off',
        'demo-1 I see .',
        `✓ done: Edit src/cart.js +1 −2 ann approved in a browser 2026-01-02 03:04 UTC ${EDIT} line 5`,
        'demo-1 Now the tests.',
        '✗ failed: Run `npm test` exit 1 2 lines above line 1 line 2 line 3 line 4 line 5',
        'demo-1 One more.',
        `● waiting: Edit src/cart.js +1 −2 ${EDIT} Answer Make this edit?`,
        'Say something Send At a terminal: hitl resume shop',
      ].join(' '),
    );
  });

  test('is named by the first words where nobody gave a title', async () => {
    const store = openStore();
    await talk(store, 'untitled', [userSays('Pay the rent')]);
    const page = await pageAt('/sessions/untitled', store);
    expect(mainOf(page)).toBe(
      'Session Pay the rent demo-1 · mode accept-edits Conversation user Pay the rent Say something Send At a terminal: hitl resume untitled',
    );
  });

  test('makes no heading, link or mark of a page of what others say', async () => {
    const store = openStore();
    const evil =
      '# Approve this call?\n<h1>Make this edit?</h1> [x](https://evil.example) <img src=x> \u202E\u001B[2J';
    await talk(store, 'evil', [userSays(evil), modelSays(`${evil}\n\`\`\`\n${evil}\n\`\`\``)], `<h1>${evil}`);
    const page = await pageAt('/sessions/evil', store);
    expect(page).not.toMatch(/<img|href="https:|\u202E|\p{Cc}(?<!\s)/u);
    expect(headingsOf(page)).toEqual([
      '&lt;h1&gt;# Approve this call?\\n&lt;h1&gt;Make this edit?&lt;/h1&gt; [x](https://evil.example) &lt;img src=x&gt; \\u{202E}\\u{1B}[2J',
      'Conversation',
    ]);
  });

  test('says a refusal once, by its decision, and an answer that is a secret nowhere', async () => {
    const store = openStore();
    const edit = editAsked('r1', 'i1');
    const input = { question: 'The password?', secret: true };
    const source = { type: 'tool', ref: toolRef('r2'), name: 'ask_user', input, raisedBy: 'tool' } as const;
    const asked = makeInterrupt(
      { kind: 'question', source, payload: input },
      { id: interruptId('i2'), path: ROOT_PATH, raisedAt: '2026-01-02T03:04:05.000Z' },
    );
    const decided = ({ id, digest }: Interrupt, resolution: Resolution): SessionEvent => ({
      ...{ type: 'interrupt-resolved', id, digest, resolution },
      ...{ by: { type: 'person', name: 'ann', via: 'terminal' }, resolvedAt: '2026-01-02T03:05:00.000Z' },
    });
    const id = await talk(store, 'said', [
      userSays('Go'),
      modelSays(
        'Both.',
        { ref: 'r1', name: 'edit_file', input: { path: 'src/cart.js', oldText: 'gross', newText: 'net' } },
        { ref: 'r2', name: 'ask_user', input },
      ),
      { type: 'interrupt-raised', interrupt: edit },
      { type: 'interrupt-raised', interrupt: asked },
      decided(edit, { action: 'reject', reason: 'not now' }),
      decided(asked, { action: 'respond', output: 'hunter2 '.repeat(10) }),
    ]);
    const page = await pageAt(`/sessions/${id}`, store);
    const said = 'at the terminal 2026-01-02 03:05 UTC';
    expect(part(page, 'story')).toBe(
      `user Go demo-1 Both. ✗ not run: Edit src/cart.js +1 −2 ann rejected “not now” ${said} ✓ done: Ask The password? ann answered •••••• ${said}`,
    );
    expect(page).not.toContain('hunter2');
  });

  test('keeps long texts and results within limits, and says how much is left', async () => {
    const store = openStore();
    const output = Array.from({ length: 50_000 }, (_, at) => `row ${at}`).join('\n');
    await talk(store, 'long', [
      userSays('x'.repeat(100_000)),
      modelSays('Reading.', { ref: 'r1', name: 'run_command', input: { command: 'seq' } }),
      {
        type: 'tool-settled',
        ref: 'r1' as never,
        outcome: { type: 'output', output: { exitCode: 0, output } },
      },
    ]);
    const page = await pageAt('/sessions/long', store);
    expect(wordsOf(page)).toContain('80000 more characters: hitl show');
    expect(wordsOf(page)).toContain(
      '49997 lines above The last 400; all of them: hitl show --full row 49597 row',
    );
    expect(page.length).toBeLessThan(60_000);
  });

  test('shows the newest messages, and those before on pages of their own', async () => {
    const store = openStore();
    const turns = Array.from({ length: 70 }, (_, at) => [userSays(`ask ${at}.`), modelSays(`say ${at}.`)]);
    await talk(store, 'many', turns.flat());
    const shownAt = async (path: string) => {
      const page = await pageAt(path, store);
      const said = page.slice(page.indexOf('<h2')).match(/(?:ask|say) \d+\./gu) ?? [];
      return [/href="([^"]*\?before=\d+)">([^<]*)</u.exec(page)?.slice(1), said.length, said[0], said.at(-1)];
    };
    expect([
      await shownAt('/sessions/many'),
      await shownAt('/sessions/many?before=80'),
      await shownAt('/sessions/many?before=20'),
    ]).toEqual([
      [['/sessions/many?before=80', '80 earlier messages'], 60, 'ask 40.', 'say 69.'],
      [['/sessions/many?before=20', '20 earlier messages'], 60, 'ask 10.', 'say 39.'],
      [undefined, 20, 'ask 0.', 'say 9.'],
    ]);
  });

  test('gives what is new behind the place that a page has, and all of it where that was taken back', async () => {
    const store = openStore();
    const id = await talk(store, 'live', [userSays('One'), modelSays('Two')]);
    const opened = await openServer({ store });
    const { get } = await opened.browser();
    const first = await (await get('/sessions/live')).text();
    const [, from = '', base = ''] = /data-from="(\d+)"\s+data-base="(\w+)"/u.exec(first) ?? [];
    const stream = /data-stream="([^"]*)"/u.exec(first)?.[1];
    await append(
      store,
      id,
      userSays('Three'),
      modelSays('Four', { ref: 'r1', name: 'run_command', input: { command: 'ls' } }),
    );
    const more = await (await get(`/sessions/live?from=${from}&base=${base}`)).text();
    const other = await (await get(`/sessions/live?from=${from}&base=0123456789abcdef`)).text();
    const open = 'demo-1 Four … running: Run `ls` not started yet';
    expect([from, stream, part(more, 'story'), more.includes('data-rest')]).toEqual([
      '2',
      '/v1/sessions/live/events?after=4',
      `user Three ${open}`,
      true,
    ]);
    expect([part(other, 'story'), other.includes('data-rest')]).toEqual([
      `user One demo-1 Two user Three ${open}`,
      false,
    ]);
  });
});

describe('the page of a workflow', () => {
  const deploy = workflow('deploy', async (ctx) => {
    await ctx.step('build', () => 'v1', { effect: 'idempotent' });
    return (await ctx.ask('ship', { prompt: 'Ship it?', schema: z.boolean() })) ? 'shipped' : 'kept';
  });

  test('has its nodes, what their code did, who decided, and the outcome; one that is done takes no messages', async () => {
    const store = openStore();
    await using flow = await openFlow(deploy, { store, id: 'flow' });
    await flow.start();
    const { browser, api } = await openServer({ store });
    const visit = await browser();
    const page = await (await visit.get('/sessions/flow')).text();
    expect(wordsOf(between(page, '<main', 'data-part="waiting"')).trim()).toBe(
      'Session deploy mode ask <div',
    );
    expect(part(page, 'story')).toBe(
      'deploy waiting ✓ build#1 ? ship#1 waiting for an answer (i1) · “Ship it?” Answer Ship it?',
    );
    const [question] = flow.open;
    await flow.answer(answers.respond(question!, true));
    const over = await (await visit.get('/sessions/flow')).text();
    expect(part(over, 'story').replace(/\d{4}-\d\d-\d\d \d\d:\d\d/u, 'at some time')).toBe(
      'deploy done ✓ build#1 ✓ ship#1 answered by library · “Ship it?” library answered yes by a program at some time UTC shipped',
    );
    expect(mainOf(over).split('shipped')[1]).toBe(
      ' This workflow is done and takes no messages. At a terminal: hitl resume flow',
    );
    const body = JSON.stringify({ text: 'wait' });
    const refused = await api('/v1/sessions/flow/messages', { method: 'POST', body });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: {
          code: 'BAD_INPUT',
          message: 'workflow flow is done and cannot accept messages',
          hint: 'start it again, or go back with rewind or fork',
        },
      },
    ]);
  });
});

describe('the line to say something', () => {
  const sendTo = async ({ get, send }: Browser, id: string, fields: Record<string, string>) => {
    const page = await (await get(`/sessions/${id}`)).text();
    const hidden = { form: valueIn(page, 'form'), id: /name="id"\s+value="([^"]*)"/u.exec(page)?.[1] ?? '' };
    return send(`/sessions/${id}/messages`, { ...hidden, ...fields });
  };

  test('sends like `hitl send`, once, and the page shows what waits for the session', async () => {
    const { store, browser } = await openServer();
    const { session } = await asking(store, 'one');
    const visit = await browser();
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    const sent = await sendTo(visit, 'one', { text: 'mention the <b>new</b> price', id });
    await sendTo(visit, 'one', { text: 'mention the <b>new</b> price', id });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/sessions/one#end']);
    const { items, total } = await store.mail(session).list();
    const from = { type: 'person', name: 'ann', via: 'web' };
    expect([total, items[0]]).toMatchObject([1, { text: 'mention the <b>new</b> price', from, id }]);
    expect(part(await (await visit.get('/sessions/one')).text(), 'status')).toBe(
      '1 queued message, delivered when the session resumes: “mention the &lt;b&gt;new&lt;/b&gt; price” from ann',
    );
  });

  test('keeps what was typed where it is not sent', async () => {
    const { store, browser } = await openServer();
    await asking(store, 'one');
    const visit = await browser();
    const refused = await sendTo(visit, 'one', { text: 'x'.repeat(10_001) });
    const page = await refused.text();
    expect([
      refused.status,
      /role="alert">([^<]*)</u.exec(page)?.[1],
      page.includes('x'.repeat(10_001)),
    ]).toEqual([400, 'Not sent: a message can have at most 10000 characters, got 10001', true]);
  });

  test('is refused without the token of its own form', async () => {
    const { store, browser } = await openServer();
    const { session } = await asking(store, 'one');
    const forged = await sendTo(await browser(), 'one', { text: 'pay me', form: 'forged' });
    expect([forged.status, (await store.mail(session).list()).total]).toEqual([403, 0]);
  });
});

/** A server for somebody with these roles, and their browser. */
async function visitorWith(roles: readonly Role[], store: SessionStore) {
  const token = 'a-token-of-somebody-0123456789abcdef';
  const access: Access = { type: 'tokens', people: [{ name: 'sam', token, roles }] };
  const { server } = await openServer({ store, access });
  const entered = await server.fetch(
    new Request(`http://${HOST}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { host: HOME, 'sec-fetch-site': 'same-origin' },
    }),
    '127.0.0.1',
  );
  const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return async (path: string): Promise<string> =>
    (
      await server.fetch(
        new Request(`http://${HOST}${path}`, { headers: { host: HOME, cookie } }),
        '127.0.0.1',
      )
    ).text();
}

describe('above a question', () => {
  test('stand session, folder, model, mode and the last words, for who sees the session', async () => {
    const store = openStore();
    const { place } = await coding(store, 'shop');
    const page = await (await visitorWith(['answer', 'read'], store))(place);
    expect(wordsOf(between(page, '<main', '<article')).trim()).toBe(
      'Fix the rounding /home/ann/shop · demo-1 · mode accept-edits user The totals are off model One more. Make this edit?',
    );
  });

  test('stands the title alone for who sees the question and not the session', async () => {
    const store = openStore();
    const { place } = await coding(store, 'shop');
    const get = await visitorWith(['answer'], store);
    const page = await get(place);
    expect(wordsOf(between(page, '<main', '<article')).trim()).toBe('In Fix the rounding Make this edit?');
    expect(mainOf(await get('/')).replace(/\d+ d(?: \d+ h)? ago/u, 'long ago')).toBe(
      '1 question Filter by words Filter Oldest first Newest first Edit src/cart.js +1 −2 long ago Fix the rounding',
    );
    const waitingFor = async (visit: typeof get) =>
      (JSON.parse(await visit('/v1/waiting')) as { items: { title: string; folder?: string }[] }).items.map(
        ({ title, folder }) => [title, folder],
      );
    expect([await waitingFor(get), await waitingFor(await visitorWith(['read'], store))]).toEqual([
      [['Fix the rounding', undefined]],
      [['Fix the rounding', '/home/ann/shop']],
    ]);
    expect(mainOf(await get('/sessions/shop'))).toBe('Not found Session or question not found.');
  });

  test('stands with the call what the visitor changed of it, and a warning where somebody else did', async () => {
    const store = openStore();
    const input = { path: 'src/cart.js', oldText: 'gross', newText: 'net' };
    const changed = { ...input, newText: 'sum' };
    const [first, again] = [editAsked('r1', 'i1'), editAsked('r1', 'i2', changed)];
    await talk(store, 'edited', [
      userSays('Go'),
      modelSays('I edit.', { ref: 'r1', name: 'edit_file', input }),
      { type: 'interrupt-raised', interrupt: first },
      {
        ...{ type: 'interrupt-resolved', id: first.id, digest: first.digest },
        resolution: { action: 'restart', input: changed },
        ...{ by: { type: 'person', name: 'sam', via: 'web' }, resolvedAt: '2026-01-02T03:05:00.000Z' },
      },
      { type: 'interrupt-raised', interrupt: again },
    ]);
    const cardFor = (page: string) => wordsOf(between(page, '<article', ' + ')).trim();
    const place = '/sessions/edited/questions/i2';
    const own = await (await visitorWith(['answer', 'read'], store))(place);
    const edit = '5 − const gross = net * rate; 6 − return round( gross ); 5';
    expect([cardFor(own), cardFor(await pageAt(place, store))]).toEqual([
      `Edit src/cart.js +1 −2 you changed newText net → sum ${edit}`,
      `Edit src/cart.js +1 −2 warning: sam changed newText net → sum ${edit}`,
    ]);
  });

  test('a role that may not say anything has no line for it', async () => {
    const store = openStore();
    await coding(store, 'shop');
    const [reader, speaker] = [await visitorWith(['read'], store), await visitorWith(['read', 'say'], store)];
    expect([
      (await reader('/sessions/shop')).includes('/messages'),
      (await speaker('/sessions/shop')).includes('action="/sessions/shop/messages"'),
    ]).toEqual([false, true]);
  });
});

describe('lists', () => {
  const shop = async () => {
    const store = openStore();
    await coding(store, 'shop');
    await asking(store, 'pay');
    await asking(store, 'pick', PICK);
    const { get } = await (await openServer({ store })).browser();
    const at = async (path: string) => {
      const page = await (await get(path)).text();
      return wordsOf(page.slice(page.indexOf('data-part="list"') + 17))
        .replaceAll(/\d+ d(?: \d+ h)? ago/gu, 'long ago')
        .trim();
    };
    return at;
  };

  test('name what is asked, the session, its folder and model, and the age; they are sorted by it', async () => {
    const at = await shop();
    const [edit, pay, pick] = [
      'Edit src/cart.js +1 −2 long ago Fix the rounding · /home/ann/shop · demo-1',
      'transfer ABC123, 200 just now About pay · script',
      'Which way? just now About pick · script',
    ];
    expect(await at('/')).toBe(`${edit} ${pay} ${pick}`);
    expect(await at('/?order=turned')).toBe(`${pick} ${pay} ${edit}`);
    const asked = [
      'About pick just now Which way? waiting · 1 question · script',
      'About pay just now transfer ABC123, 200 waiting · 1 question · script',
      'Fix the rounding just now Edit src/cart.js +1 −2 waiting · 1 question · /home/ann/shop · demo-1',
    ];
    expect(await at('/sessions')).toBe(asked.join(' '));
    expect(await at('/sessions?order=turned')).toBe(asked.toReversed().join(' '));
  });

  test('are filtered by words: of what is asked, of the session, its folder and its model', async () => {
    const at = await shop();
    const asked = async (words: string) => (await at(`/?words=${encodeURIComponent(words)}`)).slice(0, 8);
    expect([
      await asked('SHOP demo'),
      await asked('abc123 pay'),
      await asked('way'),
      await asked('shop pay'),
    ]).toEqual(['Edit src', 'transfer', 'Which wa', 'No match']);
    expect([await at('/sessions?words=pi%20ABOUT'), await at('/sessions?words=pi%20shop%00')]).toEqual([
      'About pick just now Which way? waiting · 1 question · script',
      'No matches.',
    ]);
  });

  test('have a row for a session that cannot be read, without its model', async () => {
    const store = openStore();
    await coding(store, 'shop');
    const open: SessionStore['open'] = (id, mode) =>
      id === 'shop' ? Promise.reject(new HitlError('SESSION_DAMAGED', 'damaged')) : store.open(id, mode);
    const bound = new Proxy(store, {
      get: (target, key) => {
        if (key === 'open') return open;
        const member: unknown = Reflect.get(target, key);
        return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
      },
    });
    const page = await pageAt('/', bound);
    expect(mainOf(page).replace(/\d+ d(?: \d+ h)? ago/u, 'long ago')).toBe(
      '1 question Filter by words Filter Oldest first Newest first Edit src/cart.js +1 −2 long ago Fix the rounding · /home/ann/shop',
    );
    const filtered = await pageAt('/?words=demo', bound);
    expect(mainOf(filtered)).toContain('No matches.');
  });

  test('stay in their usual order where they are too long for another one, and say so', async () => {
    const store = openStore();
    const { question } = await coding(store, 'shop');
    const many = Array.from({ length: 201 }, () => ({
      session: 'shop' as SessionId,
      title: 'Many',
      interrupt: question,
    }));
    const waiting = async function* ({ limit = 0 }: { readonly limit?: number }) {
      yield* await Promise.resolve(many.slice(0, limit));
    };
    const busy = { ...store, open: store.open.bind(store), waiting } as unknown as SessionStore;
    const page = await pageAt('/?order=turned', busy);
    expect(/<p class="notice">([^<]*)</u.exec(page)?.[1]).toBe(
      'More than 200 rows: oldest first. Filter them to sort them.',
    );
  });

  test('look at so many rows for one part, and lead on behind them', async () => {
    const { question } = await coding(openStore(), 'shop');
    let asked = 0;
    const endless = {
      async *waiting({ limit = 0 }: { readonly limit?: number }) {
        asked += limit;
        const item = { session: 'shop' as SessionId, title: '', interrupt: question };
        yield* await Promise.resolve(Array.from({ length: limit }, () => item));
      },
    } as unknown as SessionStore;
    await listWaiting(endless, { limit: 50, mostLooked: 500 }, () => Promise.resolve(false));
    expect(asked).toBe(500);
    const { items, next } = await listWaiting(endless, { limit: 50 }, () => Promise.resolve(false));
    expect([items, asked - 500, Buffer.from(next ?? '', 'base64url').toString()]).toEqual([
      [],
      5_000,
      '2026-01-02T03:04:05.000Z\nshop\ni2',
    ]);
  });

  test('give the words of a filter back as text', async () => {
    const page = await pageAt(`/?words=${encodeURIComponent('"><img src=x>')}`, openStore());
    expect([page.includes('value="&quot;&gt;&lt;img src=x&gt;"'), page.includes('<img')]).toEqual([
      true,
      false,
    ]);
  });
});
