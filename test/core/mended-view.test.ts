import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Message, Part } from '../../src/core/index.js';
import { checkMessages, fold, mendedView, textPart, toolRef } from '../../src/core/index.js';
import { sessionEvents } from '../helpers/arbitraries.js';
import { requestPart, stateAfter } from '../helpers/events.js';

const hello: Message = { role: 'user', content: [textPart('hello')] };
const asks: Message = { role: 'model', content: [requestPart('pay', 'r1'), requestPart('look', 'r2')] };

function result(name: string, ref: string, output = 'done'): Part {
  return { type: 'tool-response', ref: toolRef(ref), name, output };
}

function missing(name: string, ref: string): Part {
  return {
    ...result(name, ref, 'the conversation continued without a result for this call'),
    isError: true,
  } as Part;
}

describe('what a model is sent of a history that others wrote (G21, G22)', () => {
  test.for<[string, Message[], Message[]]>([
    [
      'a whole one stays',
      [hello, { role: 'model', content: [textPart('hi')] }],
      [hello, { role: 'model', content: [textPart('hi')] }],
    ],
    [
      'a request that nothing answered gets a result',
      [hello, asks, hello],
      [hello, asks, { role: 'tool', content: [missing('pay', 'r1'), missing('look', 'r2')] }, hello],
    ],
    [
      'a missing result is put beside the others',
      [hello, asks, { role: 'tool', content: [result('look', 'r2')] }],
      [hello, asks, { role: 'tool', content: [result('look', 'r2'), missing('pay', 'r1')] }],
    ],
    [
      'a request at the end is answered too',
      [hello, asks],
      [hello, asks, { role: 'tool', content: [missing('pay', 'r1'), missing('look', 'r2')] }],
    ],
    ['an empty message is left out', [hello, { role: 'model', content: [] }, hello], [hello, hello]],
  ])('%s', ([, history, sent]) => {
    expect([...mendedView(history)]).toEqual(sent);
  });

  test('is what a model API takes, for the entries of any session', () => {
    fc.assert(
      fc.property(sessionEvents(), (events) => {
        const messages = fold(events)
          .entries.toArray()
          .map(({ message }) => message);
        const sent = [...mendedView(messages)];
        if (sent[0]?.role === 'user') expect(checkMessages(sent)).toEqual([]);
      }),
    );
  });

  test('is what the model of an imported session is sent', () => {
    const state = stateAfter({ type: 'history-imported', messages: [hello, asks, hello] });
    expect(state.entries.toArray()).toEqual([hello, asks, hello].map((message) => ({ message })));
    expect(checkMessages(state.view)).toEqual([]);
    expect(state).toMatchObject({ turns: 2 });
    expect(state.open).toBeUndefined();
    expect(state.refs.has('r2')).toBe(true);
  });
});
