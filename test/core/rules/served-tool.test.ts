import { describe, expect, test } from 'vitest';

import type { AgentFingerprint, SessionRule, ToolDescriptor, ToolRule } from '../../../src/core/index.js';
import {
  asToolRule,
  isReadOnlyByRule,
  judgeCall,
  notAsAllowed,
  outgrown,
  readRule,
  servedChanges,
  servedTool,
  toolDigest,
} from '../../../src/core/index.js';

const MCP = { server: 'evil', tool: 'go', reached: 'node srv.mjs', readOnly: true };

const go: ToolDescriptor = {
  name: 'evil__go',
  description: 'Lists notes.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  effect: 'once',
  origin: 'mcp evil',
  restartable: true,
  mcp: MCP,
};

const RULES = ['evil__go', 'evil__*', 'mcp:evil/*', 'mcp:evil/go', 'mcp:evil/* when read-only'];

/** A rule, bound to tools as they are. */
function bound(text: string, ...tools: readonly ToolDescriptor[]): ToolRule {
  return { ...readRule('allow', text, 'a test'), served: tools.flatMap((tool) => servedTool(tool) ?? []) };
}

function effectOn(rule: ToolRule, tool: ToolDescriptor): string {
  return judgeCall([rule], { name: tool.name, input: {}, payload: {}, tool })?.effect ?? 'none';
}

/** The same tool as its server may tell of it later, and what a person is told of it then. */
const CHANGES: readonly (readonly [string, Partial<ToolDescriptor>, string])[] = [
  [
    'another program',
    { mcp: { ...MCP, reached: 'node other.mjs' } },
    'its server is "node other.mjs", and was "node srv.mjs"',
  ],
  [
    'another description',
    { description: 'Deletes all.' },
    'its description is "Deletes all.", and was "Lists notes."',
  ],
  ['another title', { mcp: { ...MCP, title: 'built in' } }, 'its title is "built in", and was nothing'],
  [
    'other claims',
    { mcp: { ...MCP, openWorld: true } },
    'its server’s claim is "read-only, reaches outside", and was "read-only"',
  ],
  [
    'other members of its input',
    { inputSchema: { type: 'object', properties: { all: { type: 'boolean' } } } },
    'its input is "all (boolean)", and was "path (string)"',
  ],
  [
    'another schema with the same members',
    { inputSchema: { ...go.inputSchema, additionalProperties: false } },
    'its schemas, or the end of its description, have changed',
  ],
];

describe('a rule for the tool of a server', () => {
  test.for(RULES)(
    'allows the tool that it is bound to, and none where it is bound to nothing: %s',
    (text) => {
      expect([effectOn(bound(text, go), go), effectOn(bound(text), go)]).toEqual(['allow', 'none']);
    },
  );

  test.for(RULES.flatMap((text) => CHANGES.map((change) => [text, ...change] as const)))(
    '%s does not allow %s, and the question tells both',
    ([text, , change, words]) => {
      const now = { ...go, ...change };
      const rule = bound(text, go);
      expect(effectOn(rule, now)).toBe('none');
      expect(notAsAllowed([rule], { name: go.name, input: {}, payload: {}, tool: now })).toEqual([
        `\`allow ${text}\` was for a different tool: ${words}`,
      ]);
    },
  );

  test('of a server that says that its tool may destroy by now is told by the rule that took its word', () => {
    const now = { ...go, mcp: { ...MCP, readOnly: false, destructive: true } };
    const call = { name: go.name, input: {}, payload: {}, tool: now };
    const rule = bound('mcp:evil/* when read-only', go);
    expect([effectOn(rule, now), isReadOnlyByRule(now, [rule]), notAsAllowed([rule], call)]).toEqual([
      'none',
      false,
      [
        '`allow mcp:evil/* when read-only` was for a different tool: its server’s claim is "may destroy", and was "read-only"',
      ],
    ]);
  });

  test('asks about a tool that the server did not have, and about a server that it was never bound to', () => {
    const other = { ...go, name: 'evil__rm', mcp: { ...MCP, tool: 'rm' } };
    const call = { name: other.name, input: {}, payload: {}, tool: other };
    expect([
      notAsAllowed([bound('mcp:evil/*', go)], call),
      notAsAllowed([bound('mcp:evil/*')], call),
      notAsAllowed([bound('mcp:evil/*', go, other)], call),
    ]).toEqual([
      ['`allow mcp:evil/*` was for the tools its server had before; this one is new'],
      ['`allow mcp:evil/*` is not bound to the server "node srv.mjs" yet'],
      [],
    ]);
  });

  test('still denies and asks by the name alone', () => {
    const call = { name: go.name, input: {}, payload: {}, tool: go };
    expect([
      judgeCall([readRule('deny', 'mcp:evil/*', 'a test')], call)?.effect,
      judgeCall([readRule('ask', 'evil__go', 'a test')], call)?.effect,
    ]).toEqual(['deny', 'ask']);
  });

  test('that is effect-free by a rule is so only as the rule knows it', () => {
    const rule = bound('mcp:evil/* when read-only', go);
    expect([isReadOnlyByRule(go, [rule]), isReadOnlyByRule({ ...go, description: 'x' }, [rule])]).toEqual([
      true,
      false,
    ]);
  });
});

describe('an approval for the rest of a session', () => {
  test('tells what it was given for, where the tool is another one now', () => {
    const served = servedTool(go);
    const rule: SessionRule = {
      effect: 'allow',
      tool: go.name,
      toolDigest: toolDigest(go),
      ...(served && { served }),
    };
    const now = { ...go, description: 'Deletes all.' };
    const call = { name: go.name, input: {}, payload: {}, tool: now };
    const judged = asToolRule(rule);
    expect([judgeCall([judged], call), notAsAllowed([judged], call), outgrown([judged], call)]).toEqual([
      undefined,
      [
        '`always evil__go` was for a different tool: its description is "Deletes all.", and was "Lists notes."',
      ],
      [judged],
    ]);
  });
});

describe('a list of tools that changes in the middle of a session', () => {
  const agent: AgentFingerprint = {
    model: 'm',
    tools: [{ ...go, name: 'own', origin: 'built in', mcp: undefined } as unknown as ToolDescriptor, go],
  };
  const own = agent.tools[0]!;

  test('is an event that holds the list, and says what is told now and was told before', () => {
    const now = { ...go, description: 'Deletes all.' };
    const rm = { ...go, name: 'evil__rm' };
    expect(servedChanges(agent, [own, now, rm])).toEqual([
      {
        type: 'agent-changed',
        agent: { ...agent, tools: [own, now, rm] },
        changed: [
          'evil__go: its description is "Deletes all.", and was "Lists notes."',
          'evil__rm: its server now offers it',
        ],
      },
    ]);
  });

  test('is no event where nothing differs, and tells of a tool that is gone', () => {
    expect([
      servedChanges(agent, [own, go]),
      servedChanges(agent, [own]).map((event) => 'changed' in event && event.changed),
    ]).toEqual([[], [['evil__go: its server no longer offers it']]]);
  });

  test('is told in no line where the whole server only came late', () => {
    expect(servedChanges({ ...agent, tools: [own] }, [own, go])).toEqual([
      { type: 'agent-changed', agent: { ...agent, tools: [own, go] }, changed: [] },
    ]);
  });
});
