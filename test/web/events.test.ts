import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

import type { LiveEvent } from '../../src/index.js';
import { answers, HitlError, openChat } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { readEvents, toResponse } from '../../src/web/index.js';
import { asks, pay, serving, told } from './played.js';

async function send(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  await pipeline(Readable.fromWeb(from.body as never), to);
}

const stream = (body: string, type = 'text/event-stream') =>
  new Response(body, { headers: { 'content-type': type } });
const rested = (session = 's1') =>
  `data: ${JSON.stringify({ session, type: 'rested', result: { type: 'done', text: '' } })}\n\n`;
const continued = (seq: number) =>
  `id: ${seq}\ndata: ${JSON.stringify({ session: 's1', seq, type: 'run-continued' })}\n\n`;

describe('events over HTTP', () => {
  test('arrive as they were told, with the last one where the run rests', async () => {
    await using chat = await openChat({ model: asks(), tools: [pay] });
    const run = chat.say('Pay 5');
    await serving(
      (_, response) => send(toResponse(run), response),
      async (url) => {
        expect(await told(readEvents(await fetch(url)))).toEqual(await told(run));
      },
    );
  });

  test('go on behind the last one that is known where the line breaks, and none is told twice', async () => {
    await using chat = await openChat({ model: asks(), tools: [pay] });
    await chat.say('Pay 5');
    await chat.answer(answers.restart(chat.open[0]!));
    const asked: number[] = [];
    await serving(
      async (request, response) => {
        const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after'));
        if (asked.length > 3) return send(toResponse(chat.events({ after })), response);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const text = await toResponse(chat.events({ after })).text();
        // Two whole events, and a piece of the third; then the line is cut.
        const piece = `${text.split('\n\n').slice(0, 2).join('\n\n')}\n\nid: 99\ndata: {"sess`;
        response.write(piece, () => {
          response.destroy();
        });
        return undefined;
      },
      async (url) => {
        const ask = (after: number) => {
          asked.push(after);
          return fetch(`${url}?after=${after}`);
        };
        expect(await told(readEvents(ask, { retryMs: 1 }))).toEqual(await told(chat.events()));
        expect(asked.slice(0, 4)).toEqual([0, 2, 4, 6]);
      },
    );
  });

  test('end with the error that the run failed with, and nothing of a bug', async () => {
    async function* failing(error: Error): AsyncGenerator<LiveEvent> {
      yield { session: 's1' as never, type: 'notice', text: 'so far' };
      throw error;
    }
    const ours = new HitlError('MODEL_FAILED', 'overloaded', { hint: 'wait', detail: { status: 529 } });
    await expect(told(readEvents(toResponse(failing(ours))))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'overloaded',
      hint: 'wait',
    });
    const bug = toResponse(failing(new Error('password: hunter2')));
    const text = await bug.text();
    expect(text).toContain('"code":"INTERNAL","message":"something failed"');
    expect(text).not.toContain('hunter2');
  });

  test('are kept alive by comments while nothing happens', async () => {
    async function* slow(): AsyncGenerator<LiveEvent> {
      await sleep(60);
      yield { session: 's1' as never, type: 'rested', result: { type: 'done', text: '' } };
    }
    const text = await toResponse(slow(), { heartbeatMs: 10 }).text();
    expect(text.startsWith(':\n\n')).toBe(true);
    expect(text.endsWith(rested())).toBe(true);
  });

  test('that nobody reads any more stop nothing', async () => {
    await using chat = await openChat({ model: scriptedModel(['Hello.']) });
    const run = chat.say('Hello');
    await toResponse(run).body?.cancel();
    expect(await run).toEqual({ type: 'done', text: 'Hello.' });
  });
});

describe('the other side may be anybody', () => {
  const codeOf = (response: Response) =>
    told(readEvents(response)).then(
      () => 'nothing was thrown',
      (thrown: unknown) => (thrown as HitlError).code,
    );

  test.for<[string, Response]>([
    ['a page', stream('<html>', 'text/html')],
    ['no type', new Response(rested(), { headers: {} })],
    ['no JSON', stream('data: {\n\n')],
    ['no event', stream('data: {"type":"x"}\n\n')],
    ['an event of no session', stream('data: {"type":"rested","result":{"type":"done","text":""}}\n\n')],
    ['a number that is none', stream(continued(1).replace('"seq":1', '"seq":"1"'))],
    ['a result of no kind', stream(rested().replace('"done"', '"won"'))],
    ['data that is too deep', stream(`data: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n\n`)],
    ['a line that does not end', stream(`data: ${'x'.repeat(8_000_001)}`)],
    ['lines that do not end', stream(`data: ${'x'.repeat(100)}\n`.repeat(90_000))],
  ])('and %s is refused', async ([, response]) => {
    expect(await codeOf(response)).toBe('BAD_INPUT');
  });

  test('a line that ends before the run rests is told', async () => {
    expect(await codeOf(stream(continued(1)))).toBe('ABORTED');
    expect(await codeOf(stream(''))).toBe('ABORTED');
  });

  test('events that come twice, or out of order, are told once', async () => {
    const events = await told(
      readEvents(stream(continued(1) + continued(2) + continued(1) + continued(2) + rested())),
    );
    expect(events.map((event) => ('seq' in event ? event.seq : event.type))).toEqual([1, 2, 'rested']);
  });

  test('a refusal has the code that the server gave, or the status', async () => {
    const error = { code: 'BAD_ANSWER', message: 'no' };
    expect(await codeOf(Response.json({ error }, { status: 400 }))).toBe('BAD_ANSWER');
    expect(await codeOf(Response.json({ error: { code: 'x', message: 'y' } }, { status: 500 }))).toBe(
      'INTERNAL',
    );
    expect(await codeOf(new Response('<html>', { status: 502 }))).toBe('BAD_INPUT');
    expect(
      await codeOf(new Response(JSON.stringify({ error, x: 'x'.repeat(100_000) }), { status: 400 })),
    ).toBe('BAD_INPUT');
  });

  test('a server that is not there is asked so often, and no more', async () => {
    let asked = 0;
    const ask = () => {
      asked += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    await expect(told(readEvents(ask, { retryMs: 1, maxRetries: 3 }))).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(asked).toBe(4);
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(told(readEvents(ask, { signal: stop }))).rejects.toThrow('enough');
  });
});

test('`hitl/web` needs nothing of Node', async () => {
  const { errors, outputFiles } = await build({
    entryPoints: ['src/web/index.ts'],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
  });
  expect(errors).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/from ["']node:/u);
});
