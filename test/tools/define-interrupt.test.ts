import * as z from 'zod';
import { describe, expect, expectTypeOf, test } from 'vitest';

import { defineInterrupt } from '../../src/tools/index.js';
import { interruptOf, runTool } from './run-tool.js';

const description = 'Asks.';
const input = z.object({ question: z.string(), urgent: z.boolean().default(false) });

describe('an interrupt tool', () => {
  test.for([
    ['a value', { text: 'Sure?' }, { text: 'Sure?' }],
    ['a function of the checked input', (given: object) => ({ ...given }), { question: 'q', urgent: false }],
    ['an async function', async () => 'later', 'later'],
    ['nothing', undefined, undefined],
    ['a value that is false', false, false],
  ] as const)('tells the person %s (case 20)', async ([, payload, told]) => {
    const ask = defineInterrupt({
      name: 'ask',
      description,
      input,
      ...(payload !== undefined && { payload }),
    });
    expect(await runTool(ask, { question: 'q' })).toEqual({ interrupt: told, options: { kind: 'question' } });
  });

  test('refuses a bad input before anybody is asked (case 25)', async () => {
    const ask = defineInterrupt({ name: 'ask', description, input });
    expect(await ask.parseInput({ question: 7 })).toEqual({
      ok: false,
      issues: ['question: expected string, received number'],
    });
  });

  test('may ask for another kind, and for a reply that depends on the input', async () => {
    const ask = defineInterrupt({
      name: 'ask',
      description,
      input,
      kind: 'pause',
      answerSchema: ({ question }) => ({ const: question }),
    });
    expect(await runTool(ask, { question: 'q' })).toEqual({
      interrupt: undefined,
      options: { kind: 'pause', answerSchema: { const: 'q' } },
    });
  });

  test('has the reply’s schema as its output, and cannot be restarted (case 61)', () => {
    const ask = defineInterrupt({ name: 'ask', description, output: z.object({ answer: z.string() }) });
    expectTypeOf(ask.respond).parameter(1).toEqualTypeOf<{ answer: string }>();
    expect(ask).toMatchObject({ restartable: false, effect: 'none', outputSchema: { required: ['answer'] } });
    const open = interruptOf('ask', { kind: 'question' });
    expect(() => ask.restart(open)).toThrow('`restart` does not answer `ask#r1` (i1)');
    expect(() => ask.respond(open, 7 as never)).toThrow('does not match its schema');
  });
});
