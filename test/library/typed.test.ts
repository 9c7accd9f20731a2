import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import type { AnswerWay, Interrupt, JsonValue, Resolution, Resume } from '../../src/index.js';
import { answers, defineInterrupt, defineTool, generate } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const pay = defineTool(
  {
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    resume: z.object({ code: z.string() }),
    needsApproval: true,
  },
  () => 'paid',
);
const pick = defineInterrupt({
  name: 'pick',
  description: 'Asks which.',
  input: z.object({ of: z.array(z.string()) }),
  output: z.enum(['a', 'b']),
});
const finish = defineTool(
  { name: 'finish', description: 'Ends.', output: z.object({ total: z.number() }), endsRun: true },
  () => ({ total: 3 }),
);

const call = (name: string, input: JsonValue) => ({ name, input, ref: 'c1' });

async function interruptOf(name: string, input: JsonValue): Promise<Interrupt> {
  const model = scriptedModel([{ tools: [call(name, input)] }]);
  const { interrupts } = await generate({ model, tools: [pay, pick], prompt: 'go' });
  return interrupts[0]!;
}

describe('a tool', () => {
  test('L8: knows its interrupts, whose input then has its type and whose schema is there for a form', async () => {
    const interrupt = await interruptOf('pay', { amount: 5 });
    expect([pay.owns(interrupt), pick.owns(interrupt)]).toEqual([true, false]);
    if (!pay.owns(interrupt)) return;
    expectTypeOf(interrupt.source.input.amount).toEqualTypeOf<number>();
    expect(interrupt.source.input.amount).toBe(5);
    expect(interrupt.inputSchema).toEqual(pay.inputSchema);
    expect(pay.restart(interrupt, { input: { amount: 6 } }).resolution).toEqual({
      action: 'restart',
      input: { amount: 6 },
    });
  });

  test.for([null, 5, {}, { source: null }])('does not know %j', (value) => {
    expect(pay.owns(value as never)).toBe(false);
  });

  test('that only asks has no input that could be edited', async () => {
    expect(await interruptOf('pick', { of: [] })).not.toHaveProperty('inputSchema');
  });

  test('that ends a run types what it ended with', async () => {
    const model = scriptedModel([{ tools: [call('finish', {})] }]);
    const response = await generate({ model, tools: [pay, finish], prompt: 'go' });
    expectTypeOf(response.output).toEqualTypeOf<{ total: number } | undefined>();
    expect(response.output?.total).toBe(3);
    const other = await generate({ model: scriptedModel(['x']), tools: [pay], prompt: 'go' });
    expectTypeOf(other.output).toEqualTypeOf<unknown>();
  });
});

test('a typo in an answer does not compile', () => {
  const typos = (interrupt: Interrupt): readonly unknown[] => [
    // @ts-expect-error -- the choices are a and b
    pick.respond(interrupt, 'c'),
    // @ts-expect-error -- the input has no `amont`
    pay.restart(interrupt, { input: { amont: 5 } }),
    // @ts-expect-error -- what is passed on has a text
    pay.restart(interrupt, { metadata: { code: 5 } }),
    // @ts-expect-error -- a reason is a text
    answers.reject(interrupt, { reason: { why: 'no' } }),
    // @ts-expect-error -- there is no such builder
    answers.approve,
    // @ts-expect-error -- there is no such way
    ['aprove'] satisfies readonly AnswerWay[],
    // @ts-expect-error -- a resume has no such part
    { respnd: [] } satisfies Resume,
    // @ts-expect-error -- an action that is none
    { action: 'approve' } satisfies Resolution,
  ];
  expect(typos).toBeInstanceOf(Function);
});

describe('a reply that has to fit a schema', () => {
  const outputSchema = z.object({ total: z.number().min(1) });

  test('is the output, with its type', async () => {
    const model = scriptedModel([{ text: '{"total": 3}' }]);
    const { output } = await generate({ model, prompt: 'go', outputSchema });
    expectTypeOf(output).toEqualTypeOf<{ total: number } | undefined>();
    expect(output).toEqual({ total: 3 });
  });

  test.for([
    ['Here it is: {"total": 3}', ['it is not valid JSON: expected a value at character 0']],
    ['{"total": 0}', ['total: Too small: expected number to be >=1']],
  ] as const)('is an error with the messages so far where it is %s', async ([text, problems]) => {
    const thrown = await generate({ model: scriptedModel([{ text }]), prompt: 'go', outputSchema }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ code: 'BAD_OUTPUT', detail: { problems, messages: [{}, {}] } });
  });

  test('is none where the model did not finish', async () => {
    const model = scriptedModel([{ text: '{"tot', end: 'length' }]);
    const { output, finishReason } = await generate({ model, prompt: 'go', outputSchema });
    expect({ output, finishReason }).toEqual({ output: undefined, finishReason: 'length' });
  });
});
