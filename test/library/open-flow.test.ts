import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import type { Flow, Graph } from '../../src/index.js';
import { answers, defineTool, graph, openChat, openFlow, openStore, workflow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hitl-flow-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A form of two steps, and a text made of both. */
function form(): Graph {
  return graph('form')
    .human('name', { question: () => ({ prompt: 'Name?', schema: { type: 'string' } }) })
    .human('age', { question: () => ({ prompt: 'Age?', schema: { type: 'integer' } }) })
    .fn('greet', ({ name = null, age = null }) => ({ name, age }))
    .edge('name', 'age')
    .edge('age', 'greet')
    .end('greet')
    .build();
}

function theQuestion(flow: Flow) {
  const [question, ...others] = flow.open;
  if (question === undefined || others.length > 0) throw new Error(`${flow.open.length} questions are open`);
  return question;
}

const codeOf = (run: PromiseLike<unknown>) =>
  Promise.resolve(run).then(
    () => 'nothing was thrown',
    (thrown: unknown) => (thrown as { code: string }).code,
  );

const nodes = (flow: Flow) => flow.history().map(({ node, visit, status }) => `${node}@${visit} ${status}`);

describe('a workflow', () => {
  test('is started, asks, and ends with what its nodes wrote', async () => {
    await using flow = await openFlow(form());
    expect(await flow.start({ from: 'web' })).toEqual({ type: 'waiting', text: '', open: flow.open });
    await flow.answer(answers.respond(theQuestion(flow), 'Ada'));
    expect(await flow.answer(answers.respond(theQuestion(flow), 36))).toEqual({
      type: 'done',
      text: '',
      output: { name: 'Ada', age: 36 },
    });
    expect(flow.state).toEqual({ from: 'web', name: 'Ada', age: 36, greet: { name: 'Ada', age: 36 } });
    expect(nodes(flow)).toEqual(['name@1 done', 'age@1 done', 'greet@1 done']);
  });

  test('tells which gate met no operation (N3)', async () => {
    const flow = workflow('w', { gates: { deply: 'before' } }, (ctx) =>
      ctx.step('look', () => 1, { effect: 'none' }),
    );
    await using opened = await openFlow(flow);
    const told: string[] = [];
    for await (const event of opened.start()) if (event.type === 'notice') told.push(event.text);
    expect(told).toEqual(['no operation is named `deply`, so its gate did not stop the run']);
  });

  test('N13: gives its output, typed, and what it has put so far while it waits', async () => {
    const review = workflow(
      'review',
      { input: z.object({ amount: z.number() }), state: z.object({ phase: z.string().default('none') }) },
      async (ctx, { amount }) => {
        await ctx.put({ phase: 'review' });
        return (await ctx.ask('ok', { prompt: 'ok?', schema: z.boolean() })) ? amount : 0;
      },
    );
    await using flow = await openFlow(review);
    await flow.start({ input: { amount: 5 } });
    expect(flow.state).toEqual({ input: { amount: 5 }, phase: 'review' });
    const end = await flow.answer(answers.respond(theQuestion(flow), true));
    if (end.type === 'done') expectTypeOf(end.output).toEqualTypeOf<number>();
    expect(end).toEqual({ type: 'done', text: '', output: 5 });
    await expect(flow.send({ text: 'more' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
    // @ts-expect-error -- the amount is a number
    const wrong = () => flow.start({ input: { amount: '5' } });
    expect(wrong).toBeTypeOf('function');
  });

  test.for([
    ['`openFlow`', (): unknown => openFlow(form(), JSON.parse('{"stroe":"x"}'))],
    [
      '`effect` of `a`',
      (): unknown =>
        graph('g')
          .fn('a', () => 1, JSON.parse('{"effect":"onec"}'))
          .end('a')
          .build(),
    ],
    ['did you mean `input`', (): unknown => workflow('w', JSON.parse('{"inputs":1}'), () => 1)],
    [
      'is now called `delay`',
      (): unknown =>
        graph('g')
          .fn('a', () => 1, JSON.parse('{"retry":{"attempts":2,"delayMs":5}}'))
          .end('a')
          .build(),
    ],
    [
      'there are: effect, retry, timeout, of',
      async (): Promise<unknown> => {
        await using flow = await openFlow(
          workflow('w', (ctx) => ctx.step('s', () => 1, JSON.parse('{"timoutMs":1}'))),
        );
        return await flow.start();
      },
    ],
  ] as const)('N9: what is no option is refused with what there is: %s', async ([words, call]) => {
    await expect(Promise.resolve().then(call)).rejects.toThrow(words);
  });

  test('goes on in another process where it was', async () => {
    const first = await openFlow(form(), { store: folder });
    await first.start();
    await first.answer(answers.respond(theQuestion(first), 'Ada'));
    await first.close();

    await using second = await openFlow(first.id, form(), { store: folder });
    expect(await second.answer(answers.respond(theQuestion(second), 36))).toMatchObject({ type: 'done' });
    expect(second.state['greet']).toEqual({ name: 'Ada', age: 36 });
  });

  test('F2: refuses an answer that does not fit, and asks on', async () => {
    await using flow = await openFlow(form());
    await flow.start();
    const question = theQuestion(flow);
    const bad = { ...answers.respond(question, 'x'), resolution: { action: 'respond', output: 7 } } as const;
    expect(await codeOf(flow.answer(bad))).toBe('BAD_ANSWER');
    expect(flow.open).toEqual([question]);
  });

  test('runs agents with their own tools, whose questions are answered by those', async () => {
    const sent: string[] = [];
    const send = defineTool(
      { name: 'send', description: 'Sends.', input: z.object({ to: z.string() }), needsApproval: true },
      ({ to }) => {
        sent.push(to);
        return 'sent';
      },
    );
    const mail = graph('mail')
      .agent('write', {
        model: scriptedModel([{ tools: [{ name: 'send', input: { to: 'Ada' } }] }, 'Sent.']),
        tools: {
          get: (name) => (name === 'send' ? send : undefined),
          descriptors: [send],
          *[Symbol.iterator]() {
            yield send;
          },
        },
        prompt: () => 'Write to Ada',
      })
      .end('write')
      .build();
    await using flow = await openFlow(mail, { store: folder });
    await flow.start();
    expect(theQuestion(flow).source).toMatchObject({ type: 'tool', name: 'send' });
    const wrong = {
      ...answers.restart(theQuestion(flow)),
      resolution: { action: 'restart', input: { to: 5 } },
    } as const;
    expect(await codeOf(flow.answer(wrong))).toBe('BAD_ANSWER');
    expect(await flow.answer(send.restart(theQuestion(flow), { input: { to: 'Bob' } }))).toMatchObject({
      type: 'done',
    });
    expect(sent).toEqual(['Bob']);
  });

  test('says what is missing where an agent has no model', async () => {
    await using flow = await openFlow(
      graph('g')
        .agent('a', { prompt: () => 'x' })
        .end('a')
        .build(),
    );
    await expect(Promise.resolve(flow.start())).rejects.toThrow('an agent in the workflow has no model');
  });

  test('stops at a gate by name, and goes on', async () => {
    await using flow = await openFlow(form());
    await flow.start({}, { before: ['name'] });
    const gate = theQuestion(flow);
    expect(gate.kind).toBe('gate');
    await flow.answer(answers.decide(gate, { action: 'goto', node: 'age' }));
    expect(theQuestion(flow).payload).toMatchObject({ question: 'Age?' });
    expect(() => answers.decide(gate, { action: 'edit-output', value: 1 })).toThrow('does not answer gate');
  });

  test('K10: goes back to a node, and asks there again', async () => {
    await using flow = await openFlow(form(), { store: folder });
    await flow.start();
    await flow.answer(answers.respond(theQuestion(flow), 'Ada'));
    await flow.rewind('name');
    expect(await flow.resume()).toMatchObject({ type: 'waiting' });
    await flow.answer(answers.respond(theQuestion(flow), 'Bob'));
    await flow.answer(answers.respond(theQuestion(flow), 40));
    expect(flow.state['greet']).toEqual({ name: 'Bob', age: 40 });
    await expect(flow.rewind('nowhere')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('is forked: two go on from one past', async () => {
    const store = openStore(folder);
    await using flow = await openFlow(form(), { store });
    await flow.start();
    await flow.answer(answers.respond(theQuestion(flow), 'Ada'));
    await using other = await openFlow(await flow.fork(), form(), { store });
    await other.answer(answers.respond(theQuestion(other), 1));
    await flow.answer(answers.respond(theQuestion(flow), 2));
    expect([other.state['greet'], flow.state['greet']]).toEqual([1, 2].map((age) => ({ name: 'Ada', age })));
    await expect(flow.fork(999)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test.for(['memory', 'a folder'])('takes what is sent before it goes on, in %s', async (where) => {
    await using flow = await openFlow(form(), where === 'memory' ? {} : { store: folder });
    await flow.start();
    await flow.send({ text: 'more', action: { action: 'update-state', patch: { note: 'urgent' } } });
    await flow.resume();
    await flow.answer(answers.respond(theQuestion(flow), 'Ada'));
    expect(flow.state).toMatchObject({ name: 'Ada', note: 'urgent' });
  });

  test('is ended by an answer that cancels, and tells so', async () => {
    await using flow = await openFlow(form(), { store: folder });
    await flow.start();
    expect(await codeOf(flow.answer(answers.cancel(theQuestion(flow))))).toBe('ABORTED');
    expect(flow.open).toEqual([]);
    expect(flow.runState.ended).toEqual({ type: 'aborted' });
  });
});

describe('a call that does not fit', () => {
  test('starts twice, goes on with nothing, changes while it runs', async () => {
    await using flow = await openFlow(form());
    expect(flow.isStarted).toBe(false);
    expect(await codeOf(flow.resume())).toBe('NOTHING_TO_RESUME');
    await expect(flow.rewind('name')).rejects.toMatchObject({ code: 'NOTHING_TO_RESUME' });
    const run = flow.start();
    expect(await codeOf(flow.start())).toBe('SESSION_BUSY');
    await expect(flow.rewind('name')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await run;
    expect(flow.isStarted).toBe(true);
    expect(await codeOf(flow.start())).toBe('BAD_INPUT');
  });

  test('answers a question that is for others', async () => {
    const approvers = { from: ['ann'] };
    const asks = workflow('asks', async (ctx) => ctx.ask('ok', { prompt: 'Well?', approvers }));
    await using flow = await openFlow(asks);
    await flow.start();
    const word = (name: string, question = theQuestion(flow)) =>
      answers.respond(question, true, { by: { type: 'person', name, via: 'library' } });
    expect(await codeOf(flow.answer(word('bob')))).toBe('NOT_ELIGIBLE');
    expect(await codeOf(flow.answer({ ...word('bob'), digest: 'x' }))).toBe('BAD_ANSWER');
    expect(await flow.answer(word('ann'))).toMatchObject({ type: 'done', output: true });
  });

  test('opens a chat as a workflow, a workflow as a chat, and what is neither', async () => {
    const model = scriptedModel(['Hello.']);
    const chat = await openChat({ store: folder, model });
    await chat.say('Hello');
    await chat.close();
    const flow = await openFlow(form(), { store: folder });
    await flow.start();
    await flow.close();
    expect(await codeOf(openFlow(chat.id, form(), { store: folder }))).toBe('BAD_CONFIG');
    expect(await codeOf(openChat(flow.id, { store: folder, model }))).toBe('BAD_CONFIG');
    expect(await codeOf(openFlow(graph('g') as never))).toBe('BAD_CONFIG');
    const other = await openStore(folder).open(flow.id, 'write');
    await other[Symbol.asyncDispose]();
  });
});
