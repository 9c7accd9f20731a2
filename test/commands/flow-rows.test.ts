import { expect, test } from 'vitest';

import { flowRows } from '../../commands/running/flow-rows.js';
import type { NodeProgress } from '../../src/graph/index.js';
import { createTheme } from '../../src/render/index.js';

const theme = createTheme({ colour: false });
const NODES: readonly NodeProgress[] = [
  { node: 'draft', progress: 'done', visits: 2 },
  { node: 'review', progress: 'waiting', visits: 1 },
  { node: 'publish', progress: 'current', visits: 1 },
  { node: 'mail\u001b[2J', visits: 0 },
  { node: 'drop', progress: 'failed', visits: 1 },
];

test('the nodes of a workflow stand in a row, each with its mark and how often it was entered', () => {
  expect(flowRows(NODES, theme, 80)).toEqual(['✓ draft ×2  ● review  ▸ publish  · mail\\u{1B}[2J  ✗ drop']);
});

test('of many nodes the rows around what runs are drawn, and none is wider than the screen', () => {
  const many = Array.from({ length: 60 }, (_, at): NodeProgress => {
    const progress = at < 40 ? ('done' as const) : at === 40 ? ('current' as const) : undefined;
    return { node: `node${at}`, visits: at <= 40 ? 1 : 0, ...(progress && { progress }) };
  });
  expect(flowRows(many, theme, 40)).toEqual([
    '✓ node36  ✓ node37  ✓ node38  ✓ node39',
    '▸ node40  · node41  · node42  · node43',
    '· node44  · node45  · node46  · node47',
  ]);
});
