import { describe, expect, test } from 'vitest';

import { configuredRules } from '../../../commands/config/configured-rules.js';
import type { RuledCall, ToolDescriptor, ToolRule } from '../../../src/core/index.js';
import { judgeCall, readRule, REVIEW_RULE, servedTool } from '../../../src/core/index.js';
import { defineTool, underRules } from '../../../src/tools/index.js';
import * as z from 'zod';

const PLACE = { folder: '/work', home: '/home/ann' };
const TOOL: ToolDescriptor = {
  name: 'files__move',
  description: 'Moves a file.',
  inputSchema: { type: 'object' },
  effect: 'once',
  origin: 'mcp files',
  restartable: true,
  mcp: { server: 'files', tool: 'move', reached: 'files' },
};
const SERVED = [servedTool(TOOL)].filter((one) => one !== undefined);
const call: RuledCall = { name: 'files__move', input: { from: 'a' }, payload: {}, tool: TOOL };

const rule = (effect: ToolRule['effect'], text: string): ToolRule => ({
  ...readRule(effect, text, 'f', PLACE),
  served: SERVED,
});
const REVIEW = rule('review', 'mcp:files/*');

describe('a rule that gives calls to a reviewer', () => {
  test('is about tools of a server, and is stronger than one that allows', () => {
    expect(judgeCall([REVIEW], call)).toMatchObject({
      effect: 'review',
      says: 'gives a reviewer every tool of the server `files`',
    });
    expect(judgeCall([REVIEW, rule('allow', 'mcp:files/*')], call)?.effect).toBe('review');
  });

  test.for<readonly [ToolRule['effect'], string]>([
    ['ask', 'mcp:files/move'],
    ['deny', 'mcp:files/*'],
    ['ask', 'files__move'],
  ])('is weaker than one that is of another mind: %s %s', ([effect, text]) => {
    expect(judgeCall([REVIEW, rule(effect, text)], call)?.effect).toBe(effect);
  });

  test('holds for the tool as it was when the rule was bound', () => {
    expect(judgeCall([readRule('review', 'mcp:files/*', 'f', PLACE)], call)).toBeUndefined();
    expect(judgeCall([REVIEW], { ...call, tool: { ...TOOL, description: 'Deletes it.' } })).toBeUndefined();
  });

  test.for(['*', 'run_command', 'run_command git push', 'write_file src/**', 'mine'])(
    'is none about other tools: %s, which then asks',
    (text) => {
      const { problem } = readRule('review', text, 'f', PLACE);
      expect(problem).toMatch(/only tools of a server are given to a reviewer/);
    },
  );

  test('is none of a project', () => {
    const file = { path: 'p', keys: ['rules'], place: PLACE };
    const said = { review: ['mcp:files/*'] };
    expect(configuredRules(said, { ...file, mayAllow: false }).rules).toEqual([]);
    expect(configuredRules(said, { ...file, mayAllow: true }).rules).toMatchObject([{ effect: 'review' }]);
  });

  test('is shown in the question, unless the input names a file of keys', async () => {
    const own = defineTool(
      { name: 'files__move', description: 'Moves a file.', input: z.looseObject({}), needsApproval: true },
      () => Promise.resolve('moved'),
    );
    const mcp = { server: 'files', tool: 'move', reached: 'files' };
    const tool = { ...own, mcp, origin: 'mcp files' };
    const made = servedTool(tool);
    const bound: ToolRule = { ...REVIEW, served: made === undefined ? [] : [made] };
    const ruled = underRules(tool, () => [bound]);
    const scene = { sessionId: 's', ref: 'r' as never, messages: [] as never, context: undefined };
    const facts = async (input: object) =>
      (await ruled.approval?.(input as never, new AbortController().signal, scene))?.facts;
    expect(await facts({ from: 'a' })).toEqual({ [REVIEW_RULE]: 'review mcp:files/* (f)' });
    expect(await facts({ from: ['x', { at: 'deep/.env' }] })).toEqual({ rule: 'review mcp:files/* (f)' });
  });
});
