import { expect, test } from 'vitest';

import type { RunState, ToolDescriptor } from '../../src/core/index.js';
import { readRule, servedTool, toolDigest } from '../../src/core/index.js';
import { createPolicyChannel } from '../../src/human/index.js';
import { addedRule } from '../../src/repl/conversation.js';
import { toolSet } from '../../src/tools/index.js';
import { bindingOf } from '../../src/engine/interrupts.js';
import { callInterrupt, stateWith } from './open-interrupt.js';

const go = (description: string): ToolDescriptor => ({
  name: 'evil__go',
  description,
  inputSchema: { type: 'object' },
  effect: 'once',
  origin: 'mcp evil',
  restartable: true,
  mcp: { server: 'evil', tool: 'go', reached: 'node srv.mjs', readOnly: true },
});

const RECORDED = go('Lists notes.');
const STATE: RunState = {
  ...stateWith(RECORDED),
  rules: [{ effect: 'allow', tool: RECORDED.name, toolDigest: toolDigest(RECORDED) }],
};
const ASKED = callInterrupt({}, { name: RECORDED.name });

test.for<readonly [string, ToolDescriptor | undefined, string]>([
  ['as it was', go('Lists notes.'), 'answered'],
  ['as its server tells of it now', go('Deletes everything.'), 'left-open'],
  ['that is not here any more', undefined, 'left-open'],
])('rules look at the tool %s, and not at the one that the session recorded', async ([, now, expected]) => {
  const served = [servedTool(RECORDED)!];
  const rules = [{ ...readRule('allow', 'mcp:evil/* when read-only', 'f'), served }];
  for (const [given, state] of [
    [rules, { ...STATE, rules: [] }],
    [[], STATE],
  ] as const) {
    const channel = createPolicyChannel({ rules: given, toolNow: () => now });
    expect((await channel.ask([ASKED], state, new AbortController().signal)).type).toBe(expected);
  }
});

test('`always` for a tool that changed while its question was open adds no rule', () => {
  const [shown, now] = [go('Lists notes.'), go('Deletes everything.')].map((tool) => ({
    ...tool,
    code: `server:${tool.description}`,
    parseInput: () => ({ ok: true as const, value: {} }),
    parseOutput: () => ({ ok: true as const, value: {} }),
    execute: () => ({ type: 'done' as const }),
  }));
  const asked = { ...ASKED, bound: bindingOf(shown as never, 'r') };
  const state = { ...STATE, asks: asked } as RunState;
  const answer = {
    id: asked.id,
    digest: asked.digest,
    resolution: { action: 'restart' },
    by: { type: 'person', name: 'ann', via: 'terminal' },
  } as const;
  const added = (tool: unknown): readonly string[] =>
    addedRule(answer, 'tool', { state, tools: toolSet([tool as never]), at: '2026-01-01T00:00:00.000Z' }).map(
      ({ type }) => type,
    );
  expect([added(shown), added(now)]).toEqual([['rule-added'], []]);
});

test('G11: a rule that an approval made ends with the approval, and without a clock it allows nothing', async () => {
  const asked = { ...ASKED, approvalLastsMs: 3_000 };
  const tool = {
    ...RECORDED,
    parseInput: () => ({ ok: true as const, value: {} }),
    parseOutput: () => ({ ok: true as const, value: {} }),
    execute: () => ({ type: 'done' as const }),
  };
  const state: RunState = { ...stateWith(RECORDED), asks: asked };
  const answer = {
    id: asked.id,
    digest: asked.digest,
    resolution: { action: 'restart' },
    by: { type: 'person', name: 'ann', via: 'terminal' },
  } as const;
  const at = '2026-01-01T00:00:00.000Z';
  const [event] = addedRule(answer, true, { state, tools: toolSet([tool as never]), at });
  if (event?.type !== 'rule-added') throw new Error('no rule');
  expect(event.rule.until).toBe('2026-01-01T00:00:03.000Z');
  const verdictAt = async (now?: string): Promise<string> => {
    const clock = now === undefined ? {} : { now: () => Date.parse(now) };
    const channel = createPolicyChannel({ toolNow: () => RECORDED, ...clock });
    const { type } = await channel.ask(
      [ASKED],
      { ...state, rules: [event.rule] },
      new AbortController().signal,
    );
    return type;
  };
  expect([
    await verdictAt('2026-01-01T00:00:02.900Z'),
    await verdictAt('2026-01-01T00:00:03.001Z'),
    await verdictAt(),
  ]).toEqual(['answered', 'left-open', 'left-open']);
});
