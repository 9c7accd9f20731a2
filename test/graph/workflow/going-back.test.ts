import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { SessionEvent } from '../../../src/core/index.js';
import { evolve, findPlace } from '../../../src/core/index.js';
import { workflow } from '../../../src/graph/index.js';
import { asking, goOn, operationsOf, play } from './play.js';

function deploy(done: string[]) {
  return workflow('deploy', async (ctx) => {
    for (const host of ['a', 'b']) {
      await ctx.step('deploy', () => void done.push(host), { of: host });
      await ctx.put({ host });
      if (!(await ctx.ask('healthy', { prompt: `${host}?`, schema: z.boolean() }))) return `${host} is sick`;
    }
    return ctx.state['host'];
  });
}

const back = (operation: string): SessionEvent => ({ type: 'rewound', node: 'deploy', visit: 1, operation });

describe('a workflow that goes back to an operation', () => {
  test.for<[string, readonly string[], readonly string[]]>([
    ['healthy#2', ['healthy#2'], ['a', 'b']],
    ['healthy#1', ['healthy#1'], ['a', 'b']],
    ['deploy#2', ['healthy#2'], ['a', 'b', 'b']],
    ['deploy#1', ['healthy#1'], ['a', 'b', 'a']],
  ])('W50: %s does it anew, and what began after it, also where it was done', async ([to, open, hosts]) => {
    const done: string[] = [];
    const flow = deploy(done);
    const ended = await play(flow, [{ say: true }, { say: false }]);
    expect(ended.output).toBe('b is sick');
    const again = await goOn(evolve(ended.state, back(to)), flow);
    expect([asking(again.state), done, again.state.graph?.state]).toEqual([open, hosts, {}]);
    const replies = to.endsWith('#1') ? [{ say: true }, { say: true }] : [{ say: true }];
    const { output, events } = await goOn(again.state, flow, replies);
    expect([output, operationsOf(events).includes('started healthy#1')]).toEqual(['b', false]);
  });

  test('is found by the name of an operation that stands alone, and told which there are (B7)', async () => {
    const { state } = await play(deploy([]), [{ say: true }, { say: false }]);
    const placeOf = (to: string) => findPlace(state.graph!, to);
    expect(placeOf('healthy')).toBe('`healthy` names 2 operations: healthy#1, healthy#2');
    expect(placeOf('deploy')).toMatchObject({ activation: { node: 'deploy' } });
    expect(placeOf('nothing')).toContain('the last operations: deploy#1,');
    const { state: first } = await play(deploy([]));
    expect(findPlace(first.graph!, 'healthy')).toMatchObject({ operation: 'healthy#1' });
  });

  test('W51: is told what is no operation of what ran last', async () => {
    const { state } = await play(deploy([]), [{ say: true }]);
    const { graph } = state;
    if (graph === undefined) throw new Error('it did not begin');
    expect(findPlace(graph, 'healthy#9')).toContain('`healthy#9` is not on the path: deploy@1');
    expect(findPlace(graph, 'healthy#2')).toMatchObject({ operation: 'healthy#2' });
    expect(() => evolve(state, back('healthy#9'))).toThrow(
      '`healthy#9` is not an operation of the node that ran last',
    );
  });
});
