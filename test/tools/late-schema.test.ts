import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';

import { demoTools } from '../../commands/demo-agent/index.js';
import { builtinTools } from '../../src/tools/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { Home } from '../helpers/program.js';

const place = { cwd: '/', home: '/', env: {}, clock: fakeClock() };

describe('a schema that is made late', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  /** A tool whose input is late, of a program whose build knows these forms. */
  async function toolKnowing(forms: Readonly<Record<string, unknown>> | undefined) {
    if (forms !== undefined) vi.stubGlobal('HITL_FORMS', JSON.stringify(forms));
    vi.resetModules();
    const { late } = await import('../../src/tools/late-schema.js');
    const tools = await import('../../src/tools/index.js');
    let made = 0;
    const input = late('pay input', () => {
      made += 1;
      return z.object({ amount: z.number() });
    });
    const tool = tools.defineTool({ name: 'pay', description: 'Pays.', input }, ({ amount }) => amount);
    return { tool, made: () => made };
  }

  test('is made once, at the first check, where the build knows its form', async () => {
    const form = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };
    const { tool, made } = await toolKnowing({ 'pay input': form });
    expect({ form: tool.inputSchema, made: made() }).toEqual({ form, made: 0 });
    expect(await tool.parseInput({ amount: 'x' })).toEqual({
      ok: false,
      issues: ['amount: expected number, received string'],
    });
    expect(await tool.parseInput({ amount: 2 })).toEqual({ ok: true, value: { amount: 2 } });
    expect(made()).toBe(1);
  });

  test.for([
    ['from source', undefined],
    ['of another name', { 'save input': { type: 'object' } }],
  ] as const)('is made and described at once where no form is known: %s', async ([, forms]) => {
    const { tool, made } = await toolKnowing(forms);
    expect({ form: tool.inputSchema, made: made() }).toEqual({
      form: {
        type: 'object',
        properties: { amount: { type: 'number' } },
        required: ['amount'],
      },
      made: 1,
    });
  });

  test('of a tool of ours is told by the built program as it is', async () => {
    using home = new Home();
    const { stdout } = await home.run(['tools', '--json']);
    const told = (JSON.parse(stdout) as { name: string; inputSchema: unknown }[]).map(
      ({ name, inputSchema }) => [name, inputSchema],
    );
    const ours = [...builtinTools(place), ...demoTools(place)];
    expect(told).toEqual(ours.map(({ name, inputSchema }) => [name, inputSchema]));
  });
});
