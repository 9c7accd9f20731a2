import { describe, expect, test } from 'vitest';

import { runTool } from '../run-tool.js';
import { builtin } from './builtin.js';

const todo = builtin('todo', '/');

describe('todo', () => {
  test('says how much is done, asks nobody and changes nothing', async () => {
    const items = [{ text: 'a', state: 'done' }, { text: 'b' }];
    expect(await runTool(todo, { items })).toEqual({ output: '1 of 2 done' });
    expect([todo.effect, todo.approval]).toEqual(['none', undefined]);
  });

  test.for<[string, { items: { text: string; state?: string }[] }]>([
    ['no steps', { items: [] }],
    ['a step without words', { items: [{ text: '' }] }],
    ['a state that is not known', { items: [{ text: 'a', state: 'lost' }] }],
    ['a long step', { items: [{ text: 'a'.repeat(201) }] }],
  ])('refuses %s', async ([, input]) => {
    expect(await todo.parseInput(input)).toMatchObject({ ok: false });
  });
});
