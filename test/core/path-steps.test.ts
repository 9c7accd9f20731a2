import { expect, test } from 'vitest';

import { nodePath } from '../../src/core/index.js';
import { pathSteps } from '../../src/core/answer/path-steps.js';

test.for<[string, [activation: string, branch: string][]]>([
  ['', []],
  ['review@2', [['review@2', '']]],
  [
    'outer@1/inner@2',
    [
      ['outer@1', ''],
      ['inner@2', ''],
    ],
  ],
  [
    'outer@1/left/inner@2',
    [
      ['outer@1', 'left'],
      ['inner@2', ''],
    ],
  ],
  ['outer@1/left', [['outer@1', 'left']]],
  [
    'map@1/0/item@1/deep@3/a',
    [
      ['map@1', '0'],
      ['item@1', ''],
      ['deep@3', 'a'],
    ],
  ],
  ['not-a-node', [['not-a-node', '']]],
])('the path `%s` goes through %j', ([path, steps]) => {
  expect(pathSteps(nodePath(path)).map(({ activation, branch }) => [activation, branch])).toEqual(steps);
});
