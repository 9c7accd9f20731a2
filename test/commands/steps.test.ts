import { describe, expect, test } from 'vitest';

import { Steps } from '../../commands/seat/steps.js';
import type { Call, Entry, TodoItem } from '../../src/core/index.js';
import { AppendList, emptyState, toolRef } from '../../src/core/index.js';

/** A message of a model that called a tool with a list of steps. */
function entryWith(items: readonly TodoItem[], name = 'todo', failed = false): Entry {
  const ref = toolRef('t1');
  const input = { items: items.map((item) => ({ ...item })) };
  const outcome = failed
    ? ({ type: 'error', code: 'failed', message: 'no' } as const)
    : ({ type: 'output', output: 'ok' } as const);
  const call: Call = {
    request: { type: 'tool-request', ref, name, input },
    input,
    attempts: 0,
    state: { status: 'settled', outcome, via: 'run' },
  };
  return { message: { role: 'model', content: [] }, calls: [call] };
}

function stepsOf(entries: () => AppendList<Entry>): Steps {
  const steps = new Steps();
  steps.follow(() => ({ ...emptyState(), entries: entries() }));
  return steps;
}

const step = (text: string, state: TodoItem['state'] = 'open'): TodoItem => ({ text, state });

describe('the steps above the prompt', () => {
  test('are nothing before there is a session', () => {
    expect(new Steps().rows(false, 60)).toEqual([]);
  });

  test('are one row of where the model is, and all of them while they are open', () => {
    const steps = stepsOf(() =>
      AppendList.of([entryWith([step('a', 'done'), step('b', 'doing'), step('c')])]),
    );
    expect(steps.rows(false, 60)).toEqual(['▸ 1 of 3 done · Ctrl-T all · b']);
    expect(steps.rows(true, 60)).toEqual(['✓ a', '▸ b', '☐ c', '1 of 3 done · Ctrl-T closes']);
  });

  test('are gone once all are done', () => {
    expect(stepsOf(() => AppendList.of([entryWith([step('a', 'done')])])).rows(true, 60)).toEqual([]);
  });

  test('have at most ten rows, around the one that is done now', () => {
    const many = Array.from({ length: 30 }, (_, at) => step(`s${at}`, at < 20 ? 'done' : 'open'));
    const rows = stepsOf(() => AppendList.of([entryWith(many)])).rows(true, 60);
    expect(rows).toHaveLength(11);
    expect([rows[0], rows[2], rows.at(-2), rows.at(-1)]).toEqual([
      '✓ s18',
      '☐ s20',
      '☐ s27',
      '20 of 30 done, 20 not shown · Ctrl-T closes',
    ]);
  });

  test('are those of the last call that succeeded, also after messages were taken back', () => {
    const first = entryWith([step('first')]);
    let entries = AppendList.of([first]);
    const steps = stepsOf(() => entries);
    const head = () => steps.rows(false, 60)[0];
    expect(head()).toBe('▸ 0 of 1 done · Ctrl-T all · first');
    entries = entries
      .append(entryWith([step('failed')], 'todo', true))
      .append(entryWith([step('x')], 'other'));
    expect(head()).toBe('▸ 0 of 1 done · Ctrl-T all · first');
    entries = entries.append(entryWith([step('second')]));
    expect(head()).toBe('▸ 0 of 1 done · Ctrl-T all · second');
    entries = AppendList.of([first]);
    expect(head()).toBe('▸ 0 of 1 done · Ctrl-T all · first');
    entries = AppendList.of([]);
    expect(head()).toBeUndefined();
  });

  test('show the words of a model as one row of safe text', () => {
    const steps = stepsOf(() => AppendList.of([entryWith([step('a\n\u001B[2Jb', 'doing')])]));
    expect(steps.rows(true, 60)[0]).toBe('▸ a\\n\\u{1B}[2Jb');
  });
});
