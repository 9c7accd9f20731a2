import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import type { NodeDefinition, Reducers } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { decide, startGraph } from './drive-graph.js';

/** A node that writes each value to `key`, in a branch of its own. */
function writing(key: string, values: readonly JsonValue[]): NodeDefinition {
  const members = values.map((value, index): [string, NodeDefinition] => [
    `m${index}`,
    { kind: 'function', run: () => ({ patch: { [key]: value } }) },
  ]);
  return { kind: 'group', members: Object.fromEntries(members) };
}

describe('a group inside a group', () => {
  test.for<[string, Reducers[string], JsonValue, JsonValue[], JsonValue[], JsonValue]>([
    ['append', 'append', [0], [1, [2, 3]], [4], [0, 1, 2, 3, 4]],
    ['sum', 'sum', 1, [1, 2], [4], 8],
    ['merge', 'merge', { a: 0 }, [{ b: 1 }, { c: 2 }], [{ d: 3 }], { a: 0, b: 1, c: 2, d: 3 }],
  ])('P-7: loses no write where the reducer is %s', async ([, reducer, base, left, right, joined]) => {
    const outer = graph('g', { reducers: { k: reducer } })
      .group('all', { members: { left: writing('k', left), right: writing('k', right) } })
      .end('all')
      .build();
    const { state } = await startGraph(outer, { start: { set: { k: base } } });
    expect(state.graph?.state).toEqual({ k: joined });
  });
});

describe('many branches that wait', () => {
  test('are looked through once, and after an answer only where it came', async () => {
    const many = graph('many')
      .map('all', {
        items: () => [0, 1, 2],
        worker: { kind: 'human', question: () => ({ prompt: '?' }) },
      })
      .end('all')
      .build();
    const { state } = await startGraph(many);
    const [first, ...others] = openInterrupts(state);
    expect(openInterrupts(state)).toBe(openInterrupts(state));
    const after = decide(state, { action: 'respond', output: 'yes' });
    expect(first?.path).toBe('all@1/0');
    expect(openInterrupts(after)).toEqual(others);
    const branch = (of: typeof state) => of.graph?.current?.frames.get('1')?.graph;
    expect(branch(after)).toBe(branch(state));
  });
});
