import { describe, expect, test } from 'vitest';

import type { Message, RunState, SessionEvent } from '../../src/core/index.js';
import { checkMessages } from '../../src/core/data/check-messages.js';
import { evolve, openInterrupts, stateFromJson, stateToJson, textOf } from '../../src/core/index.js';
import type { ContextRoom } from '../../src/engine/index.js';
import { compactNow } from '../../src/engine/index.js';
import type { ScriptReply } from '../../src/testing/index.js';
import { modelSaid, requestPart, stateAfter, toolSettled, toolStarted, userSaid } from '../helpers/events.js';
import { answer, calls, drive, scene, tool } from './drive.js';

const LONG = 'word '.repeat(800); // 1,000 tokens

/** A conversation of `turns` turns of about 2,000 tokens each; the next message waits for a reply. */
function talked(turns: number): RunState {
  const events = Array.from({ length: turns }, (_, index): readonly SessionEvent[] => [
    userSaid(`turn ${index + 1} ${LONG}`),
    modelSaid([{ type: 'text', text: LONG }]),
  ]);
  return stateAfter(...events.flat(), userSaid('next'));
}

function within(room: ContextRoom, replies: readonly (ScriptReply | string)[]) {
  return { ...scene({ replies: [...replies], tools: [] }), room: () => room };
}

const sent = ({ view }: RunState): readonly Message[] => [...view];

function compacted(state: RunState, to: number, from = 0): RunState {
  return evolve(state, { type: 'context-compacted', from, to, summary: 'What was said.', decisions: [] });
}

describe('a conversation that comes near what fits its model', () => {
  test('is summed up before the next request, and all of it stays in the session', async () => {
    const before = talked(5);
    const { state, events } = await drive(before, within({ limit: 10_000 }, ['The summary.', 'done']));
    expect(events.map(({ type }) => type)).toEqual([
      'context-compacted',
      'model-started',
      'message-added',
      'run-ended',
    ]);
    expect(events[0]).toEqual({
      type: 'context-compacted',
      from: 0,
      to: 8,
      summary: 'The summary.',
      decisions: [],
    });
    expect(state.entries.toArray().slice(0, -1)).toEqual(before.entries.toArray());
    const [first, ...rest] = sent(state);
    expect(first && textOf(first)).toContain('<summary>\nThe summary.\n</summary>');
    expect(first && textOf(first)).toContain(`turn 4 ${LONG}`);
    expect(rest).toHaveLength(4);
    expect(checkMessages(sent(before))).toEqual([]);
  });

  test('is left as it is where there is room', async () => {
    const { events } = await drive(talked(5), within({ limit: 100_000 }, ['1', '2', '3', '4', '5', 'done']));
    expect(events.map(({ type }) => type)).toEqual(['model-started', 'message-added', 'run-ended']);
  });

  describe('whose provider counts', () => {
    const counting = (limit: number, count: () => Promise<number | undefined>) => {
      const asked: number[] = [];
      const options = within(
        { limit },
        Array.from({ length: 8 }, () => 'words'),
      );
      const countTokens = ({ messages }: { readonly messages: { readonly length: number } }) => {
        asked.push(messages.length);
        return count();
      };
      return { asked, options: { ...options, model: { ...options.model, countTokens } } };
    };
    const kinds = async (state: RunState, { options }: ReturnType<typeof counting>) =>
      (await drive(state, options)).events.map(({ type }) => type);
    const told = ['model-started', 'message-added', 'run-ended'];

    test.for<[string, number, () => Promise<number | undefined>, readonly string[]]>([
      ['has room by the count, whatever the estimate', 10_000, () => Promise.resolve(2_000), told],
      ['has none by it', 30_000, () => Promise.resolve(29_000), ['context-compacted', ...told]],
      [
        'is estimated where it does not',
        10_000,
        () => Promise.resolve(undefined),
        ['context-compacted', ...told],
      ],
      [
        'is estimated where that fails',
        10_000,
        () => Promise.reject(new Error('no')),
        ['context-compacted', ...told],
      ],
    ])('%s', async ([, limit, count, expected]) => {
      const model = counting(limit, count);
      expect(await kinds(talked(5), model)).toEqual(expected);
      expect(model.asked[0]).toBe(11);
    });

    test('is not counted again where little was said since the last reply', async () => {
      const counted = evolve(talked(4), {
        type: 'message-added',
        message: { role: 'model', content: [{ type: 'text', text: LONG }] },
        end: 'stop',
        usage: { inputTokens: 9_000, outputTokens: 1_000 },
      });
      const model = counting(100_000, () => Promise.resolve(1));
      expect(await kinds(evolve(counted, userSaid('next')), model)).toEqual(told);
      expect(model.asked).toEqual([]);
    });
  });

  test('is summed up with what the last summary says, from where that ends', async () => {
    const { state } = await drive(talked(5), within({ limit: 10_000 }, ['One.', LONG]));
    const more = [
      userSaid(LONG),
      modelSaid([{ type: 'text', text: LONG }]),
      userSaid(`${LONG}${LONG}${LONG}`),
    ];
    const again = await drive(more.reduce(evolve, state), within({ limit: 10_000 }, ['Two.', 'done']));
    expect(again.events[0]).toMatchObject({ type: 'context-compacted', from: 8, summary: 'Two.' });
    expect(again.state.compacted?.summary).toBe('Two.');
  });

  test.for([
    ['the paths', '\n\nIn particular, the user asks you to keep: the paths'],
    [undefined, '</record>'],
  ] as const)('is summed up at the word of a person, who may say what to keep: %s', async ([keep, end]) => {
    const options = within({ limit: 10_000 }, ['The summary.']);
    const run = compactNow(talked(5), options, new AbortController().signal, keep);
    for (let step = await run.next(); step.done !== true; step = await run.next());
    const [request] = options.model.requests;
    const [message] = request === undefined ? [] : [...request.messages];
    expect(message && textOf(message).endsWith(end)).toBe(true);
  });

  test('is asked about where a person wants to be, and "continue" sums it up', async () => {
    const room = { limit: 10_000, compact: 'ask' } as const;
    const asked = await drive(talked(5), within(room, []));
    const [question] = openInterrupts(asked.state);
    expect(question).toMatchObject({
      kind: 'limit',
      payload: { limit: 'context', max: 10_000 },
      allowed: ['continue', 'extend', 'cancel'],
    });
    const { events } = await drive(
      answer(asked.state, { action: 'continue' }),
      within(room, ['Summary.', 'done']),
    );
    expect(events.map(({ type }) => type)[0]).toBe('context-compacted');
    const extended = answer(asked.state, { action: 'extend', by: 90_000 });
    expect((await drive(extended, within(room, ['done']))).events[0]?.type).toBe('model-started');
    const stopped = answer(asked.state, { action: 'cancel', reason: 'no' });
    expect(stopped.ended).toEqual({ type: 'limit', limit: 'context' });
  });

  test('is asked about where the model gives no summary, and does not fail', async () => {
    const { state, outcome } = await drive(talked(5), within({ limit: 10_000 }, [{ end: 'refusal' }]));
    expect(outcome.type).toBe('interrupted');
    expect(openInterrupts(state)[0]?.payload).toEqual({ limit: 'context', max: 10_000, spent: null });
  });

  test('is asked about where one message alone is too long', async () => {
    const { state } = await drive(stateAfter(userSaid(LONG.repeat(12))), within({ limit: 10_000 }, []));
    expect(openInterrupts(state)[0]?.payload).toMatchObject({ limit: 'context', spent: 12_000 });
  });

  test('keeps what people decided, in the words of the journal, whatever the model sums up', async () => {
    const pay = tool('pay', () => 'paid', { needsApproval: true });
    const asked = await drive(
      stateAfter(userSaid('pay')),
      scene({ replies: [calls(['pay', { to: 'Bob' }])], tools: [pay] }),
    );
    const paid = await drive(
      answer(asked.state, { action: 'restart' }),
      scene({ replies: ['-', LONG.repeat(9)], tools: [pay] }),
    );
    const next = evolve(paid.state, userSaid('next'));
    const { state } = await drive(next, within({ limit: 10_000 }, ['Nothing was paid.', 'done']));
    expect(state.compacted?.decisions).toEqual(['- approved: pay  Bob']);
  });
});

describe('a summary', () => {
  test('stands for no open turn: its question, its approval and its calls stay', () => {
    const open = stateAfter(
      userSaid('one'),
      modelSaid([{ type: 'text', text: 'yes' }]),
      userSaid('two'),
      modelSaid([requestPart('pay', 'r1', { to: 'Bob' })]),
    );
    const after = compacted(open, 2);
    expect(after.open).toBe(open.open);
    const closed = [toolStarted('pay', 'r1', { input: { to: 'Bob' } }), toolSettled('r1', 'paid')].reduce(
      evolve,
      after,
    );
    expect(checkMessages(sent(closed))).toEqual([]);
    expect(sent(closed)).toHaveLength(4);
  });

  test.for([
    [0, 0, 'it ends at 0'],
    [0, 9, 'it ends at 9'],
    [1, 2, 'it starts at 1'],
    [0, 2, 'message 2 cannot be separated from the results of its calls'],
  ] as const)('from %i to %i does not fit: %s', ([from, to, why]) => {
    const called = stateAfter(
      userSaid('one'),
      modelSaid([requestPart('pay', 'r1')]),
      toolStarted('pay', 'r1'),
      toolSettled('r1', 'paid'),
    );
    expect(() => compacted(called, to, from)).toThrow(why);
  });

  test('is the same in a snapshot', () => {
    const state = compacted(talked(3), 4);
    const json = stateToJson(state);
    const { base, entries, view, resolved } = JSON.parse(JSON.stringify(json)) as NonNullable<typeof json>;
    const read = stateFromJson(base, {
      entries: () => entries,
      resolved: () => resolved,
      ...(view !== undefined && { view: () => view }),
    });
    expect(sent(read)).toEqual(sent(state));
    expect(read.compacted).toEqual(state.compacted);
  });

  test('stays where the conversation goes back behind it, and is gone where it goes back before it', () => {
    const state = compacted(talked(4), 4);
    const behind = evolve(state, { type: 'history-rewound', keep: 6 });
    expect({ to: behind.compacted?.to, sent: sent(behind).length }).toEqual({ to: 4, sent: 3 });
    const before = evolve(state, { type: 'history-rewound', keep: 2 });
    expect({ compacted: before.compacted, sent: sent(before).length }).toEqual({
      compacted: undefined,
      sent: 2,
    });
  });
});
