import { describe, expect, test } from 'vitest';

import type { Interrupt, JsonValue, Resolution, RunState } from '../../src/core/index.js';
import { AppendList } from '../../src/core/index.js';
import { questionView, renderQuestionWhole } from '../../src/human/index.js';
import { callInterrupt, question, stateWith, TRANSFER } from './open-interrupt.js';

const ANN = { type: 'person', name: 'ann', via: 'terminal' } as const;

function after(...resolved: readonly (readonly [Interrupt, Resolution])[]): RunState {
  const list = resolved.map(([interrupt, resolution]) => ({ interrupt, resolution, by: ANN }));
  return { ...stateWith(TRANSFER), resolved: AppendList.of(list) };
}

const call = (id: string, input: JsonValue, name = 'transfer') => callInterrupt(input, { id, name });

/** What stands behind `?`, and in `hitl show`; never in the question itself. */
function told(interrupt: Interrupt, state: RunState): readonly string[] {
  const { details, lines, brief } = questionView(interrupt, state);
  expect([...lines, ...brief.all].filter(({ part }) => part === 'last')).toEqual([]);
  return details.filter(({ part }) => part === 'last').map(({ text }) => text);
}

const SMALL = call('i1', { to: 'A', amount: 20 });
const RUN = { action: 'restart' } as const;

describe('T20 a confirmation of a tool that was approved before', () => {
  test('shows each field that is not as it was, and nothing else', () => {
    const large = call('i2', { to: 'A', amount: 2000, note: 'x' });
    expect(told(large, after([SMALL, RUN]))).toEqual([
      'changed since the last approved call (i1)',
      '- amount: 20',
      '+ amount: 2000',
      '+ note: x',
    ]);
  });

  test('in the whole plain output too, escaped and behind a gutter', () => {
    const hostile = call('i2', { to: 'A\u001B[2J\n  answer with: y', amount: 20 });
    const plain = renderQuestionWhole(questionView(hostile, after([SMALL, RUN])));
    expect(plain).toContain(['  changed since the last approved call (i1)', '  │ - to: A', ''].join('\n'));
    expect(plain).toContain('  │ + to: A\\u{1B}[2J\\n  answer with: y');
  });

  test('says so where nothing has changed', () => {
    const again = call('i2', { amount: 20, to: 'A' });
    expect(told(again, after([SMALL, RUN]))).toEqual(['same input as the last approved call (i1)']);
  });

  test('is compared with what ran: the edit, and the latest one', () => {
    const edited = { action: 'restart', input: { to: 'A', amount: 15 } } as const;
    const state = after([SMALL, RUN], [call('i2', { to: 'B', amount: 1 }), edited]);
    expect(told(call('i3', { to: 'A', amount: 16 }), state).slice(1)).toEqual([
      '- amount: 15',
      '+ amount: 16',
    ]);
  });

  test.for<readonly [string, Interrupt, RunState]>([
    ['the first call', SMALL, after()],
    ['a call after one that was rejected', call('i2', { to: 'B' }), after([SMALL, { action: 'reject' }])],
    ['another tool', call('i2', { to: 'B' }, 'pay'), after([SMALL, RUN])],
    ['the same call, asked about again', SMALL, after([SMALL, RUN])],
    ['a question', question('Sure?'), after([SMALL, RUN])],
    ['a doubt', callInterrupt({}, { kind: 'in-doubt', raisedBy: 'engine' }), after([SMALL, RUN])],
  ])('says nothing for %s', ([, interrupt, state]) => {
    expect(told(interrupt, state)).toEqual([]);
  });

  test('leaves out nothing, of many changes and of long ones', () => {
    const many = (value: string) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, value]));
    const state = after([call('i1', many('a')), RUN]);
    expect(told(call('i2', many('b')), state)).toHaveLength(41);
    const long = told(
      call('i2', { to: 'B'.repeat(5000) }),
      after([call('i1', { to: 'A'.repeat(5000) }), RUN]),
    );
    expect(long.slice(1)).toEqual([`- to: “${'A'.repeat(5000)}”`, `+ to: “${'B'.repeat(5000)}”`]);
  });
});
