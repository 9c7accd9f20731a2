import { describe, expect, test } from 'vitest';

import { describeTool } from '../../src/core/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';

const description = 'A tool.';

describe('a tool set', () => {
  const a = defineTool({ name: 'x/a', description });
  const b = defineTool({ name: 'b', description, output: { type: 'string' } });

  test('finds tools by the names that a model sees, and iterates in order', () => {
    const tools = toolSet([a, b]);
    expect([tools.get('a'), tools.get('b'), tools.get('x/a'), tools.get('c')]).toEqual([
      a,
      b,
      undefined,
      undefined,
    ]);
    expect([...tools]).toEqual([a, b]);
    expect(tools.descriptors).toEqual([describeTool(a), describeTool(b)]);
  });

  test.for(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'never finds the inherited %s',
    (name) => {
      expect(toolSet([a]).get(name)).toBeUndefined();
    },
  );

  test('refuses two tools with one short name, naming both origins (case 7)', () => {
    const other = defineTool({ name: 'y/a', description, origin: 'module ./bank.js' });
    expect(() => toolSet([a, other])).toThrow(
      'duplicate tool name `a`: `x/a` (library) and `y/a` (module ./bank.js)',
    );
  });

  test('takes tools that were not made here, and shortens their names', () => {
    const foreign = { ...b, name: 'far/away' };
    expect(toolSet([foreign]).get('away')).toEqual({ ...foreign, name: 'away' });
  });
});
