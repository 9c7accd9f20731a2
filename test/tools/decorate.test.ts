import * as z from 'zod';
import { describe, expect, test } from 'vitest';

import { SCENE } from '../helpers/scene.js';
import type { SessionMode } from '../../src/core/index.js';
import { InterruptSignal, isInterrupt, modeRules, NOBODY, readRule, standIns } from '../../src/core/index.js';
import { defineTool, requireApproval, underRules, wrapTool } from '../../src/tools/index.js';
import { contextOf, runTool } from './run-tool.js';

const signal = new AbortController().signal;
const echo = defineTool(
  { name: 'echo', description: 'Echoes.', input: z.object({ n: z.number() }) },
  ({ n }) => n,
);

describe('requireApproval', () => {
  test('puts a confirmation in front of a tool, for all inputs or for some (case 29)', async () => {
    expect(await requireApproval(echo).approval?.({ n: 1 }, signal, SCENE)).toEqual({});
    const large = requireApproval(echo, (input) => JSON.stringify(input).length > 8);
    expect(await large.approval?.({ n: 1 }, signal, SCENE)).toBeUndefined();
    expect(await large.approval?.({ n: 1000 }, signal, SCENE)).toEqual({});
    expect(echo.approval).toBeUndefined();
  });

  test('keeps what the tool itself wants confirmed, and adds to it', async () => {
    const own = defineTool(
      {
        name: 'own',
        description: 'Asks.',
        approval: () => ({ facts: { host: 'a' }, warnings: ['one'], diff: 'd' }),
      },
      () => 1,
    );
    expect(await requireApproval(own, () => false).approval?.({}, signal, SCENE)).toEqual({
      facts: { host: 'a' },
      warnings: ['one'],
      diff: 'd',
    });
    const more = requireApproval(own, async () => ({
      reason: 'rule',
      facts: { user: 'b' },
      warnings: ['two'],
    }));
    expect(await more.approval?.({}, signal, SCENE)).toEqual({
      reason: 'rule',
      facts: { host: 'a', user: 'b' },
      warnings: ['one', 'two'],
      diff: 'd',
    });
  });

  test('throws where the predicate throws, which counts as yes (G35)', async () => {
    const unsure = requireApproval(echo, () => {
      throw new Error('no rule');
    });
    await expect(unsure.approval?.({ n: 1 }, signal, SCENE)).rejects.toThrow('no rule');
  });
});

describe('underRules', () => {
  test.for([
    ['deny', { facts: { rule: 'deny echo (f)' } }, 'the rule `deny echo` denies it'],
    ['ask', { facts: { rule: 'ask echo (f)' } }, undefined],
    ['allow', undefined, undefined],
  ] as const)('%s: asks before the body, and forbids what is denied', async ([effect, asked, forbidden]) => {
    const tool = underRules(echo, () => [readRule(effect, 'echo', 'f')]);
    expect(await tool.approval?.({ n: 1 }, signal, SCENE)).toEqual(asked);
    expect(tool.forbids?.({ n: 1 })).toBe(forbidden);
  });

  test('names the people of a rule beside those of the tool: as many as the stricter wants, never fewer', async () => {
    const pay = defineTool(
      { name: 'pay', description: 'Pays.', needsApproval: true, approvers: { from: ['ann', 'bob', 'cyd'] } },
      () => 1,
    );
    const rules = (...texts: readonly string[]) => texts.map((text) => readRule('ask', text, 'f'));
    const people = async (...texts: readonly string[]) =>
      (await underRules(pay, () => rules(...texts)).approval?.({}, signal, SCENE))?.approvers;
    expect(await people('pay')).toEqual({ from: ['ann', 'bob', 'cyd'] });
    expect(await people('pay needs 2')).toEqual({ need: 2, from: ['ann', 'bob', 'cyd'] });
    expect(await people('pay needs 1 of cyd, bob, dan', 'pay needs 2, not whoever asked')).toEqual({
      need: 2,
      from: ['bob', 'cyd'],
      notRequester: true,
    });
    expect(await people('pay needs 1 of @ops')).toEqual(NOBODY);
    const calm = underRules(echo, () => rules('echo needs 2'));
    expect(await calm.approval?.({ n: 1 }, signal, SCENE)).toEqual({
      facts: { rule: 'ask echo needs 2 (f)' },
      approvers: { need: 2 },
    });
  });

  test('demands the people of a rule of whoever stands in for others, too', async () => {
    const pay = defineTool(
      {
        name: 'pay',
        description: 'Pays.',
        needsApproval: true,
        deadline: {
          timeout: '1h',
          onTimeout: {
            escalate: {
              to: 'ann',
              approvers: { from: ['ann', 'bob'] },
              timeout: '1h',
              onTimeout: {
                escalate: {
                  to: 'cyd',
                  approvers: { need: 1, from: ['ann', 'bob', 'cyd'] },
                },
              },
            },
          },
        },
      },
      () => 1,
    );
    const ruled = underRules(pay, () => [readRule('ask', 'pay needs 2', 'f')]);
    const { deadline = {}, approvers } = (await ruled.approval?.({}, signal, SCENE)) ?? {};
    const both = { need: 2, from: ['ann', 'bob'] };
    expect(standIns(deadline, approvers)).toEqual([both, { ...both, from: ['ann', 'bob', 'cyd'] }]);
  });

  test('says nothing of tools that no rule is about', async () => {
    const tool = underRules(echo, () => [readRule('deny', 'other', 'f')]);
    expect(await tool.approval?.({ n: 1 }, signal, SCENE)).toBeUndefined();
    expect(tool.forbids?.({ n: 1 })).toBeUndefined();
    expect(tool.asksItself).toBe(false);
  });

  test('asks for the rules at each call: a person may choose another mode in between', async () => {
    let mode: SessionMode = 'ask';
    const act = defineTool({ name: 'act', description: 'Acts.', needsApproval: true }, () => 1);
    const tool = underRules(act, () => modeRules(mode, { folder: '/shop', home: '/' }, 'f'));
    const found = async () => [await tool.approval?.({}, signal, SCENE), tool.forbids?.({})];
    expect(await found()).toEqual([{}, undefined]);
    mode = 'read-only';
    expect(await found()).toEqual([
      { facts: { rule: 'mode read-only (f)' } },
      'the rule `mode read-only` denies it',
    ]);
    expect(tool.asksItself).toBe(true);
  });
});

describe('wrapTool', () => {
  test('runs hooks around the body, the last one first, also in a restart (case 59)', async () => {
    const order: string[] = [];
    const inner = wrapTool(echo, async (_input, _context, next) => {
      order.push('inner');
      return next();
    });
    const outer = wrapTool(inner, async (input, context, next) => {
      order.push(`outer ${JSON.stringify(input)} ${JSON.stringify(context.resumed ?? null)}`);
      const result = await next();
      order.push('after');
      return [result as number, 'more'];
    });
    expect(await runTool(outer, { n: 5 }, { resumed: true })).toEqual({ output: [5, 'more'] });
    expect(order).toEqual(['outer {"n":5} true', 'inner', 'after']);
    expect(outer).toMatchObject({ name: 'echo', inputSchema: echo.inputSchema });
  });

  test('may interrupt instead of running the body (case 28)', async () => {
    let ran = false;
    const tool = defineTool({ name: 'act', description: 'Acts.' }, async () => {
      ran = true;
    });
    const guarded = wrapTool(tool, async (_input, context, next) =>
      context.resumed === undefined ? context.interrupt({ message: 'act?' }) : next(),
    );
    expect(await runTool(guarded, {})).toEqual({ interrupt: { message: 'act?' } });
    expect(ran).toBe(false);
  });

  test('F8: runs a body again that failed, and not one that has asked: the hook is told so', async () => {
    let bodies = 0;
    const told: unknown[] = [];
    const stubborn = (body: () => never) =>
      wrapTool(
        defineTool({ name: 'act', description: 'Acts.' }, () => {
          bodies += 1;
          return body();
        }),
        async function retrying(_input, _context, next) {
          for (let attempt = 1; attempt <= 3; attempt += 1) {
            try {
              return await next();
            } catch (thrown) {
              told.push(isInterrupt(thrown) ? 'a question' : (thrown as Error).message);
            }
          }
          return 'gave up';
        },
      );
    const failing = stubborn(() => {
      throw new Error('busy');
    });
    expect(await runTool(failing, {})).toEqual({ output: 'gave up' });
    expect([bodies, told.splice(0)]).toEqual([3, ['busy', 'busy', 'busy']]);
    const asking = stubborn(() => {
      throw new InterruptSignal('sure?') as unknown as Error;
    });
    await runTool(asking, {});
    const again = 'hook `retrying` called `next()` again after tool `act` had asked a question';
    expect([bodies, told]).toEqual([4, ['a question', again, again]]);
  });

  test('refuses a hook that returns nothing, naming it (case 80)', async () => {
    const audit = (async () => undefined) as never;
    await expect(wrapTool(echo, audit).execute({ n: 1 }, contextOf())).rejects.toThrow(
      'hook `audit` around tool `echo` returned nothing',
    );
    const nameless = wrapTool(echo, (async () => {}) as never);
    await expect(nameless.execute({ n: 1 }, contextOf())).rejects.toThrow('a hook around tool `echo`');
    const nothing = wrapTool(echo, async () => null);
    expect(await nothing.execute({ n: 1 }, contextOf())).toBeNull();
  });
});
