import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Flow, SessionEvent } from '../../src/index.js';
import { answers, graph, openFlow, openStore, workflow } from '../../src/index.js';
import { createMemoryStore } from '../../sessions/index.js';
import { fakeClock } from '../../src/testing/index.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hitl-events-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const build = z.object({ ok: z.boolean() });

const waits = workflow('deploy', async (ctx) => {
  const first = await ctx.event('build', { schema: build });
  const second = await ctx.event('build', { schema: build });
  return [first.ok, second.ok];
});

async function kept(flow: Flow): Promise<readonly SessionEvent[]> {
  const all: SessionEvent[] = [];
  for await (const event of flow.events()) if ('seq' in event) all.push(event);
  return all;
}

describe('an event from outside', () => {
  test('W41: ends one wait of its name, also where it was sent before anything waited', async () => {
    await using flow = await openFlow(waits);
    await flow.send({ event: 'other', data: { ok: false } });
    await flow.send({ event: 'build', data: { ok: true } });
    expect(await flow.start()).toMatchObject({ type: 'waiting' });
    expect(flow.open).toMatchObject([{ source: { event: 'build', operation: 'build#2' } }]);
    await flow.send({ event: 'build', data: { ok: false }, id: 'hook-7' });
    await flow.send({ event: 'build', data: { ok: false }, id: 'hook-7' });
    expect(await flow.resume()).toMatchObject({ type: 'done' });
    expect(flow.state['deploy']).toEqual([true, false]);
    expect(flow.runState.inbox).toMatchObject({ delivered: 2, refused: 0, unsettled: [] });
  });

  test('W42: that does not fit is refused, and the next one counts', async () => {
    await using flow = await openFlow(waits);
    await flow.send({ event: 'build', data: 'green' });
    await flow.send({ event: 'build', data: { ok: true } });
    await flow.start();
    expect(flow.open).toMatchObject([{ source: { operation: 'build#2' } }]);
    expect((await kept(flow)).flatMap((one) => (one.type === 'inbox-settled' ? [one.outcome] : []))).toEqual([
      { type: 'refused', why: expect.stringContaining('invalid answer to question `i1`') as string },
      { type: 'applied' },
    ]);
  });

  test('W43: that comes while the workflow is waited for goes on at once', async () => {
    const patient = {
      ask: (_open: unknown, _state: unknown, signal: AbortSignal) =>
        new Promise<{ type: 'left-open'; why: string }>((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({ type: 'left-open', why: 'stopped' });
          });
        }),
    };
    await using flow = await openFlow(waits, { store: folder, channel: patient });
    const rest = flow.start();
    for await (const event of rest) {
      if (event.type !== 'interrupt-raised') continue;
      await flow.send({ event: 'build', data: { ok: true } });
      if (event.interrupt.source.type === 'node' && event.interrupt.source.operation === 'build#2') break;
    }
    expect(await rest).toMatchObject({ type: 'done' });
    expect(flow.state['deploy']).toEqual([true, true]);
  });

  test('W44: is null where none comes in time, and one that was sent in time counts however late it is taken', async () => {
    const clock = fakeClock();
    const bounded = workflow('bounded', (ctx) => ctx.event('build', { schema: build, timeout: '1h' }));
    const outcome = async (between: (flow: Flow) => Promise<unknown>): Promise<unknown> => {
      await using flow = await openFlow(bounded, {
        clock,
        store: createMemoryStore({ clock, random: (size) => new Uint8Array(size) }),
      });
      await flow.start();
      await between(flow);
      await flow.resume();
      return flow.state['bounded'];
    };
    expect(await outcome(() => clock.advance(3_600_000))).toBeNull();
    expect(
      await outcome((flow) =>
        flow.send({ event: 'build', data: { ok: true } }).then(() => clock.advance(7_200_000)),
      ),
    ).toEqual({ ok: true });
  });

  test('W45: reaches what waits inside of branches and other graphs, and a person may answer in its place', async () => {
    const inner = workflow('inner', (ctx) =>
      ctx.all('both', {
        a: (one) => one.event('a'),
        b: (one) => one.event('b', { schema: z.number() }),
      }),
    );
    const around = graph('around')
      .group('parts', {
        members: { left: { kind: 'subgraph', graph: inner }, right: { kind: 'function', run: () => 1 } },
      })
      .end('parts')
      .build();
    await using flow = await openFlow(around);
    await flow.start();
    await flow.send({ event: 'b', data: 5 });
    await flow.resume();
    expect(flow.open).toMatchObject([{ source: { event: 'a' } }]);
    const [question] = flow.open;
    if (question === undefined) throw new Error('nothing is open');
    await flow.answer(answers.respond(question, 'by hand'));
    expect(flow.state).toMatchObject({ left: { a: 'by hand', b: 5 } });
  });

  test.for<[string, Parameters<Flow['send']>[0]]>([
    ['a name that is none', { event: '../etc' }],
    ['data that is too large', { event: 'build', data: 'x'.repeat(100_001) }],
    ['a date that is none', { event: 'build', expiresAt: 'soon' }],
  ])('is refused with %s', async ([_what, sent]) => {
    await using flow = await openFlow(waits);
    await expect(flow.send(sent)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

test('one clock is that of the store, of what is sent and of deadlines (N19)', async () => {
  const clock = fakeClock();
  const flow = workflow('w', (ctx) => ctx.event('hook', { timeout: '1h' }));
  await using opened = await openFlow(flow, { clock });
  await opened.start();
  await opened.send({ event: 'hook', data: 'in time' });
  expect(await opened.resume()).toMatchObject({ type: 'done' });
  expect(opened.state['w']).toBe('in time');
});

test('a flow goes by the clock of a store that is given, and two clocks are refused (N19)', async () => {
  const clock = fakeClock();
  const store = openStore(undefined, { clock });
  const flow = workflow('w', (ctx) => ctx.sleep('nap', '1h').then(() => 'up'));
  await using opened = await openFlow(flow, { store });
  expect(await opened.start()).toMatchObject({ type: 'waiting' });
  await clock.advance(3_600_000);
  expect(await opened.resume()).toMatchObject({ type: 'done' });
  await expect(openFlow(flow, { store, clock: fakeClock() })).rejects.toMatchObject({
    code: 'BAD_CONFIG',
    message: 'the store uses a different clock than `clock`',
  });
});
