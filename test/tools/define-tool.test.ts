import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

import { SCENE } from '../helpers/scene.js';
import type { EditForm, HitlError, JsonObject, JsonValue, Tool } from '../../src/core/index.js';
import { describeTool, schemaDigest, toolDigest } from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';
import { contextOf, interruptOf, runTool } from './run-tool.js';

const description = 'Pays.';
const definition = {
  name: 'pay',
  description,
  input: z.object({ amount: z.number(), note: z.string().default('none') }),
  output: z.object({ paid: z.number() }),
  interrupt: z.object({ reason: z.string() }),
  resume: z.object({ status: z.string().default('ok') }),
};

async function thrownBy(work: () => unknown): Promise<HitlError> {
  try {
    await work();
  } catch (error) {
    return error as HitlError;
  }
  throw new Error('nothing was thrown');
}

describe('the types of a tool', () => {
  test('come from its schemas', () => {
    const pay = defineTool(definition, (input, context) => {
      expectTypeOf(input).toEqualTypeOf<{ amount: number; note: string }>();
      expectTypeOf(context.originalInput).toEqualTypeOf<{ amount: number; note: string } | undefined>();
      expectTypeOf(context.resumed).toEqualTypeOf<{ status: string } | undefined>();
      expectTypeOf(context.interrupt).parameter(0).toEqualTypeOf<{ reason: string }>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      return { paid: input.amount };
    });
    expectTypeOf(pay).toExtend<Tool>();
    expectTypeOf(pay.respond).parameter(1).toEqualTypeOf<{ paid: number }>();
    expectTypeOf<NonNullable<NonNullable<Parameters<typeof pay.restart>[1]>['input']>>().toEqualTypeOf<{
      amount: number;
      note: string;
    }>();
  });

  test('are JSON where there is no schema, and follow what the caller says for a JSON Schema', () => {
    defineTool({ name: 'a', description, input: { type: 'object' } }, (input, _context) => {
      expectTypeOf(input).toEqualTypeOf<JsonObject>();
      expectTypeOf<JsonValue>().toExtend<typeof _context.resumed>();
      return null;
    });
    defineTool<{ city: string }>(
      { name: 'a', description, input: { type: 'object' } },
      (input) => input.city,
    );
    defineTool({ name: 'a', description }, () => undefined);
    defineTool({ name: 'a', description }, async () => {});
  });

  test('refuse what does not fit', () => {
    // @ts-expect-error: the output schema says a number
    defineTool(definition, () => ({ paid: 'much' }));
    // @ts-expect-error: the payload has no such member
    defineTool(definition, (_, context) => context.interrupt({ why: 'large' }));
    // @ts-expect-error: the payload is required
    defineTool(definition, (_, context) => context.interrupt());
    // @ts-expect-error: a multipart body returns its parts
    defineTool({ name: 'a', description, output: z.number(), multipart: true }, () => 5);
    defineTool({ name: 'a', description, output: z.number(), multipart: true }, () => ({ output: 5 }));
    defineTool({ name: 'a', description }, (_, context) => context.interrupt());
    defineTool({ name: 'a', description, output: z.number() }, (_, context) => context.interrupt({ any: 1 }));
  });
});

describe('a member that tools do not have', () => {
  test.for([
    ['needsAproval', 'did you mean `needsApproval`?'],
    ['parameters', 'did you mean `input`?'],
    ['execute', 'pass the function to run as the second argument of `defineTool`'],
  ] as const)('is refused, and not passed over: %s', ([member, hint]) => {
    const definition = { name: 'pay', description: 'Pays.', [member]: true };
    expect(() => defineTool(definition, () => null)).toThrow(
      expect.objectContaining({
        code: 'BAD_CONFIG',
        message: `tool \`pay\` has an unknown property \`${member}\``,
        hint,
      }),
    );
  });
});

describe('a defined tool', () => {
  test('describes itself for providers', () => {
    expect(defineTool(definition, () => ({ paid: 1 }))).toMatchObject({
      name: 'pay',
      qualifiedName: 'pay',
      description,
      effect: 'once',
      origin: 'library',
      restartable: true,
      inputSchema: {
        type: 'object',
        properties: { amount: { type: 'number' }, note: { type: 'string', default: 'none' } },
        required: ['amount'],
      },
      outputSchema: { type: 'object', properties: { paid: { type: 'number' } }, required: ['paid'] },
    });
  });

  test('has the schema in JSON Schema by the copy of zod that made it, where that says it', () => {
    const input = z.object({ to: z.string() });
    const own = {
      ...input['~standard'],
      jsonSchema: { input: () => ({ type: 'object', title: 'as it says' }), output: () => ({}) },
    };
    Object.defineProperty(input, '~standard', { value: own });
    const tool = defineTool({ name: 'a', description: 'd', input }, () => 1);
    expect(tool.inputSchema).toEqual({ type: 'object', title: 'as it says' });
  });

  test('describes members of a schema whose copy of zod keeps descriptions to itself (before 4.3)', () => {
    const to = z.string();
    Object.defineProperty(to, 'description', { value: 'Who gets it' });
    const input = z.object({ to });
    Object.defineProperty(input, '~standard', { value: { ...input['~standard'], jsonSchema: undefined } });
    const tool = defineTool({ name: 'a', description: 'd', input }, () => 1);
    expect(tool.inputSchema).toMatchObject({ properties: { to: { description: 'Who gets it' } } });
  });

  test('keeps a JSON Schema as it was given, and checks with it', async () => {
    const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const tool = defineTool({ name: 'a', description, input }, (given) => given);
    expect(tool.inputSchema).toEqual(input);
    expect(await tool.parseInput({ n: 1.5 })).toEqual({
      ok: false,
      issues: ['n: expected int, received number'],
    });
    expect(await tool.parseInput({ n: 1 })).toEqual({ ok: true, value: { n: 1 } });
  });

  test('shows a model the name after the last slash', () => {
    expect(defineTool({ name: 'bank/eu/pay', description })).toMatchObject({
      name: 'pay',
      qualifiedName: 'bank/eu/pay',
    });
  });

  test('fills in defaults before the body runs, and names each fault of an input (case 8)', async () => {
    const tool = defineTool({ ...definition, output: undefined as never }, (input) => input);
    expect(await tool.parseInput({ amount: 5 })).toEqual({ ok: true, value: { amount: 5, note: 'none' } });
    expect(await tool.parseInput({ amount: '5', note: 1 })).toEqual({
      ok: false,
      issues: ['amount: expected number, received string', 'note: expected string, received number'],
    });
    await expect(tool.execute({ amount: '5' }, contextOf())).rejects.toMatchObject({ code: 'TOOL_INPUT' });
  });

  test('without a body always interrupts, and only a respond answers it (case 19)', async () => {
    const tool = defineTool({ name: 'ask', description });
    expect(tool.restartable).toBe(false);
    expect(await runTool(tool, {})).toEqual({ interrupt: undefined, options: { kind: 'question' } });
  });

  test.for([0, '', false, null, [], {}])('returns %j as it is (case 64)', async (value) => {
    const tool = defineTool({ name: 'a', description }, () => value);
    expect(await runTool(tool, {})).toEqual({ output: value });
  });

  test('returns null for nothing, and leaves out what is undefined', async () => {
    expect(
      await runTool(
        defineTool({ name: 'a', description }, () => undefined),
        {},
      ),
    ).toEqual({ output: null });
    const tool = defineTool(
      { name: 'a', description, output: z.object({ x: z.number().optional() }) },
      () => ({
        x: undefined,
      }),
    );
    expect(await runTool(tool, {})).toEqual({ output: {} });
  });

  test.for([
    [new Date(0), 'a Date'],
    [{ a: [Number.NaN] }, 'the number NaN'],
    [10n, 'a bigint'],
    [new Map(), 'a Map'],
  ])('refuses to return %s', async ([value, what]) => {
    const tool = defineTool({ name: 'a', description }, () => value as never);
    await expect(runTool(tool, {})).rejects.toThrow(`is ${what as string}, which is not valid in JSON`);
  });

  test('returns output, content and metadata where it is multipart (case 65)', async () => {
    const content = [{ type: 'text', text: 'more' }] as const;
    const tool = defineTool({ name: 'a', description, multipart: true }, () => ({
      output: 5,
      content,
      metadata: { k: 1 },
    }));
    expect(await runTool(tool, {})).toEqual({ output: { output: 5, content, metadata: { k: 1 } } });
    const wrong = defineTool({ name: 'a', description, multipart: true }, () => 5 as never);
    await expect(runTool(wrong, {})).rejects.toThrow('must return an object with `output`');
  });

  test('refuses an interrupt payload that breaks its schema', async () => {
    const tool = defineTool(definition, (_, context) => context.interrupt({ reason: 5 } as never));
    await expect(runTool(tool, { amount: 1 })).rejects.toThrow('reason: expected string, received number');
  });

  test('keeps `{}` as a payload (case 17)', async () => {
    const tool = defineTool({ name: 'a', description }, (_, context) => context.interrupt({}));
    expect(await runTool(tool, {})).toEqual({ interrupt: {}, options: undefined });
  });
});

describe('a restarted tool', () => {
  const echo = defineTool({ name: 'echo', description }, (_, context) => ({
    resumed: context.resumed ?? null,
    is: context.resumed !== undefined,
    original: context.originalInput ?? 'none',
  }));

  test.for([true, false, 0, '', null, { status: 'ok' }])(
    'sees %j as it was passed on (cases 47, 48)',
    async (resumed) => {
      expect(await runTool(echo, {}, { resumed })).toEqual({
        output: { resumed, is: true, original: 'none' },
      });
    },
  );

  test('sees the original input only where it was edited (cases 49, 53)', async () => {
    expect(
      await runTool(echo, { amount: 5 }, { originalInput: { amount: 10 }, resumed: true }),
    ).toMatchObject({
      output: { original: { amount: 10 } },
    });
    expect(await runTool(echo, { amount: 5 })).toEqual({
      output: { resumed: null, is: false, original: 'none' },
    });
  });

  test('reads a plain approval as an empty object where its schema wants one', async () => {
    const tool = defineTool(definition, (_, { resumed }) => ({ paid: resumed?.status === 'ok' ? 1 : 0 }));
    expect(await runTool(tool, { amount: 1 }, { resumed: true })).toEqual({ output: { paid: 1 } });
    await expect(runTool(tool, { amount: 1 }, { resumed: 'yes' })).rejects.toMatchObject({
      code: 'TOOL_INPUT',
    });
  });
});

describe('the approval gate', () => {
  const signal = new AbortController().signal;

  test('is absent where a tool never needs it', () => {
    expect(defineTool({ name: 'a', description }, () => 1).approval).toBeUndefined();
  });

  test('asks for all inputs, or for those that a predicate names', async () => {
    const always = defineTool({ ...definition, needsApproval: true }, () => ({ paid: 1 }));
    expect(await always.approval?.({ amount: 1 }, signal, SCENE)).toEqual({});
    const large = defineTool({ ...definition, needsApproval: async ({ amount }) => amount > 100 }, () => ({
      paid: 1,
    }));
    expect(await large.approval?.({ amount: 100 }, signal, SCENE)).toBeUndefined();
    expect(await large.approval?.({ amount: 101 }, signal, SCENE)).toEqual({});
  });

  test('tells what is known about the call', async () => {
    const tool = defineTool(
      {
        ...definition,
        needsApproval: false,
        approval: ({ amount }) => ({ facts: { amount: String(amount) } }),
      },
      () => ({ paid: 1 }),
    );
    expect(await tool.approval?.({ amount: 7 }, signal, SCENE)).toEqual({ facts: { amount: '7' } });
  });
});

describe('how a person edits a call', () => {
  const input = {
    type: 'object',
    properties: { sql: { type: 'string' }, limit: { type: 'number' } },
  } as const;
  const define = (editing: unknown) =>
    defineTool({ name: 'query', description: 'Asks.', input, editing: editing as EditForm }, () => 'rows');

  test('is data of the tool, and part of no digest', () => {
    const editing: EditForm = { field: 'sql', as: 'text', labels: { limit: 'rows at most' } };
    const made = define(editing);
    const plain = define(undefined);
    expect(describeTool(made).editing).toEqual(editing);
    expect([schemaDigest(made), toolDigest(made)]).toEqual([schemaDigest(plain), toolDigest(plain)]);
  });

  test.for([
    [{ field: 'table' }, '`editing.field` must be a property of the input'],
    [{ field: 'sql', words: 'constructor' }, '`editing.words` must be a property of the input'],
    [{ field: 'sql', as: 'page' }, '`editing.as` must be line or text'],
    [{ field: 'sql', file: 7 }, '`editing.file` must be a property of the input'],
    [{ field: 'sql', hides: ['limit'] }, '`editing` has no `hides`'],
    [
      { field: 'sql', labels: { limit: 'x'.repeat(81) } },
      '`editing.labels` must be at most 50 names of at most 80 characters each',
    ],
    ['sql', '`editing` must be an object'],
  ])('is refused where it does not match its schema the input: %j', ([editing, why]) => {
    expect(() => define(editing)).toThrow(`tool \`query\`: ${why as string}`);
  });
});

describe('a bad definition is refused', () => {
  test.for(['', 'a b', 'ä', 'a.b', '/a', 'a/', 'x'.repeat(65), 'a//b'])('for the name %j', async (name) => {
    expect(await thrownBy(() => defineTool({ name, description }))).toMatchObject({ code: 'BAD_CONFIG' });
  });

  test.for([
    [{ description: ' ' }, 'tool `a` has no description'],
    [{ description: undefined }, 'tool `a` has no description'],
    [
      { input: z.object({ at: z.date() }) },
      'the input schema of tool `a` cannot be represented in JSON Schema',
    ],
    [
      { output: z.string().transform(Number) },
      'the output schema of tool `a` cannot be represented in JSON Schema',
    ],
    [{ input: { type: 'objekt' } }, 'the input schema of tool `a` is not a usable JSON Schema'],
    [{ input: 'string' }, 'the input schema of tool `a` is neither a zod 4 schema nor a JSON Schema object'],
    [{ input: { _def: {}, parse() {} } }, 'the input schema of tool `a` is neither a zod 4 schema nor'],
  ] as const)('for %j', async ([part, message]) => {
    const error = await thrownBy(() => defineTool({ name: 'a', description, ...part } as never));
    expect(error).toMatchObject({ code: 'BAD_CONFIG' });
    expect(error.message).toContain(message);
  });
});

describe('the answers that a tool builds', () => {
  const pay = defineTool(definition, () => ({ paid: 1 }));
  const open = interruptOf('pay', { input: { amount: 10 } });
  const by = { type: 'person', name: 'ann', via: 'library' } as const;

  test('carry the interrupt’s digest and who decided', () => {
    expect(pay.respond(open, { paid: 3 }, { metadata: { by: 'ann' }, by })).toEqual({
      id: open.id,
      digest: open.digest,
      resolution: { action: 'respond', output: { paid: 3 }, metadata: { by: 'ann' } },
      by,
    });
    expect(pay.restart(open, { input: { amount: 5, note: 'n' }, metadata: { status: 'ok' } })).toEqual({
      id: open.id,
      digest: open.digest,
      resolution: { action: 'restart', input: { amount: 5, note: 'n' }, metadata: { status: 'ok' } },
      by: { type: 'person', name: 'library', via: 'library' },
    });
  });

  test('refuse an interrupt of another tool, naming both (case 45)', () => {
    expect(() => pay.respond(interruptOf('echo'), { paid: 1 })).toThrow(
      'interrupt `i1` belongs to tool `echo`, not to tool `pay`',
    );
    expect(() => pay.restart(interruptOf('echo'))).toThrow('belongs to tool `echo`, not to tool `pay`');
  });

  test('refuse an output or an input that breaks the schema (cases 38, 51)', async () => {
    expect(await thrownBy(() => pay.respond(open, 7 as never))).toMatchObject({
      code: 'TOOL_INPUT',
      status: 'INVALID_ARGUMENT',
    });
    expect(await thrownBy(() => pay.restart(open, { input: { amount: 'x' } as never }))).toMatchObject({
      code: 'TOOL_INPUT',
    });
    expect(await thrownBy(() => pay.restart(open, { metadata: 5 as never }))).toMatchObject({
      code: 'TOOL_INPUT',
    });
  });

  test.for([0, '', false, null])('check and keep the input %j (case 52)', (value) => {
    const tool = defineTool({ name: 'any', description, input: z.json() }, () => 1);
    const resolution = { action: 'restart', input: value };
    expect(tool.restart(interruptOf('any'), { input: value })).toMatchObject({ resolution });
    expect(() => pay.restart(open, { input: value as never })).toThrow('does not match its schema');
  });

  test('refuse a restart of a tool that only asks (case 61)', async () => {
    const ask = defineTool({ name: 'ask', description });
    const question = interruptOf('ask', { kind: 'question' });
    expect(await thrownBy(() => ask.restart(question))).toMatchObject({
      code: 'BAD_ANSWER',
      status: 'INVALID_ARGUMENT',
    });
    expect(ask.respond(question, 'yes')).toMatchObject({ resolution: { action: 'respond', output: 'yes' } });
  });
});
