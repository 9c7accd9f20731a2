import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Flow, LiveRun } from '../../src/index.js';
import { answers, defineTool, openFlow, openStore, workflow } from '../../src/index.js';

/** A deploy that fails at its second host as long as that is sick. */
function deploying() {
  const done: string[] = [];
  const sick = new Set(['b']);
  const notify = defineTool(
    { name: 'notify', description: 'Tells people.', input: z.object({ text: z.string() }), effect: 'once' },
    ({ text }) => {
      done.push(`notify ${text}`);
      return 'told';
    },
  );
  const flow = workflow('deploy', async (ctx) => {
    const version = await ctx.step('build', () => (done.push('build'), 'v1'), { effect: 'idempotent' });
    for (const host of ['a', 'b']) {
      await ctx.step(
        'ship',
        () => {
          if (sick.has(host)) throw new Error(`${host} is sick`);
          done.push(`${version} to ${host}`);
        },
        { of: host },
      );
      if (!(await ctx.ask('healthy', { prompt: `${host}?`, schema: z.boolean() }))) return `${host} is bad`;
    }
    await ctx.tool(notify, { text: 'all' });
    return 'all of it';
  });
  return { flow, done, sick };
}

async function say(flow: Flow, output: boolean) {
  const [question] = flow.open;
  if (question === undefined) throw new Error('nothing is open');
  return await flow.answer(answers.respond(question, output));
}

const errorOf = (
  run: LiveRun | Promise<unknown>,
): Promise<{ code: string; message: string; detail?: unknown }> =>
  Promise.resolve(run).then(
    () => ({ code: 'none', message: 'nothing was thrown' }),
    (thrown: unknown) => thrown as { code: string; message: string; detail?: unknown },
  );

describe('a part of a workflow that is done anew', () => {
  test('W70: what was done once is done once more only where a person says so, and nothing changes before', async () => {
    const { flow: definition, done, sick } = deploying();
    sick.clear();
    await using flow = await openFlow(definition);
    await flow.start();
    await say(flow, true);
    await say(flow, true);
    expect(done).toEqual(['build', 'v1 to a', 'v1 to b', 'notify all']);
    const { runState } = flow;
    expect(await errorOf(flow.rerun('ship#2'))).toMatchObject({
      code: 'DONE_ONCE',
      detail: {
        again: [
          { name: 'ship#2', title: 'b', outcome: 'output' },
          { name: 'notify', outcome: 'output' },
        ],
      },
    });
    expect(flow.runState).toBe(runState);
    await flow.rerun('ship#2', { again: true });
    await say(flow, true);
    expect(done.slice(4)).toEqual(['v1 to b', 'notify all']);
  });

  test('W71: what may be done twice needs no word', async () => {
    const { flow: definition, done } = deploying();
    await using flow = await openFlow(definition);
    await flow.start();
    expect(done).toEqual(['build', 'v1 to a']);
    expect(await errorOf(flow.rerun('build#1'))).toMatchObject({ code: 'DONE_ONCE' }); // `ship#1` came after it
    await flow.rerun('healthy#1');
    expect(flow.open).toHaveLength(1);
    expect(done).toEqual(['build', 'v1 to a']);
  });

  test('W72: a value in the place of what failed, and the code goes on behind it', async () => {
    const { flow: definition, done } = deploying();
    await using flow = await openFlow(definition);
    await flow.start();
    expect(await errorOf(say(flow, true))).toMatchObject({ code: 'NODE_FAILED' });
    const events = [];
    for await (const event of flow.skip('ship#2', 'by hand', {
      by: { type: 'person', name: 'Ada', via: 'library' },
    }))
      events.push(event);
    expect(events[0]).toMatchObject({
      type: 'rewound',
      operation: 'ship#2',
      given: { output: 'by hand' },
      by: { name: 'Ada' },
    });
    expect(flow.open).toMatchObject([{ payload: { question: 'b?' } }]);
    await say(flow, true);
    expect(done).toEqual(['build', 'v1 to a', 'notify all']);
  });

  test('W73: a value in the place of a question is one that its schema takes', async () => {
    const { flow: definition, done } = deploying();
    await using flow = await openFlow(definition);
    await flow.start();
    expect(await errorOf(flow.skip('healthy#1', 'yes'))).toMatchObject({
      code: 'BAD_INPUT',
      message: 'the value for `healthy#1` is invalid: it: expected boolean, received string',
    });
    expect(await flow.skip('healthy#1', false)).toMatchObject({ type: 'done' });
    expect([flow.state['deploy'], done]).toEqual(['a is bad', ['build', 'v1 to a']]);
  });

  test('W74: a value for what the workflow made of itself, for a node, for what is not there is refused', async () => {
    const definition = workflow('own', async (ctx) => {
      await ctx.put({ at: 1 });
      return await ctx.race('first', {
        one: (one) => one.step('one', () => 1),
        two: (two) => two.step('two', () => 2),
      });
    });
    await using flow = await openFlow(definition);
    await flow.start();
    for (const [place, message] of [
      ['state#1', '`state#1` is internal to the workflow, and does not accept a value'],
      ['first#1', '`first#1` is internal to the workflow, and does not accept a value'],
      ['own@1', '`own@1` is a node, but a value can only replace the result of an operation'],
      [
        'one#7',
        '`one#7` is not on the path: own@1; the last operations: state#1, first/one/one#1, first/two/two#1, first#1',
      ],
    ] as const) {
      const refused = await errorOf(flow.skip(place, 1));
      expect([refused.code, refused.message]).toEqual(['BAD_INPUT', message]);
    }
  });

  test('W75: a fork ends just before an operation, and what was done twice counts the last time', async () => {
    const store = openStore();
    const { flow: definition, done, sick } = deploying();
    sick.clear();
    await using flow = await openFlow(definition, { store });
    await flow.start();
    await say(flow, true);
    await flow.rerun('healthy#1', { again: true });
    await say(flow, true);
    await using other = await openFlow(await flow.fork('healthy#2'), definition, { store });
    expect(other.open).toEqual([]);
    await other.resume();
    expect(other.open).toMatchObject([{ payload: { question: 'b?' } }]);
    await using first = await openFlow(await flow.fork('healthy#1'), definition, { store });
    await first.resume();
    expect(first.open).toMatchObject([{ payload: { question: 'a?' } }]);
    expect(done).toEqual(['build', 'v1 to a', 'v1 to b', 'v1 to b']);
    expect(await errorOf(flow.fork('nowhere'))).toMatchObject({ code: 'BAD_INPUT' });
  });

  test('W76: a secret is given where it is asked, and nowhere else', async () => {
    const definition = workflow('login', async (ctx) => {
      await ctx.ask('key', { prompt: 'Key?', schema: { type: 'string', format: 'password' } });
      return 'in';
    });
    await using flow = await openFlow(definition);
    await flow.start();
    expect(await errorOf(flow.skip('key#1', 'hunter2'))).toMatchObject({
      code: 'BAD_INPUT',
      message: '`key#1` asks for a secret, which can only be entered at its question',
    });
  });
});
