import { describe, expect, test } from 'vitest';

import { againLines, lastingLines } from '../../commands/report/lasting-effects.js';
import type { OwnEffect, ToolEffect } from '../../src/repl/index.js';

const TOOL = { effect: 'once', outcome: 'output' } as const;

describe('the lines of what stays done', () => {
  test('Foreign signs are escaped once, in titles, names and inputs.', () => {
    const tools = [
      { ...TOOL, seq: 1, tool: 'pay', input: { to: 'a\nb' }, title: 'Pay a\nb' },
      { ...TOOL, seq: 2, tool: 'pay\n', input: { to: 'a\nb' } },
    ] as unknown as readonly ToolEffect[];
    const own = [
      { seq: 3, outcome: 'unknown', name: 'step\n', title: 'x\u001b' },
    ] as unknown as readonly OwnEffect[];
    expect(lastingLines(tools, own)).toEqual([
      'Not undone:',
      '  Pay a\\nb · done',
      '  pay\\n  to: "a\\nb" · done',
      '  step\\n  x\\u{1B} · outcome unknown',
    ]);
    expect(againLines([{ name: 'step\n', title: 'x\n', outcome: 'output' }] as never)).toEqual([
      'Will run again:',
      '  step\\n  x\\n · was done',
    ]);
  });
});
