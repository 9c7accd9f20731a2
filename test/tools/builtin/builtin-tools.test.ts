import { expect, test } from 'vitest';

import { fakeClock } from '../../../src/testing/index.js';
import { builtinTool, builtinTools } from '../../../src/tools/index.js';

const world = { cwd: '/', env: {}, home: '/nowhere', clock: fakeClock() };

test('one built-in tool is found by the name that it has among all', () => {
  const names = builtinTools(world).map(({ name }) => name);
  expect(names).toHaveLength(10);
  expect(names.map((name) => builtinTool(name, world)?.name)).toEqual(names);
  expect(builtinTool('toString', world)).toBeUndefined();
});
