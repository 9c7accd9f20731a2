import { expect, test } from 'vitest';
import * as z from 'zod';

import type { AskedAtOnce, SessionEvent, ToolContext } from '../../src/core/index.js';
import { messageOf, openInterrupts } from '../../src/core/index.js';
import { defineTool, openChat, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const SCHEMA = { type: 'object', properties: { colour: { type: 'string' } } };
type Asks = Pick<ToolContext, 'askAtOnce'>;
const BY = { type: 'person', name: 'ann', via: 'terminal' } as const;

/** A chat whose only tool asks while it runs; `body` is what it does, and `seen` what the journal had at each step. */
async function talking(body: (context: Asks, seen: () => Promise<readonly string[]>) => Promise<string>) {
  const store = openStore();
  const journal = async (): Promise<readonly SessionEvent[]> => {
    await using session = await store.open(id, 'read');
    const events: SessionEvent[] = [];
    for await (const { event } of session.events()) events.push(event);
    return events;
  };
  const types = async () =>
    (await journal()).map(({ type }) => type).filter((type) => /^(?:tool|interrupt)-/u.test(type));
  const asks = defineTool(
    { name: 'asks', description: 'Asks while it runs.', input: z.object({}), effect: 'once' },
    (_input, context) => body(context, types),
  );
  const chat = await openChat({
    store,
    tools: [asks],
    model: scriptedModel([{ tools: [{ name: 'asks', input: {} }] }, 'Done.']),
  });
  const { id } = chat;
  const result = await chat.say('Go');
  await chat.close();
  await using session = await store.open(id, 'read');
  return { result, state: session.state, journal: await journal(), types: await types() };
}

test('a question that a body asks while it runs is durable before anybody is asked, and its answer before the body has it', async () => {
  const steps: (readonly string[])[] = [];
  const { state, journal, types } = await talking(async (context, seen) => {
    const asked = await context.askAtOnce!({ message: 'Which colour?' }, SCHEMA);
    steps.push(await seen());
    await asked.answered({ action: 'respond', output: { colour: 'red' } }, BY);
    steps.push(await seen());
    return 'painted red';
  });
  const raised = ['tool-started', 'interrupt-raised'];
  expect(steps).toEqual([raised, [...raised, 'interrupt-resolved']]);
  expect(types).toEqual([...raised, 'interrupt-resolved', 'tool-settled']);
  expect(journal.find(({ type }) => type === 'interrupt-raised')).toMatchObject({
    interrupt: {
      id: 'i1',
      kind: 'question',
      atOnce: true,
      source: { name: 'asks', raisedBy: 'tool' },
      payload: { message: 'Which colour?' },
      answerSchema: SCHEMA,
    },
  });
  expect(state.resolved.toArray()).toMatchObject([
    { interrupt: { id: 'i1' }, resolution: { action: 'respond', output: { colour: 'red' } }, by: BY },
  ]);
});

test('a question that nobody answered is withdrawn with its call, and can be answered by nobody else', async () => {
  const { result, state, types } = await talking(async (context) => {
    await context.askAtOnce!({ message: 'Which colour?' }, SCHEMA);
    return 'nobody said';
  });
  expect(result).toMatchObject({ type: 'done', text: 'Done.' });
  expect([types, openInterrupts(state), state.resolved.length]).toEqual([
    ['tool-started', 'interrupt-raised', 'tool-settled'],
    [],
    0,
  ]);
});

test('a secret of an answer goes to the body alone', async () => {
  const secret = { type: 'object', properties: { code: { type: 'string', format: 'password' } } };
  const { journal } = await talking(async (context) => {
    const asked = await context.askAtOnce!({ message: 'Code?' }, secret);
    await asked.answered({ action: 'respond', output: { code: 'hunter2' } }, BY);
    return 'it was hunter2';
  });
  expect(JSON.stringify(journal)).not.toContain('hunter2');
  expect(journal.find(({ type }) => type === 'interrupt-resolved')).toMatchObject({
    resolution: { output: { code: '••••••' } },
    secrets: ['/output/code'],
  });
});

test('the next question of a body withdraws one that nobody answered', async () => {
  const outcomes: unknown[] = [];
  const { types, state } = await talking(async (context) => {
    const first = await context.askAtOnce!({ message: 'Which colour?' }, SCHEMA);
    const second = await context.askAtOnce!({ message: 'Which one?' }, SCHEMA);
    outcomes.push(await first.answered({ action: 'cancel' }, BY).catch(messageOf));
    await second.answered({ action: 'cancel' }, BY);
    outcomes.push(await second.answered({ action: 'cancel' }, BY).catch(messageOf));
    return 'done';
  });
  expect(outcomes).toEqual(['the question was withdrawn', 'the question was withdrawn']);
  expect(types.filter((type) => type.startsWith('interrupt-'))).toEqual([
    'interrupt-raised',
    'interrupt-raised',
    'interrupt-resolved',
  ]);
  expect(state.resolved.toArray().map(({ interrupt }) => interrupt.id)).toEqual(['i2']);
});

test('a call that is over asks nobody', async () => {
  let late: NonNullable<ToolContext['askAtOnce']> | undefined;
  let first: AskedAtOnce | undefined;
  await talking(async (context) => {
    late = context.askAtOnce!;
    first = await late({ message: 'Which colour?' }, SCHEMA);
    return 'gone on';
  });
  await expect(late!({ message: 'And now?' }, SCHEMA)).rejects.toMatchObject({ code: 'ABORTED' });
  await expect(first!.answered({ action: 'cancel' }, BY)).rejects.toMatchObject({ code: 'ABORTED' });
});
