import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import type { Chat, LiveEvent, Model, Rest, RunResult } from '../../src/index.js';
import {
  answers,
  converse,
  defineInterrupt,
  defineTool,
  openChat,
  openStore,
  systemClock,
  toolSet,
} from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

let paid: number[] = [];
const pay = defineTool(
  { name: 'pay', description: 'Pays.', input: z.object({ amount: z.number() }), needsApproval: true },
  ({ amount }) => {
    paid.push(amount);
    return `paid ${amount}`;
  },
);
const pick = defineInterrupt({
  name: 'pick',
  description: 'Asks which one.',
  output: z.enum(['left', 'right']),
});
const tools = [pay, pick];

const asksOnce = () => scriptedModel([{ tools: [{ name: 'pay', input: { amount: 5 } }] }, 'It is paid.']);

let folder = '';
beforeEach(async () => {
  paid = [];
  folder = await mkdtemp(path.join(tmpdir(), 'hitl-chat-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The question that a chat waits with. */
function theQuestion(chat: Chat) {
  const [question, ...others] = chat.open;
  if (question === undefined || others.length > 0) throw new Error(`${chat.open.length} questions are open`);
  return question;
}

async function told(events: AsyncIterable<LiveEvent>): Promise<readonly LiveEvent[]> {
  const all: LiveEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const codeOf = (run: PromiseLike<unknown>) =>
  Promise.resolve(run).then(
    () => 'nothing was thrown',
    (thrown: unknown) => (thrown as { code: string }).code,
  );

describe('a chat', () => {
  test('says, waits for a person, is answered, and ends', async () => {
    await using chat = await openChat({ model: asksOnce(), tools });

    const asked = await chat.say('Pay 5');
    expect(asked).toEqual({ type: 'waiting', text: '', open: chat.open });
    expect(theQuestion(chat).source).toMatchObject({ name: 'pay', input: { amount: 5 } });
    expect(paid).toEqual([]);

    const done = await chat.answer(pay.restart(theQuestion(chat), { input: { amount: 3 } }));
    expect(done).toEqual({ type: 'done', text: 'It is paid.' });
    expect(paid).toEqual([3]);
    expect(chat.open).toEqual([]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'model', 'tool', 'model']);
  });

  test('is gone on with by another one on the same folder', async () => {
    const first = await openChat({ store: folder, model: asksOnce(), tools });
    await first.say('Pay 5');
    await first.close();

    await using second = await openChat(first.id, { store: folder, model: asksOnce(), tools });
    const done = await second.answer(answers.reject(theQuestion(second), { reason: 'too much' }));
    expect(done).toEqual({ type: 'done', text: 'It is paid.' });
    expect(paid).toEqual([]);
  });

  test('notes that its tools are others now, and goes on with those', async () => {
    const first = await openChat({ store: folder, model: scriptedModel(['Hello.']) });
    await first.say('Hello');
    await first.close();
    const model = scriptedModel(['Hello.', { tools: [{ name: 'pay', input: { amount: 5 } }] }]);
    await using second = await openChat(first.id, { store: folder, model, tools });
    await second.say('Pay 5');
    expect(second.runState.agent?.tools.map(({ name }) => name)).toEqual(['pay', 'pick']);
    expect(theQuestion(second).source).toMatchObject({ name: 'pay' });
  });

  test('takes answers to several questions at once, and runs when the last one is there', async () => {
    const model = scriptedModel([
      { tools: [{ name: 'pick' }, { name: 'pay', input: { amount: 5 } }] },
      'Both done.',
    ]);
    await using chat = await openChat({ model, tools });
    await chat.say('Pay from one of them');
    const [choice, payment] = chat.open;
    const half = await chat.answer(pick.respond(choice!, 'left'));
    expect(half).toMatchObject({ type: 'waiting', open: [payment] });
    expect(await chat.answer(answers.restart(payment!))).toEqual({ type: 'done', text: 'Both done.' });
  });

  test('tells of a tool that ended the run with its output', async () => {
    const finish = defineTool(
      { name: 'finish', description: 'Ends.', input: z.object({ total: z.number() }), endsRun: true },
      ({ total }) => ({ total }),
    );
    const model = scriptedModel([{ text: 'So.', tools: [{ name: 'finish', input: { total: 7 } }] }]);
    await using chat = await openChat({ model, tools: [finish] });
    expect(await chat.say('Add up')).toEqual({
      type: 'finished',
      by: 'finish',
      output: { total: 7 },
      text: 'So.',
    });
  });

  test('asks a person at once where one is there', async () => {
    const channel = {
      ask: async ([first]: readonly Parameters<typeof answers.restart>[0][]) => ({
        type: 'answered' as const,
        answer: answers.restart(first!),
      }),
    };
    await using chat = await openChat({ model: asksOnce(), tools, channel });
    expect(await chat.say('Pay 5')).toEqual({ type: 'done', text: 'It is paid.' });
  });

  test.for<[unknown, number]>([
    [undefined, 3],
    ['tool', 1],
    [true, 2],
  ])('asks no more about what a person approved with always %j (D2)', async ([always, times]) => {
    let asked = 0;
    const channel = {
      ask: async ([first]: readonly Parameters<typeof answers.restart>[0][]) => {
        asked += 1;
        return {
          type: 'answered' as const,
          answer: answers.restart(first!),
          ...(always !== undefined && { always: always as true }),
        };
      },
    };
    const pays = [5, 5, 7].map((amount) => ({ tools: [{ name: 'pay', input: { amount } }] }));
    await using chat = await openChat({ model: scriptedModel([...pays, { text: 'done' }]), tools, channel });
    expect([await chat.say('Pay'), asked]).toEqual([{ type: 'done', text: 'done' }, times]);
  });

  test('refuses a size of always that there is not (D2)', async () => {
    const channel = {
      ask: async ([first]: readonly Parameters<typeof answers.restart>[0][]) => ({
        type: 'answered' as const,
        answer: answers.restart(first!),
        always: 'all' as never,
      }),
    };
    await using chat = await openChat({ model: asksOnce(), tools, channel });
    await expect(chat.say('Pay 5')).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message: '`always` must be true or one of call, words, folder, host, tool',
    });
  });

  test('asks after 50 rounds of tools whether to go on, where no limit is given', async () => {
    const look = defineTool(
      { name: 'look', description: 'Looks.', input: z.object({}), effect: 'none' },
      () => 1,
    );
    const model = scriptedModel(Array.from({ length: 60 }, () => ({ tools: [{ name: 'look' }] })));
    await using chat = await openChat({ model, tools: [look] });
    await chat.say('Look for ever');
    expect(theQuestion(chat)).toMatchObject({ kind: 'limit', payload: { limit: 'turns', spent: 50 } });
  });
});

describe('the events of a run', () => {
  test('are read as they happen, with the last one where it rests', async () => {
    await using chat = await openChat({ model: asksOnce(), tools });
    const run = chat.say('Pay 5');
    const events = await told(run);
    expect(events.filter((event) => 'seq' in event).map(({ type }) => type)).toEqual([
      'message-added',
      'model-started',
      'message-added',
      'interrupt-raised',
    ]);
    expect(events.at(-1)).toEqual({ session: chat.id, type: 'rested', result: await run });
  });

  test('are all there for each reader, and for one who comes late', async () => {
    await using chat = await openChat({ model: scriptedModel(['Hello.']) });
    const run = chat.say('Hello');
    const first = await told(run);
    expect(await told(run)).toEqual(first);
    expect(first.some(({ type }) => type === 'text-delta')).toBe(true);
  });

  test('go on for the others when one reader leaves', async () => {
    await using chat = await openChat({ model: scriptedModel(['Hello.']) });
    const run = chat.say('Hello');
    for await (const event of run) if (event.type === 'message-added') break;
    expect(await run).toEqual({ type: 'done', text: 'Hello.' });
  });

  test('end with the error that the run failed with', async () => {
    const broken: Model = {
      id: 'broken',
      generate: () => {
        throw new Error('no line');
      },
    };
    await using chat = await openChat({ model: broken });
    const run = chat.say('Hello');
    const seen: string[] = [];
    await expect(async () => {
      for await (const event of run) seen.push(event.type);
    }).rejects.toThrow('no line');
    expect(seen.at(-1)).toBe('run-ended');
    await expect(run).rejects.toThrow('no line');
  });

  test.for(['memory', 'a folder'])('are told again behind one that is known, in %s', async (where) => {
    const store = openStore(where === 'memory' ? undefined : folder);
    await using chat = await openChat({ store, model: asksOnce(), tools });
    await chat.say('Pay 5');
    const all = await told(chat.events());
    const kept = all.filter((event) => 'seq' in event);
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index + 1));
    expect(await told(chat.events({ after: 3 }))).toEqual(all.slice(3));
    expect(all.at(-1)).toMatchObject({ type: 'rested', result: { type: 'waiting', open: chat.open } });
  });

  test('are told without a gap and without a repeat where something runs meanwhile', async () => {
    const store = openStore(folder);
    await using chat = await openChat({ store, model: asksOnce(), tools });
    await chat.say('Pay 5');
    const known = chat.runState;
    const run = chat.answer(answers.restart(theQuestion(chat)));
    const late = told(chat.events({ after: 2 }));
    await run;
    const seqs = (await late).flatMap((event) => ('seq' in event ? [event.seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index + 3));
    expect((await late).at(-1)).toMatchObject({ type: 'rested', result: { type: 'done' } });
    expect(known.ended).toBeUndefined();
  });

  test.for([-1, 1.5, Number.NaN])('are not told behind %s, which is no number of an event', async (after) => {
    await using chat = await openChat({ model: scriptedModel([]) });
    expect(await codeOf(told(chat.events({ after })))).toBe('BAD_INPUT');
  });
});

describe('a call that does not fit', () => {
  test('is refused while something runs, and changes nothing', async () => {
    await using chat = await openChat({ model: scriptedModel(['Hello.', 'unused']) });
    const run = chat.say('Hello');
    expect(await codeOf(chat.say('Hello again'))).toBe('SESSION_BUSY');
    expect(await codeOf(chat.resume())).toBe('SESSION_BUSY');
    expect(await run).toEqual({ type: 'done', text: 'Hello.' });
    expect(chat.messages).toHaveLength(2);
  });

  test('is refused where a question waits', async () => {
    await using chat = await openChat({ model: asksOnce(), tools });
    await chat.say('Pay 5');
    expect(await codeOf(chat.say('Well?'))).toBe('OPEN_INTERRUPT');
    expect(chat.runState.turns).toBe(1);
  });

  test.for<[unknown, string]>([
    ['', 'the message is empty'],
    [5, 'a message must be a string'],
    [undefined, 'a message must be a string'],
  ])('says %j', async ([text, message]) => {
    await using chat = await openChat({ model: scriptedModel([]) });
    await expect(Promise.resolve(chat.say(text as string))).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message,
    });
    expect(chat.runState.turns).toBe(0);
  });

  test('answers what was answered, what is not there, and what is no answer', async () => {
    await using chat = await openChat({ model: asksOnce(), tools });
    await chat.say('Pay 5');
    const question = theQuestion(chat);
    const yes = answers.restart(question);
    expect(await codeOf(chat.answer())).toBe('BAD_ANSWER');
    expect(await codeOf(chat.answer(JSON.parse('{"id":"i1"}') as never))).toBe('BAD_ANSWER');
    expect(await codeOf(chat.answer(null as never))).toBe('BAD_ANSWER');
    expect(await codeOf(chat.answer(yes, yes))).toBe('BAD_ANSWER');
    expect(await codeOf(chat.answer({ ...yes, digest: 'x' }))).toBe('BAD_ANSWER');
    expect(await codeOf(chat.answer({ ...yes, resolution: { action: 'restart', input: 'five' } }))).toBe(
      'BAD_ANSWER',
    );
    expect(chat.open).toEqual([question]);
    await chat.answer(yes);
    expect(await codeOf(chat.answer(yes))).toBe('ALREADY_ANSWERED');
    expect(await codeOf(chat.answer({ ...yes, id: 'i9' as never }))).toBe('INTERRUPT_NOT_FOUND');
    expect(paid).toEqual([5]);
  });

  test('opens what is not there, or what cannot be a name', async () => {
    const model = scriptedModel([]);
    expect(await codeOf(openChat('nobody', { store: folder, model }))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(openChat('../x', { store: folder, model }))).toBe('SESSION_ID');
    expect(await codeOf(openChat({ id: '../x', store: folder, model }))).toBe('SESSION_ID');
  });

  test('opens what another one holds, until that one closes', async () => {
    const first = await openChat({ store: folder, id: 'one', model: scriptedModel([]) });
    expect(await codeOf(openChat('one', { store: folder, model: scriptedModel([]) }))).toBe('SESSION_LOCKED');
    await first.close();
    expect(await codeOf(openChat({ id: 'one', store: folder, model: scriptedModel([]) }))).toBe(
      'SESSION_EXISTS',
    );
    const second = await openChat('one', { store: folder, model: scriptedModel([]) });
    await second.close();
  });
});

describe('stopping', () => {
  const stuck = defineTool(
    { name: 'stuck', description: 'Takes for ever.', input: z.object({}), effect: 'none' },
    (_, { signal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
        });
      }),
  );
  const gets = () => scriptedModel([{ tools: [{ name: 'stuck' }] }, 'After all.']);

  test('by the signal of a call ends the run, and the next words go on', async () => {
    const stop = new AbortController();
    await using chat = await openChat({ model: gets(), tools: [stuck] });
    const run = chat.say('Go', { signal: stop.signal });
    for await (const event of chat.events()) if (event.type === 'tool-started') break;
    stop.abort();
    expect(await codeOf(run)).toBe('ABORTED');
    expect(await chat.say('And now?')).toEqual({ type: 'done', text: 'After all.' });
  });

  test('a signal that came before is heard before anything is said', async () => {
    await using chat = await openChat({ model: gets(), tools: [stuck] });
    expect(await codeOf(chat.say('Go', { signal: AbortSignal.abort() }))).toBe('ABORTED');
    expect(chat.runState.turns).toBe(0);
  });

  test('by closing tells whoever waits, and another one goes on where it was', async () => {
    const first = await openChat({ store: folder, model: gets(), tools: [stuck] });
    const run = first.say('Go');
    for await (const event of first.events()) if (event.type === 'tool-started') break;
    const end = codeOf(run);
    await first.close();
    expect(await end).toBe('SESSION_CLOSED');
    expect(await codeOf(first.say('More'))).toBe('SESSION_CLOSED');

    const quick = defineTool(
      { name: 'stuck', description: 'Takes for ever.', input: z.object({}), effect: 'none' },
      () => 'quick now',
    );
    await using second = await openChat(first.id, { store: folder, model: gets(), tools: [quick] });
    expect(await second.resume()).toEqual({ type: 'done', text: 'After all.' });
  });

  test('a run that is returned without `await` behind `await using` is told so', async () => {
    async function ask(): Promise<RunResult> {
      await using chat = await openChat({ model: gets(), tools: [stuck] });
      // oxlint-disable-next-line typescript/return-await -- it is the mistake that is told
      return chat.say('Go');
    }
    await expect(ask()).rejects.toMatchObject({
      code: 'SESSION_CLOSED',
      hint: expect.stringContaining('return await') as string,
    });
  });
});

test('F3: the first sessions of a new store are opened at once', async () => {
  const root = path.join(folder, 'not', 'there');
  const ends = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await using chat = await openChat({ store: root, model: scriptedModel([`I am ${index}.`]) });
      return (await chat.say('Who?')).text;
    }),
  );
  expect(ends).toEqual(Array.from({ length: 20 }, (_, index) => `I am ${index}.`));
});

test('an answer from elsewhere is taken when the chat is gone on with', async () => {
  const store = openStore(folder);
  await using chat = await openChat({ store, model: asksOnce(), tools });
  await chat.say('Pay 5');
  await openStore(folder).post(chat.id, answers.restart(theQuestion(chat)));
  expect(await chat.resume()).toEqual({ type: 'done', text: 'It is paid.' });
  expect(paid).toEqual([5]);
});

test('an answer that is posted to a store in memory, while the chat holds the session, is taken by `resume`', async () => {
  const store = openStore();

  await using chat = await openChat({ store, model: asksOnce(), tools });
  await chat.say('Pay 5');
  await store.post(chat.id, answers.restart(theQuestion(chat)));
  expect(await chat.resume()).toEqual({ type: 'done', text: 'It is paid.' });
  expect(paid).toEqual([5]);
});

test.for([undefined, {}, { model: 'claude' }, { model: { id: 'x' } }])(
  'a chat without a model is refused: %j',
  async (options) => {
    await expect(openChat(options as never)).rejects.toMatchObject({
      status: 'INVALID_ARGUMENT',
      name: 'HitlError',
    });
  },
);

test('what does not fit does not compile', () => {
  const wrong = async (chat: Chat) => {
    // @ts-expect-error an answer is none without what it answers
    chat.answer({ action: 'restart' });
    // @ts-expect-error the amount is a number
    chat.answer(pay.restart(chat.open[0]!, { input: { amount: 'five' } }));
    // @ts-expect-error there is no such choice
    chat.answer(pick.respond(chat.open[0]!, 'middle'));
    for await (const event of chat.say('x')) {
      // @ts-expect-error no event is called so
      if (event.type === 'tool-begun') return;
      if (event.type === 'text-delta') expectTypeOf(event.text).toEqualTypeOf<string>();
      if (event.type === 'tool-settled') expectTypeOf(event.seq).toEqualTypeOf<number>();
    }
    const end = await chat.say('x');
    // @ts-expect-error only a chat that waits has open questions
    return end.open;
  };
  // @ts-expect-error an old chat is in a store
  const old = () => openChat('one', { model: scriptedModel([]) });
  expect([wrong, old]).toHaveLength(2);
});

test.for(['memory', 'a folder'])(
  'a `converse` that is returned without `await` behind `await using` is told so, in %s',
  async (where) => {
    const store = openStore(where === 'memory' ? undefined : folder);
    const set = toolSet([pay]);
    async function ask(): Promise<Rest> {
      const agent = { model: 'x', tools: set.descriptors };
      const said = {
        type: 'message-added',
        message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      } as const;
      await using session = await store.create({ agent, events: [said] });
      const run = { model: scriptedModel(['Hello.']), tools: set, clock: systemClock, runId: session.id };
      const channel = { ask: async () => ({ type: 'left-open' as const, why: 'nobody' }) };
      const nothing = () => undefined;
      const renderer = {
        event: nothing,
        transient: nothing,
        notice: nothing,
        pause: nothing,
        stopped: nothing,
      };
      // oxlint-disable-next-line typescript/return-await -- it is the mistake that is told
      return converse({ session, run, channel, renderer }, new AbortController().signal);
    }
    await expect(ask()).rejects.toMatchObject({
      code: 'SESSION_CLOSED',
      hint: expect.stringContaining('return await') as string,
    });
  },
);
