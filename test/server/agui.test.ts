import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { defineTool, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { HOME, openServer } from './server-harness.js';

const transfer = defineTool(
  {
    name: 'transfer',
    description: 'Transfers.',
    input: z.object({ amount: z.number() }),
    needsApproval: true,
  },
  ({ amount }) => `sent ${amount}`,
);
const agent = (name = 'payer') => ({
  name,
  tools: [transfer],
  model: scriptedModel([{ tools: [{ name: 'transfer', input: { amount: 5 } }] }, 'It is done.']),
});

type Opened = Awaited<ReturnType<typeof openServer>>;
interface Event extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly outcome?: {
    readonly interrupts: readonly { readonly id: string; readonly metadata: { readonly digest: string } }[];
  };
}

async function run({ api }: Opened, input: object): Promise<readonly Event[]> {
  const body = JSON.stringify({
    threadId: 't1',
    runId: 'r1',
    messages: [{ role: 'user', content: 'Pay' }],
    ...input,
  });
  const text = await (await api('/agui', { method: 'POST', body })).text();
  return text
    .split('\n\n')
    .flatMap((part) => (part === '' ? [] : [JSON.parse(part.slice('data: '.length)) as Event]));
}

/** The answer to the question that a run ended with. */
function answerTo(events: readonly Event[], answer: string) {
  const [question] = events.at(-1)?.outcome?.interrupts ?? [];
  const { id = '', metadata = { digest: '' } } = question ?? {};
  return { resume: [{ interruptId: id, status: 'resolved', payload: { digest: metadata.digest, answer } }] };
}

describe('a client of AG-UI', () => {
  test('is told of a pause, goes on with an answer, and is refused the second one', async () => {
    const opened = await openServer({ agent: agent() });
    const paused = await run(opened, {});
    expect(paused.map(({ type }) => type)).toEqual([
      ...['RUN_STARTED', 'TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'RUN_FINISHED'],
    ]);
    expect(paused.at(-1)).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [{ id: 'i1', reason: 'confirmation', message: 'transfer  5' }],
      },
    });
    const went = await run(opened, answerTo(paused, 'y'));
    expect(went.map(({ type, content, delta }) => [type, content ?? delta].join(' ').trim())).toEqual([
      ...['RUN_STARTED', 'TOOL_CALL_RESULT sent 5', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT It is done.'],
      ...['TEXT_MESSAGE_END', 'RUN_FINISHED'],
    ]);
    expect(went.at(-1)?.outcome).toEqual({ type: 'success' });
    const again = await run(opened, answerTo(paused, 'y'));
    expect(again.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'ALREADY_ANSWERED' });
  });

  test('is not believed where it leaves out the digest, or names another one', async () => {
    const opened = await openServer({ agent: agent() });
    await run(opened, {});
    for (const payload of [undefined, 'y', { answer: 'y' }, { digest: 'f'.repeat(64), answer: 'y' }]) {
      const events = await run(opened, { resume: [{ interruptId: 'i1', status: 'resolved', payload }] });
      expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'BAD_ANSWER' });
    }
  });

  test('goes on with no thread of another agent: the same name is another thread there', async () => {
    const store = openStore();
    const payer = await openServer({ store, agent: agent('payer') });
    const paused = await run(payer, {});
    const other = await openServer({ store, agent: agent('sender') });
    const taken = await run(other, answerTo(paused, 'y'));
    expect(taken.at(-1)).toMatchObject({ type: 'RUN_ERROR' });
    expect((await run(other, {})).at(-1)).toMatchObject({ outcome: { type: 'interrupt' } });
    const ids: string[] = [];
    for await (const { id, status } of store.list())
      ids.push(`${id.slice(0, id.lastIndexOf('-'))} ${status}`);
    expect(ids.sort()).toEqual(['agui-payer waiting', 'agui-sender waiting']);
    expect((await run(payer, answerTo(paused, 'y'))).at(-1)?.outcome).toEqual({ type: 'success' });
  });

  test('has its person in the journal, and goes on with no session that it did not begin', async () => {
    const opened = await openServer({ agent: agent('payer') });
    const paused = await run(opened, {});
    await run(opened, answerTo(paused, 'n'));
    const ids: string[] = [];
    for await (const { id } of opened.store.list()) {
      ids.push(id);
      await using read = await opened.store.open(id, 'read');
      expect(read.state.resolved.at(-1)?.by).toEqual({ type: 'person', name: 'ann', via: 'ag-ui' });
    }
    expect(ids).toEqual([expect.stringMatching(/^agui-payer-[0-9a-f]{24}$/u)]);
  });

  test('has the token of a form where it is a browser, however the path is spelled (F3)', async () => {
    const { server, browser } = await openServer({ agent: agent() });
    const { cookie } = await browser();
    const headers = {
      host: HOME,
      cookie,
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
    };
    for (const path of ['/agui', '/%61gui', '/agu%69']) {
      const request = new Request(`http://${HOME}${path}`, { method: 'POST', body: '{}', headers });
      expect((await server.fetch(request, '127.0.0.1')).status).toBe(403);
    }
  });

  test('finds nothing where the server has no agent', async () => {
    const { api } = await openServer();
    expect((await api('/agui', { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
