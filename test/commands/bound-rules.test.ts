import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { RulesInForce } from '../../commands/agent/rules-in-force.js';
import { RuleBindings } from '../../commands/config/rule-bindings.js';
import type { Io } from '../../commands/host/index.js';
import { processIo } from '../../commands/host/index.js';
import type { Interrupt, ToolDescriptor } from '../../src/core/index.js';
import { judgeCall, readRule, schemaDigest, servedTool } from '../../src/core/index.js';
import type { McpServer } from '../../src/tools/mcp/index.js';

let folder: string;
let io: Io;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hitl-bound-'));
  io = { ...processIo(), env: { HITL_HOME: folder }, cwd: folder, home: folder };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const file = (): string => path.join(folder, 'rule-bindings.json');
const TEXT = 'mcp:evil/*';

async function inForce(text = TEXT): Promise<RulesInForce> {
  const bindings = await RuleBindings.read(io, { saves: true });
  return new RulesInForce(io, { rules: [readRule('allow', text, 'a test')] }, { mode: 'ask', bindings });
}

const toolOf = (description: string, reached = 'node srv.mjs'): ToolDescriptor => ({
  name: 'evil__go',
  description,
  inputSchema: { type: 'object' },
  effect: 'once',
  origin: 'mcp evil',
  restartable: true,
  mcp: { server: 'evil', tool: 'go', reached },
});

/** The server as it is met, with this tool. */
function met(tool: ToolDescriptor, from = 'your configuration') {
  const server: McpServer = { type: 'http', name: 'evil', from, url: 'http://evil.test/', headers: {} };
  return { tools: [tool], connections: [{ server }] } as unknown as Parameters<RulesInForce['meet']>[0];
}

const effectOn = (rules: RulesInForce, tool: ToolDescriptor): string =>
  judgeCall(rules.all, { name: tool.name, input: {}, payload: {}, tool })?.effect ?? 'none';

/** A question that was asked about a call of such a tool. */
const questionAbout = (tool: ToolDescriptor): Interrupt =>
  ({
    source: { type: 'tool', name: tool.name, input: {} },
    payload: {},
    bound: { run: 'r', tool: schemaDigest(tool) },
  }) as unknown as Interrupt;

describe('a rule for tools of servers', () => {
  test('is bound to a server of one’s own when it is first met, told once, and in later runs too', async () => {
    const rules = await inForce();
    const before = effectOn(rules, toolOf('Lists.'));
    const told = rules.meet(met(toolOf('Lists.')));
    await rules.kept();
    const later = await inForce();
    expect([
      before,
      told,
      rules.meet(met(toolOf('Lists.'))),
      effectOn(later, toolOf('Lists.')),
      later.meet(met(toolOf('Deletes.'))),
      effectOn(later, toolOf('Deletes.')),
    ]).toEqual([
      'none',
      ['`allow mcp:evil/*` is bound to 1 tool from node srv.mjs in their current state'],
      [],
      'allow',
      [],
      'none',
    ]);
  });

  test('is not bound to a server of a project by itself', async () => {
    const rules = await inForce();
    expect([rules.meet(met(toolOf('Lists.'), '/shop/.mcp.json')), effectOn(rules, toolOf('Lists.'))]).toEqual(
      [[], 'none'],
    );
  });

  test('holds again once a person agreed to a call of the changed tool, as it was shown', async () => {
    const rules = await inForce();
    rules.meet(met(toolOf('Lists.')));
    const now = toolOf('Deletes.');
    const other = { ...now, inputSchema: { type: 'object', properties: {} } } as const;
    rules.agreed(questionAbout(now), other);
    const unseen = effectOn(rules, other);
    rules.agreed(questionAbout(now), now);
    expect([unseen, effectOn(rules, now), effectOn(rules, toolOf('Lists.'))]).toEqual([
      'none',
      'allow',
      'none',
    ]);
  });

  test('knows several servers of one name apart', async () => {
    const rules = await inForce();
    const [one, two] = [toolOf('Lists.'), toolOf('Lists.', 'node other.mjs')];
    rules.meet(met(one));
    const before = effectOn(rules, two);
    rules.agreed(questionAbout(two), two);
    expect([before, effectOn(rules, one), effectOn(rules, two)]).toEqual(['none', 'allow', 'allow']);
  });

  test.for([
    [
      'what others could have written',
      () => {
        chmodSync(file(), 0o666);
      },
    ],
    [
      'what this program does not write',
      () => {
        writeFileSync(file(), '{"version":1,"rules":{},"more":1}');
      },
    ],
  ] as const)('allows nothing by %s, and is not bound anew', async ([, damage]) => {
    const first = await inForce();
    first.meet(met(toolOf('Lists.')));
    await first.kept();
    damage();
    const before = readFileSync(file(), 'utf8');
    const rules = await inForce();
    const told = rules.meet(met(toolOf('Lists.')));
    await rules.kept();
    expect([told, effectOn(rules, toolOf('Lists.')), readFileSync(file(), 'utf8')]).toEqual([
      [],
      'none',
      before,
    ]);
  });

  test('is forgotten with the rule', async () => {
    const bindings = await RuleBindings.read(io, { saves: true });
    const rule = readRule('allow', TEXT, 'a test');
    bindings.bind(rule, [servedTool(toolOf('Lists.'))!]);
    bindings.drop(rule);
    await bindings.kept();
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ version: 1, rules: {} });
  });
});
