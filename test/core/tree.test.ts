import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { RunState, TreeFacts } from '../../src/core/index.js';
import {
  columnsOf,
  findPlace,
  laidOut,
  operationTree,
  placesOf,
  rowText,
  treeRows,
} from '../../src/core/index.js';
import type { Graph, WorkflowContext } from '../../src/graph/index.js';
import { workflow } from '../../src/graph/index.js';
import { told } from '../screen/golden/tree-scene.js';
import { fakeClock } from '../../src/testing/index.js';
import { scene } from '../engine/drive.js';
import { driveGraph } from '../graph/drive-graph.js';
import { play } from '../graph/workflow/play.js';
import type { Reply } from '../graph/workflow/play.js';

function rowsOf({ graph, resolved }: RunState, facts: TreeFacts = {}): readonly string[] {
  if (graph === undefined) throw new Error('no workflow');
  const { roots } = operationTree(graph, { resolved: resolved.toArray(), ...facts });
  return treeRows(roots).map(rowText);
}

async function drawn(code: (ctx: WorkflowContext) => unknown, replies: readonly Reply[] = []) {
  const run = scene({ clock: fakeClock({ auto: true }) });
  const flow: Graph = workflow('flow', (ctx) => Promise.resolve(code(ctx)).then((value) => value ?? null));
  const { state } = await play(flow, replies, { run });
  return rowsOf((await driveGraph(state, flow, { run })).state);
}

const NONE = { effect: 'none' } as const;

describe('the tree of operations', () => {
  test('folds what a loop did four times or more, whatever the loop does in a round', async () => {
    const rows = await drawn(async (ctx) => {
      for (let n = 1; n <= 3; n += 1) await ctx.step('three', () => n);
      for (const of of ['a', 'b', 'c', 'd']) await ctx.step('four', () => of, { of });
      for (let n = 1; n <= 5; n += 1) {
        await ctx.step('build', () => n);
        await ctx.step('test', () => n);
      }
    });
    expect(rows).toEqual([
      '✓ flow@1',
      '├ ✓ three#1',
      '├ ✓ three#2',
      '├ ✓ three#3',
      '├ ✓ four#1…#4   ×4 · a … d',
      '├ ✓ build#1…#5  ×5',
      '└ ✓ test#1…#5   ×5',
    ]);
  });

  test('does not fold what failed, or took several attempts', async () => {
    const flow = workflow('flow', async (ctx) => {
      for (let n = 1; n <= 6; n += 1) {
        const body = ({ attempt }: { readonly attempt: number }) => {
          if (n === 3 && attempt < 3) throw new Error('not yet');
          if (n === 5) throw new Error('no\u001B[31m disk');
        };
        await ctx.step('try', body, { retry: { attempts: n === 5 ? 1 : 3, delay: 0 } }).catch(() => null);
      }
    });
    const { state, times } = await told(flow, []);
    expect(rowsOf(state, { times }).map((row) => row.replace(/ 03:00:\d\d +\d+ s/u, '').trimEnd())).toEqual([
      '✓ flow@1',
      '├ ✓ try#1',
      '├ ✓ try#2',
      '├ ✓ try#3   3 attempts',
      '├ ✓ try#4',
      '├ ✗ try#5   no\\u{1B}[31m disk',
      '└ ✓ try#6',
    ]);
  });

  test('shows branches, the one that decided, and what nobody needs any more', async () => {
    const rows = await drawn(async (ctx) => {
      await ctx.any('first', {
        quick: (c) => c.step('look', () => 1, NONE),
        asks: (c) => c.ask('which', { prompt: 'Which?' }),
      });
      await ctx.all(
        'items',
        Object.fromEntries(
          [1, 2, 3, 4].map((n) => [`i${n}`, (c: WorkflowContext) => c.step('read', () => n)]),
        ),
      );
    });
    expect(rows).toEqual([
      '✓ flow@1',
      '├ ✓ first                 decided by quick',
      '│ ├ ✓ first/quick/look#1',
      '│ └ » first/asks/which#1  no longer needed · “Which?”',
      '└ ✓ items                 4 branches',
      '  └ ✓ items/i1/read#1 … items/i4/read#1  ×4',
    ]);
  });

  test('shows what waits, for what and until when, and who answered before', async () => {
    const rows = await drawn(
      async (ctx) => {
        await ctx.ask('version', { prompt: 'Which version?' });
        await ctx.all('rest', {
          asks: (c) => c.ask('go', { prompt: 'Go?', timeout: '2h', onTimeout: 'cancel' }),
          event: (c) => c.event('build'),
          timer: (c) => c.sleep('soak', '1h'),
        });
      },
      [{ say: '7' }],
    );
    expect(rows).toEqual([
      '? flow@1',
      '├ ✓ version#1             answered by ann · “Which version?”',
      '└ ? rest                  3 branches',
      '  ├ ? rest/asks/go#1      waiting for an answer (i2) until 2026-01-01 02:00 UTC · “Go?”',
      '  ├ ? rest/event/build#1  event · waits for build (i3) · “Waiting for event `build`.”',
      '  └ ? rest/timer/soak#1   sleep · until 2026-01-01 01:00 UTC',
    ]);
  });

  test('nests what a call did, whose keys are no places of the run', async () => {
    const inner = workflow('inner', async (ctx) => {
      await ctx.step('dig', () => 1, { of: 'deep' });
      return 1;
    });
    const run = await play(workflow('flow', (ctx) => ctx.call(inner, {})));
    expect(rowsOf(run.state)).toEqual(['✓ flow@1', '└ ✓ inner#1    workflow', '  └ ✓ › dig#1  deep']);
    const { graph } = run.state;
    expect(graph && placesOf(operationTree(graph).roots)).toEqual(['flow@1', 'inner#1']);
  });

  test('names as places what commands take, and nothing else', async () => {
    const { state } = await told(
      workflow('flow', async (ctx) => {
        await ctx.step('a', () => 1);
        await ctx.all('both', { x: (c) => c.step('b', () => 1), y: (c) => c.ask('c', { prompt: '?' }) });
      }),
      [],
    );
    const { graph } = state;
    if (graph === undefined) throw new Error('no workflow');
    const places = placesOf(operationTree(graph).roots);
    expect(places).toEqual(['flow@1', 'a#1', 'both/x/b#1', 'both/y/c#1']);
    expect(places.filter((place) => typeof findPlace(graph, place) === 'string')).toEqual([]);
  });

  test('tells when everything was and how long it took', async () => {
    const { state, times } = await told(
      workflow('flow', async (ctx) => {
        await ctx.step('a', () => 1);
        await ctx.ask('b', { prompt: '?' });
      }),
      [{ say: 1 }],
    );
    expect(rowsOf(state, { times })).toEqual([
      '✓ flow@1  03:00:02     6 s',
      '├ ✓ a#1   03:00:03     1 s',
      '└ ✓ b#1   03:00:05     2 s  answered by ann · “?”',
    ]);
  });

  test('fits its columns, and no text of it begins a row', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 20, max: 120 }), (text, columns) => {
        const node = {
          key: 'a#1',
          name: 'a',
          kind: 'step',
          progress: 'failed',
          title: text,
          error: text,
        } as const;
        const [row = ''] = treeRows([node], { columns }).map(rowText);
        expect(row.startsWith('✗ a#1')).toBe(true);
        expect(row).toBe(laidOut(row));
        expect(columnsOf(row)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 30 },
    );
  });

  test('has signs of its own where a terminal has none', () => {
    const inside = [{ key: 'a#1', name: 'a', kind: 'step', progress: 'done' }] as const;
    const root = { key: 'f@1', name: 'f', kind: 'node', progress: 'in-doubt', inside } as const;
    expect(treeRows([root], { ascii: true }).map(rowText)).toEqual(['! f@1', '`-+ a#1']);
  });
});
