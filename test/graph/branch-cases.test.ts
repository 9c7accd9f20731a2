import { expect, test } from 'vitest';

import type { BranchErrors, Graph, GroupNode, NodeBody, NodeDefinition } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { deferred } from '../engine/drive.js';
import { startGraph } from './drive-graph.js';

function body(run: NodeBody): NodeDefinition {
  return { kind: 'function', effect: 'none', run };
}

/** Branches of these bodies, in the order of their names. */
function fan(
  members: Readonly<Record<string, NodeBody>>,
  rules: Pick<GroupNode, 'join' | 'onBranchError'> = {},
): Graph {
  const nodes = Object.fromEntries(Object.entries(members).map(([name, run]) => [name, body(run)]));
  return graph('fan')
    .group('all', { members: nodes, ...rules })
    .end('all')
    .build();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

function failing(message: string): NodeBody {
  return () => {
    throw new Error(message);
  };
}

test('case 27: the first to finish fails; the group waits for the next success', async () => {
  const failed = deferred();
  const first: NodeBody = () => {
    failed.resolve();
    throw new Error('first');
  };
  const second: NodeBody = async () => {
    await failed.promise;
    return 'second';
  };
  const { state } = await startGraph(fan({ first, second }, { join: 'any', onBranchError: 'continue' }));
  expect([state.graph?.state, state.ended]).toEqual([{ second: 'second' }, { type: 'done' }]);
});

test('case 27: where all branches fail, so does the group', async () => {
  const all = fan(
    { first: failing('no'), second: failing('nor') },
    { join: 'any', onBranchError: 'continue' },
  );
  const { state } = await startGraph(all);
  expect([state.graph?.state, state.ended]).toEqual([
    {},
    {
      type: 'failed',
      error: {
        code: 'NODE_FAILED',
        message:
          'node `all` failed: branch `first`: node `first` failed: no; branch `second`: node `second` failed: nor',
      },
    },
  ]);
});

test('case 29: an error aborts its siblings, and is told when they have settled', async () => {
  const order: string[] = [];
  const sibling =
    (name: string): NodeBody =>
    async (_state, { signal }) => {
      await untilAborted(signal);
      order.push(`${name} aborted`);
      await Promise.resolve();
      order.push(`${name} settled`);
    };
  const all = fan({ fails: failing('broken'), one: sibling('one'), two: sibling('two') });
  const { state } = await startGraph(all);
  order.push('told');
  expect(order).toEqual(['one aborted', 'two aborted', 'one settled', 'two settled', 'told']);
  expect(state.ended).toEqual({
    type: 'failed',
    error: {
      code: 'NODE_FAILED',
      message: 'node `all` failed: branch `fails`: node `fails` failed: broken',
    },
  });
});

test.for<[BranchErrors, string, object]>([
  ['collect', 'both errors, and nothing is merged', {}],
  ['continue', 'no error, and what succeeded is merged', { works: 'w' }],
])('case 30: with two errors `%s` tells %s', async ([onBranchError, , state]) => {
  const all = fan({ a: failing('one'), works: () => 'w', b: failing('two') }, { onBranchError });
  const run = await startGraph(all);
  const error = {
    code: 'NODE_FAILED',
    message: 'node `all` failed: branch `a`: node `a` failed: one; branch `b`: node `b` failed: two',
  };
  expect([run.state.graph?.state, run.state.ended]).toEqual([
    state,
    onBranchError === 'collect' ? { type: 'failed', error } : { type: 'done' },
  ]);
});

test('case 34: an item that throws aborts the others and is named', async () => {
  const aborted: number[] = [];
  const all = graph('g')
    .map('each', {
      items: () => ['a', 'b', 'c', 'd'],
      maxParallel: 3,
      worker: body(async (state, { signal }) => {
        const index = Number(state['index']);
        if (index === 2) throw new Error('item c');
        await untilAborted(signal);
        aborted.push(index);
      }),
    })
    .end('each')
    .build();
  const { state } = await startGraph(all);
  expect([aborted, state.ended]).toEqual([
    [0, 1],
    {
      type: 'failed',
      error: {
        code: 'NODE_FAILED',
        message: 'node `each` failed: branch `2`: node `item` failed: item c',
      },
    },
  ]);
});
