import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import { answers, HitlError, openChat, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { readEvents, runResponse, toNode, toRefusal } from '../../src/web/index.js';
import { asks, pay, serving, told } from './played.js';

describe('the response of a run', () => {
  test('gives the chat back before it says that the run rests', async () => {
    const options = { store: openStore(), model: asks(), tools: [pay] };
    const chat = await openChat(options);
    for await (const event of readEvents(await runResponse(chat.say('Pay 5'), chat))) {
      if (event.type !== 'rested' || event.result.type !== 'waiting') continue;
      await using again = await openChat(event.session, options);
      expect(await again.answer(answers.restart(event.result.open[0]!))).toEqual({
        type: 'done',
        text: 'It is paid.',
      });
    }
    expect.assertions(1);
  });

  test('that was refused is an error with a status, and the chat is given back', async () => {
    const options = { store: openStore(), model: asks(), tools: [pay] };
    const first = await openChat(options);
    await first.say('Pay 5');
    const refused = await runResponse(first.say('Well?'), first).catch(toRefusal);
    expect([refused.status, await refused.json()]).toEqual([
      409,
      {
        error: {
          code: 'OPEN_INTERRUPT',
          message: 'answer the open questions first: i1',
          hint: 'use `chat.answer(…)`; to cancel a question, answer with `answers.cancel(question)`',
        },
      },
    ]);
    await using again = await openChat(first.id, options);
    expect(again.open).toHaveLength(1);
  });

  test('whose reader leaves goes on, and the chat is given back', async () => {
    const options = { store: openStore(), model: scriptedModel(['Hello.']) };
    const chat = await openChat(options);
    const run = chat.say('Hello');
    await (await runResponse(run, chat)).body?.cancel();
    expect(await run).toEqual({ type: 'done', text: 'Hello.' });
    await turn();
    await using again = await openChat(chat.id, options);
    expect(again.messages).toHaveLength(2);
  });

  test('that fails in the middle ends with the error, when the chat was given back', async () => {
    const store = openStore();
    const model = scriptedModel([{ error: { message: 'overloaded' } }]);
    const chat = await openChat({ store, model });
    await expect(told(readEvents(await runResponse(chat.say('Hello'), chat)))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'overloaded',
    });
    await using again = await openChat(chat.id, { store, model: scriptedModel(['Hello.']) });
    expect(await again.resume()).toEqual({ type: 'done', text: 'Hello.' });
  });
});

test.for<[HitlError | Error, number, string]>([
  [new HitlError('BAD_ANSWER', 'no'), 400, 'BAD_ANSWER'],
  [new HitlError('SESSION_NOT_FOUND', 'no'), 404, 'SESSION_NOT_FOUND'],
  [new HitlError('ALREADY_ANSWERED', 'no'), 409, 'ALREADY_ANSWERED'],
  [new HitlError('SESSION_LOCKED', 'no'), 503, 'SESSION_LOCKED'],
  [new Error('password: hunter2'), 500, 'INTERNAL'],
  [Object.assign(new Error('no'), { expose: true, status: 413 }), 413, 'BAD_INPUT'],
  [Object.assign(new Error('password'), { expose: false, status: 413 }), 500, 'INTERNAL'],
  [Object.assign(new Error('password'), { expose: true, status: 502 }), 500, 'INTERNAL'],
])('a refusal has a status, and `readEvents` throws it: %s', async ([thrown, status, code]) => {
  const refusal = toRefusal(thrown);
  expect(refusal.status).toBe(status);
  const read = await told(readEvents(refusal)).catch((error: unknown) => error);
  expect(read).toMatchObject({ code, message: code === 'INTERNAL' ? 'something failed' : 'no' });
});

describe('a response of fetch goes out of Node', () => {
  test('with its status, its headers and each of its cookies', async () => {
    const headers = new Headers({ 'x-chat': 'c1' });
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2; Path=/');
    await serving(
      (_, to) => toNode(new Response('made', { status: 201, headers }), to),
      async (url) => {
        const got = await fetch(url);
        expect([got.status, got.headers.get('x-chat'), got.headers.getSetCookie()]).toEqual([
          201,
          'c1',
          ['a=1', 'b=2; Path=/'],
        ]);
        expect(await got.text()).toBe('made');
      },
    );
    await serving(
      (_, to) => toNode(new Response(null, { status: 204 }), to),
      async (url) => {
        expect((await fetch(url)).status).toBe(204);
      },
    );
  });

  test('at the pace of its reader, and whole', async () => {
    const piece = new Uint8Array(1 << 20).fill(120);
    let made = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        made += 1;
        controller.enqueue(piece);
        if (made === 16) controller.close();
      },
    });
    await serving(
      (_, to) => toNode(new Response(body), to),
      async (url) => {
        const got = await fetch(url);
        for (let idle = 0; idle < 20; idle += 1) await turn();
        expect(made).toBeLessThan(16);
        expect((await got.arrayBuffer()).byteLength).toBe(16 * piece.length);
      },
    );
  });

  test('and is not read on when its reader has left', async () => {
    let isCancelled: () => void = () => undefined;
    const cancelled = new Promise<void>((resolve) => {
      isCancelled = resolve;
    });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array([1]));
      },
      cancel: () => {
        isCancelled();
      },
    });
    const sent: Promise<void>[] = [];
    await serving(
      (_, to) => sent.push(toNode(new Response(body), to)),
      async (url) => {
        const leaving = new AbortController();
        await fetch(url, { signal: leaving.signal });
        leaving.abort();
        await cancelled;
        await expect(sent[0]).resolves.toBeUndefined();
      },
    );
  });

  test('and is cut where its body breaks', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('broken'));
      },
    });
    const sent: Promise<unknown>[] = [];
    await serving(
      (_, to) => sent.push(toNode(new Response(body), to).catch((thrown: unknown) => thrown)),
      async (url) => {
        await expect(fetch(url).then((got) => got.text())).rejects.toThrow();
        expect(await sent[0]).toEqual(new Error('broken'));
      },
    );
  });
});

test.skipIf(!isInstalled())('a chat is served by Express in the lines that the guide shows', async () => {
  const { express } = await import('../../tools/peers/express.mjs');
  const options = { store: openStore(), model: asks(), tools: [pay] };
  const app = express();
  app.use(express.json());
  app.post('/chats', async ({ body }, response) => {
    const chat = await openChat(options);
    await toNode(await runResponse(chat.say(body.text), chat), response);
  });
  app.post('/chats/:id/answers', async ({ params, body }, response) => {
    const answer = answers.read(body, { by: { type: 'person', name: 'ada', via: 'library' } });
    const chat = await openChat(params['id'] ?? '', options);
    await toNode(await runResponse(chat.answer(answer), chat), response);
  });
  app.use((thrown: unknown, _request: unknown, response: ServerResponse, _next: unknown) =>
    toNode(toRefusal(thrown), response),
  );
  await serving(app, async (url) => {
    const post = (where: string, body: object) =>
      fetch(`${url}${where}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const rested = (await told(readEvents(await post('chats', { text: 'Pay 5' })))).at(-1);
    if (rested?.type !== 'rested' || rested.result.type !== 'waiting') throw new Error('nobody is asked');
    const { id, digest } = rested.result.open[0]!;
    const answer = { id, digest, resolution: { action: 'restart' } };
    const where = `chats/${rested.session}/answers`;
    expect((await post(where, { id })).status).toBe(400);
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":' };
    expect((await fetch(`${url}${where}`, broken)).status).toBe(400);
    expect((await told(readEvents(await post(where, answer)))).at(-1)).toMatchObject({
      result: { type: 'done', text: 'It is paid.' },
    });
    expect((await post(where, answer)).status).toBe(409);
    expect((await post('chats/none/answers', answer)).status).toBe(404);
  });
});
