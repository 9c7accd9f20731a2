import { expect, test } from 'vitest';

import { flowRows } from '../../commands/running/flow-rows.js';
import { columnsOf } from '../../src/core/index.js';
import type { NodeProgress } from '../../src/graph/index.js';
import { drawGraph, flowProgress, workflow } from '../../src/graph/index.js';
import { createTheme } from '../../src/render/index.js';

const theme = createTheme({ colour: false });

function node(name: string, told: Partial<NodeProgress> = {}): NodeProgress {
  return {
    node: name,
    visits: told.progress === undefined ? 0 : 1,
    before: false,
    after: false,
    operations: [],
    ...told,
  };
}

const NODES: readonly NodeProgress[] = [
  node('draft', { progress: 'done', visits: 2 }),
  node('review', { progress: 'waiting' }),
  node('publish', { progress: 'current' }),
  node('mail\u001b[2J'),
  node('drop', { progress: 'failed' }),
  node('old', { progress: 'skipped' }),
  node('back', { progress: 'undone' }),
];

test('the nodes of a workflow stand in a row, each with its mark and how often it was entered', () => {
  expect(flowRows({ nodes: NODES }, theme, 100)).toEqual([
    '✓ draft ×2  ? review  ▸ publish  · mail\\u{1B}[2J  ✗ drop  » old  ↶ back',
  ]);
});

test('a workflow stands above what runs with its version and where it stops for a person', () => {
  const nodes = [
    node('draft', { progress: 'done' }),
    node('review', { progress: 'waiting', before: true, after: true }),
    node('deploy', { operations: ['pay', 'ship\u001b[2J'] }),
    node('publish', { before: true }),
  ];
  expect(flowRows({ version: 3, nodes }, theme, 79)).toEqual([
    'version 3  ✓ draft  ? ⏸ review ⏸  · deploy (⏸ pay ship\\u{1B}[2J)  · ⏸ publish',
  ]);
  expect(flowRows({ version: 3, nodes }, theme, 39)).toEqual([
    'version 3  ✓ draft  ? ⏸ review ⏸',
    '· deploy (⏸ pay ship…)  · ⏸ publish',
  ]);
});

test('of many nodes the rows around what runs are drawn, and none is wider than the screen', () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    node(`node${at}`, at < 40 ? { progress: 'done' } : at === 40 ? { progress: 'current' } : {}),
  );
  expect(flowRows({ nodes: many }, theme, 40)).toEqual([
    '✓ node36  ✓ node37  ✓ node38  ✓ node39',
    '▸ node40  · node41  · node42  · node43',
    '· node44  · node45  · node46  · node47',
  ]);
  expect(flowRows({ version: 12, nodes: many }, theme, 40)).toEqual([
    'version 12',
    '✓ node36  ✓ node37  ✓ node38  ✓ node39',
    '▸ node40  · node41  · node42  · node43',
  ]);
});

test('long names of nodes and of operations leave room for each other and for the marks', () => {
  const long = node('n'.repeat(80), {
    progress: 'waiting',
    visits: 1_000,
    before: true,
    after: true,
    operations: ['o'.repeat(80)],
  });
  for (const columns of [39, 79]) {
    const rows = flowRows({ version: 3, nodes: [long, long] }, theme, columns);
    expect(rows.filter((row) => columnsOf(row) > columns)).toEqual([]);
    expect(rows.join('').match(/\? ⏸ n+… ×1000 ⏸ \(⏸ o+…\)/gu)).toHaveLength(2);
  }
});

test('what stands above a workflow before it runs says what its drawing says', () => {
  const flow = workflow('deploy', { version: 3, gates: { pay: 'before' } }, () => Promise.resolve(null));
  expect(drawGraph(flow, { format: 'text' })).toContain('version 3');
  expect(flowRows(flowProgress(flow, undefined), theme, 79)).toEqual(['version 3  · deploy (⏸ pay)']);
});
