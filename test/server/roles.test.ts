import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import type { Actor, SessionStore } from '../../src/index.js';
import { defineTool, openChat } from '../../src/index.js';
import type { HitlServer, TokenHolder } from '../../src/server/index.js';
import { checkRoutes } from '../../src/server/route.js';
import type { InnerRoute, OpenRoute } from '../../src/server/route.js';
import { notTaken } from '../../src/server/server.js';
import { scriptedModel } from '../../src/testing/index.js';
import { asking, HOME, HOST, openServer, valueIn } from './server-harness.js';

const tokenOf = (name: string) => name.padEnd(32, '-');
const holder = (name: string, more: Partial<TokenHolder> = {}): TokenHolder => ({
  ...{ name, token: tokenOf(name) },
  ...more,
});

/** A name for each role, and two programs. */
const people = [
  holder('ann'),
  holder('opal', { groups: ['ops'] }),
  holder('rita', { roles: ['read'] }),
  holder('boss', { roles: ['answer', 'read'], groups: ['ops'] }),
  holder('sam', { roles: ['answer', 'say'] }),
  holder('beth', { roles: ['begin'] }),
  holder('bot', { roles: ['ask'] }),
  holder('rob', { roles: ['ask', 'read'] }),
  holder('bat', { roles: ['ask'] }),
];

const pay = (name: string, approvers?: object) =>
  defineTool(
    { name, description: 'Pays.', input: z.object({}), needsApproval: true, ...(approvers && { approvers }) },
    () => 'paid',
  );
const tools = [pay('pay'), pay('pay_ops', { from: ['@ops'] })];
const agent = () => ({
  tools,
  model: scriptedModel(
    Array.from({ length: 9 }, () => [{ tools: [{ name: 'pay', input: {} }] }, 'Done.']).flat(),
  ),
});

/** What is looked at in a response; a stream of AG-UI is its text. */
interface Body {
  readonly id: string;
  readonly next: string;
  readonly items: readonly {
    readonly id: string;
    readonly session: string;
    readonly interrupt: { readonly id: string; readonly digest: string };
  }[];
  readonly events: string;
}

const NOTHING: Body = { id: '', next: '', items: [], events: '' };

/** A server with a question of a terminal for anybody, one for `@ops`, and one that the program `bot` asked. */
async function office() {
  const opened = await openServer({ access: { type: 'tokens', people }, agent: agent() });
  const { store, server } = opened;
  const as =
    (name: string) =>
    async (path: string, init: RequestInit = {}): Promise<readonly [number, Body]> => {
      const headers = {
        ...{ host: HOST, authorization: `Bearer ${tokenOf(name)}` },
        ...(init.body !== undefined && { 'content-type': 'application/json' }),
      };
      const response = await server.fetch(
        new Request(`http://${HOST}${path}`, { ...init, headers }),
        '127.0.0.1',
      );
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (isStream && path.endsWith('/events')) {
        await response.body?.cancel();
        return [response.status, NOTHING];
      }
      const text = await response.text();
      return [response.status, isStream ? { ...NOTHING, events: text } : (JSON.parse(text) as Body)];
    };
  const terminal = await asking(store, 'terminal');
  const ops = await askingOps(store);
  const [, { id }] = await as('bot')('/v1/sessions', post({ text: 'Pay' }));
  const asked = await vi.waitFor(async () => {
    const [, page] = await as('bot')('/v1/waiting');
    expect(page.items).toHaveLength(1);
    return page.items[0]!.interrupt;
  });
  return { ...opened, as, terminal, ops, bots: id, asked };
}

async function askingOps(store: SessionStore) {
  const chat = await openChat({
    ...{ store, id: 'ops', tools },
    model: scriptedModel([{ tools: [{ name: 'pay_ops', input: {} }] }, 'Done.']),
  });
  await chat.say('Pay');
  const [question] = chat.open;
  await chat.close();
  return question!;
}

const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

describe('roles', () => {
  test('a question is seen by who may answer it, who began it, or who reads: in lists, pages and streams (rivals 3)', async () => {
    const { as, server, bots, ops, terminal } = await office();
    const all = ['terminal', 'ops', bots].sort();
    const seen = async (name: string) => {
      const [, waiting] = await as(name)('/v1/waiting');
      const [, sessions] = await as(name)('/v1/sessions');
      const ids = (page: Body, key: 'id' | 'session') => page.items.map((item) => item[key]).sort();
      const whole = await Promise.all(
        all.map(async (id) => {
          const [[status], [stream]] = [
            await as(name)(`/v1/sessions/${id}`),
            await as(name)(`/v1/sessions/${id}/events`),
          ];
          expect(stream).toBe(status);
          return status === 200 ? [id] : [];
        }),
      );
      expect(whole.flat()).toEqual(ids(sessions, 'id'));
      return [ids(waiting, 'session'), ids(sessions, 'id')];
    };
    const anybodys = ['terminal', bots].sort();
    expect(
      Object.fromEntries(await Promise.all(people.map(async ({ name }) => [name, await seen(name)]))),
    ).toEqual({
      ann: [anybodys, []],
      opal: [all, []],
      rita: [all, all],
      boss: [all, all],
      sam: [anybodys, []],
      beth: [[], []],
      bot: [[bots], [bots]],
      rob: [all, all],
      bat: [[], []],
    });
    const pages = async (name: string) => {
      const token = tokenOf(name);
      const browser = await signedIn(server, token);
      const places = [
        '/sessions/terminal',
        terminal.place,
        `/sessions/ops/questions/${ops.id}`,
        `/sessions/${bots}`,
      ];
      return Promise.all(places.map(async (place) => (await browser(place)).status));
    };
    expect([await pages('ann'), await pages('boss'), await pages('bot'), await pages('beth')]).toEqual([
      [404, 200, 404, 404],
      [200, 200, 200, 200],
      [404, 404, 404, 200],
      [404, 404, 404, 404],
    ]);
    await server.close();
  });

  test('lists go on page by page over what somebody does not see (rivals 3)', async () => {
    const { as, store, server } = await office();
    for (let at = 0; at < 7; at += 1) await askingOpsAs(store, `more-${at}`);
    await asking(store, 'last');
    const [, first] = await as('ann')('/v1/waiting?limit=1');
    const [, second] = await as('ann')(`/v1/waiting?limit=1&after=${first.next}`);
    const [, third] = await as('ann')(`/v1/waiting?limit=1&after=${second.next}`);
    expect([first, second, third].map(({ items }) => items[0]?.session)).toEqual([
      ...['terminal', expect.stringMatching(/^api-/u), 'last'],
    ]);
    expect(third.next).toBeUndefined();
    await server.close();
  });

  test('a program begins, says and sees its own, and answers nothing, by no door (rivals 2)', async () => {
    const { as, server, bots, asked, terminal, store } = await office();
    const digest = { interrupt: asked.id, digest: asked.digest, answer: 'y' };
    for (const name of ['bot', 'rob', 'bat', 'rita', 'beth'])
      expect(await as(name)(`/v1/sessions/${bots}/answers`, post(digest))).toEqual([
        403,
        { error: { code: 'NOT_ELIGIBLE', message: `${name} does not have the role answer` } },
      ]);
    const browser = await signedIn(server, tokenOf('bot'));
    const page = await (await browser(`/sessions/${bots}/questions/${asked.id}`)).text();
    const form = { form: valueIn(page, 'form'), digest: asked.digest, way: 'y' };
    expect((await browser(`/sessions/${bots}/questions/${asked.id}/answer`, form)).status).toBe(403);
    await using read = await store.open(bots as never, 'read');
    expect(read.state.resolved.length).toBe(0);
    expect((await as('bot')(`/v1/sessions/${bots}/messages`, post({ text: 'hurry' })))[0]).toBe(202);
    expect((await as('bat')(`/v1/sessions/${bots}/messages`, post({ text: 'hurry' })))[0]).toBe(404);
    expect((await as('bot')('/v1/sessions/terminal/messages', post({ text: 'hurry' })))[0]).toBe(404);
    expect(terminal.session).toBe('terminal');
    await server.close();
  });

  test('a person answers what they are asked, and what they do not see is not there (rivals 3)', async () => {
    const { as, server, ops, terminal } = await office();
    const answer = { interrupt: ops.id, digest: ops.digest, answer: 'y' };
    expect(await as('ann')('/v1/sessions/ops/answers', post(answer))).toEqual([
      404,
      { error: { code: 'INTERRUPT_NOT_FOUND', message: 'question not found' } },
    ]);
    expect((await as('opal')('/v1/sessions/ops/answers', post(answer)))[0]).toBe(200);
    const { id: interrupt, digest } = terminal.question;
    const given = { interrupt, digest, answer: 'y' };
    expect((await as('ann')('/v1/sessions/terminal/answers', post(given)))[0]).toBe(200);
    expect((await as('ann')('/v1/sessions/terminal/answers', post(given)))[0]).toBe(409);
    await server.close();
  });

  test.for([
    ['begins', '/v1/sessions', { text: 'Pay' }, ['beth', 'bot', 'rob', 'bat'], 201],
    ['says', '/v1/sessions/terminal/messages', { text: 'Hurry' }, ['sam', 'rob'], 202],
  ] as const)('whoever %s has the role for it', async ([, path, body, who, status]) => {
    const { as, server } = await office();
    const done = await Promise.all(
      people.map(async ({ name }) => ((await as(name)(path, post(body)))[0] === status ? [name] : [])),
    );
    expect(done.flat()).toEqual(who);
    await server.close();
  });

  test('a client of AG-UI has its own threads, and answers with the role alone (rivals 2)', async () => {
    const { as, server, store } = await office();
    const run = (name: string, more: object = {}) =>
      as(name)(
        '/agui',
        post({ threadId: 't', runId: 'r', messages: [{ role: 'user', content: 'Pay' }], ...more }),
      );
    expect((await run('ann'))[0]).toBe(403);
    expect((await run('sam'))[1].events).toContain('sam does not have the role begin');
    const [, paused] = await run('bot');
    expect(paused.events).toContain('"outcome":{"type":"interrupt"');
    expect((await run('bat'))[1].events).toContain('another user started this thread');
    const digest = /"digest":"([0-9a-f]{64})"/u.exec(paused.events)?.[1];
    const resume = [{ interruptId: 'i1', status: 'resolved', payload: { digest, answer: 'y' } }];
    expect((await run('bot', { resume }))[1].events).toContain('bot does not have the role answer');
    const answered: Actor[] = [];
    for await (const { id } of store.list()) {
      await using session = await store.open(id, 'read');
      answered.push(...session.state.resolved.toArray().map(({ by }) => by));
    }
    expect(answered).toEqual([]);
    await server.close();
  });

  test('a stream tells somebody of what they see, and of nothing else (rivals 3)', async () => {
    const { as, server, terminal, ops } = await office();
    const heard = async (name: string) => {
      const headers = { host: HOST, authorization: `Bearer ${tokenOf(name)}` };
      const response = await server.fetch(new Request(`http://${HOST}/v1/stream`, { headers }), '127.0.0.1');
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      await reader.read();
      return reader;
    };
    const [ann, bot, boss] = [await heard('ann'), await heard('bot'), await heard('boss')];
    const [, { id: bats }] = await as('bat')('/v1/sessions', post({ text: 'Pay' }));
    await as('boss')(
      '/v1/sessions/ops/answers',
      post({ interrupt: ops.id, digest: ops.digest, answer: 'y' }),
    );
    const { id: interrupt, digest } = terminal.question;
    await as('ann')('/v1/sessions/terminal/answers', post({ interrupt, digest, answer: 'y' }));
    const [, { id: own }] = await as('bot')('/v1/sessions', post({ text: 'Pay' }));
    const until = async (reader: Awaited<ReturnType<typeof heard>>, ...wanted: string[]) => {
      const sessions = new Set<string>();
      while (!wanted.every((id) => sessions.has(id))) {
        const { value = '' } = await reader.read();
        for (const [, id = ''] of value.matchAll(/"session":"([^"]+)"/gu)) sessions.add(id);
      }
      await reader.cancel();
      return sessions;
    };
    expect(await until(bot, own)).toEqual(new Set([own]));
    expect(await until(boss, own)).toContain('ops');
    const anns = await until(ann, own, bats, 'terminal');
    expect(anns.has('ops')).toBe(false);
    await server.close();
  });
});

test('a stream ends with the sign-in that it was opened with (F2)', async () => {
  const { store, server } = await openServer({ access: { type: 'tokens', people } });
  const browser = await signedIn(server, tokenOf('boss'));
  const reader = (await browser('/v1/stream')).body!.getReader();
  await reader.read();
  const page = await (await browser('/')).text();
  expect((await browser('/sign-out', { form: valueIn(page, 'form') })).status).toBe(303);
  await asking(store, 'later');
  expect(await reader.read()).toEqual({ done: true, value: undefined });
});

async function askingOpsAs(store: SessionStore, id: string) {
  const model = scriptedModel([{ tools: [{ name: 'pay_ops', input: {} }] }, 'Done.']);
  const chat = await openChat({ store, id, tools, model });
  await chat.say('Pay');
  await chat.close();
}

/** A browser of somebody with a token: it gets pages, and sends forms. */
async function signedIn({ fetch }: HitlServer, token: string) {
  const headers = new Headers({ host: HOME, 'sec-fetch-site': 'same-origin' });
  const init = { method: 'POST', body: new URLSearchParams({ token }), headers };
  const entered = await fetch(new Request(`http://${HOME}/sign-in`, init), '127.0.0.1');
  headers.set('cookie', (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '');
  return (path: string, form?: Record<string, string>) =>
    fetch(
      new Request(`http://${HOME}${path}`, {
        headers,
        ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
      }),
      '127.0.0.1',
    );
}

describe('the table of routes', () => {
  const handle = () => new Response();
  const row = { path: '/x', kind: 'json', handle } as const;

  test.for([
    ['nothing', { ...row, method: 'POST', needs: 'any role', mostBytes: 1 }],
    ['another method', { ...row, method: 'DELETE', needs: 'any role', mostBytes: 1 }],
    ['a word that is none', { ...row, method: 'POST', needs: 'any role', shows: 'trust me', mostBytes: 1 }],
    [
      'a signature, for somebody who signed in',
      { ...row, method: 'POST', needs: 'answer', shows: 'signature' },
    ],
    ['a form of somebody, for everybody', { ...row, method: 'POST', needs: 'nobody', shows: 'field' }],
  ])('has no row that writes and shows %s (F3)', ([, route]) => {
    expect(() => {
      checkRoutes([route as InnerRoute]);
    }).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }));
  });

  const ann = { name: 'ann', roles: ['answer'], formToken: 'f' } as const;
  const program = { name: 'bot', roles: ['answer'] } as const;
  const call = (headers: Record<string, string> = {}, form: Record<string, string> = {}) => ({
    request: new Request(`http://${HOME}/x`, { method: 'POST', headers: { host: HOME, ...headers } }),
    form: new URLSearchParams(form),
  });
  const writes = { ...row, method: 'POST', mostBytes: 1 } as const;
  const field: InnerRoute = { ...writes, needs: 'answer', shows: 'field' };
  const header: InnerRoute = { ...writes, needs: 'answer', shows: 'header' };
  const open: OpenRoute = { ...writes, needs: 'nobody', shows: 'same-site' };

  test.for([
    ['a form with its token', field, call({}, { form: 'f' }), ann, undefined],
    ['a form without it', field, call(), ann, 'form'],
    ['a form with another one', field, call({}, { form: 'g' }), ann, 'form'],
    ['a form whose token is in a header', field, call({ 'x-hitl-form': 'f' }), ann, 'form'],
    ['a form of a program', field, call({}, { form: '' }), program, 'form'],
    [
      'a form of another site',
      field,
      call({ 'sec-fetch-site': 'cross-site' }, { form: 'f' }),
      ann,
      'other site',
    ],
    ['a form of another role', { ...field, needs: 'read' }, call({}, { form: 'f' }), ann, 'role'],
    ['JSON with its token', header, call({ 'x-hitl-form': 'f' }), ann, undefined],
    ['JSON without it', header, call(), ann, 'form'],
    ['JSON of a program', header, call(), program, undefined],
    ['JSON of nobody', header, call(), undefined, 'role'],
    ['a sign-in', open, call({ 'sec-fetch-site': 'same-origin' }), undefined, undefined],
    ['a sign-in of another site', open, call({ 'sec-fetch-site': 'cross-site' }), undefined, 'other site'],
    ['a sign-in of another origin', open, call({ origin: 'https://evil.example' }), undefined, 'other site'],
  ] as const)('takes or refuses %s (F3, F4)', ([, route, asked, visitor, why]) => {
    expect(notTaken(route, asked, visitor)?.why).toBe(why);
  });
});
