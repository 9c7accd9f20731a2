import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { GrantPlan, JsonObject, JsonValue, Tool, ToolRule, ToolSet } from '../../../src/core/index.js';
import {
  alwaysOffers,
  GRANT_TOOL,
  grantIn,
  isAboutSandbox,
  noSandbox,
  readRule,
  requestJson,
  SANDBOX_OFF,
  SESSION_SIZES,
  toolDigest,
} from '../../../src/core/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { builtinTools, defineTool, requestGrant, toolSet, underRules } from '../../../src/tools/index.js';
import { killPoints } from '../../helpers/kill-points.js';
import { SCENE } from '../../helpers/scene.js';
import { contextOf, parsedBy } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';

const makeFolder = tempFolders();
const never = new AbortController().signal;

const pay = (more: object = {}): Tool =>
  defineTool({ name: 'pay', description: 'pays', needsApproval: true, ...more }, () => 'paid');

/** The tools of a chat, each under rules, and the one that asks for a grant. */
function chat(
  cwd: string,
  { own = [pay()], rules = [] }: { own?: readonly Tool[]; rules?: readonly ToolRule[] } = {},
) {
  const clock = fakeClock();
  const builtin = builtinTools({
    ...{ cwd, env: { PATH: process.env['PATH'] }, home: '/nowhere', clock },
    sandbox: { mode: 'off' },
  });
  const grant = requestGrant({
    tools: () => ({ get: (name): Tool | undefined => set.get(name) }),
    rules: () => rules,
    clock,
  });
  const set: ToolSet = toolSet([...builtin, ...own, grant].map((tool) => underRules(tool, () => rules)));
  const tool = set.get(GRANT_TOOL);
  if (tool === undefined) throw new Error('no tool');
  return { set, tool };
}

/** As the model is told it, a reason for each call. */
async function refusedBy(tool: Tool, input: JsonValue): ReturnType<typeof parsedBy> {
  const parsed = await parsedBy(tool, input);
  return parsed.ok ? parsed : { ok: false, issues: parsed.issues.join('; ').split(/; (?=calls\[)/u) };
}

/** What is refused of an input, or the plan that a person is asked about. */
async function asked(tool: Tool, calls: JsonValue, until?: string): Promise<GrantPlan | readonly string[]> {
  const parsed = await refusedBy(tool, { reason: 'tests', calls, ...(until !== undefined && { until }) });
  if (!parsed.ok) return parsed.issues;
  const request = await tool.approval?.(parsed.value, never, SCENE);
  const plan = request && grantIn(requestJson(request));
  if (plan === undefined) throw new Error('nobody is asked');
  return plan;
}

const TO_LOOK_AT = 'the user must review it each time; make the call, and they will be asked';

const NPM_TEST = {
  tool: 'run_command',
  input: { argv: ['npm', 'test'], writes: true },
  size: 'words',
  times: 5,
};

describe('request_grant', () => {
  test('asks about rules in our words, with the rows as data', async () => {
    const { path: cwd } = await makeFolder();
    const { tool, set } = chat(cwd);
    const calls = [
      NPM_TEST,
      { tool: 'write_file', input: { path: 'src/a.txt', content: '' }, size: 'folder', times: 10 },
      { tool: 'pay', input: { to: 'ann' }, times: 1 },
    ];
    const parsed = await refusedBy(tool, { reason: 'tests', calls });
    expect(parsed).toEqual({
      ok: true,
      value: { reason: 'tests', calls: [calls[0], calls[1], { ...calls[2], size: 'call' }], until: 'turn' },
    });
    const value = parsed.ok ? parsed.value : null;
    const request = await tool.approval?.(value, never, SCENE);
    expect(request).toEqual({
      reason: 'tests',
      facts: {
        1: `commands that start with npm test in ${cwd}, at most 5 times`,
        2: `write_file in ${cwd}/src and below it, at most 10 times`,
        3: 'pay, exactly {"to":"ann"}, once',
        until: 'the end of this turn',
      },
      warnings: [SANDBOX_OFF],
      grants: expect.any(Object) as object,
      allowed: ['approve', 'edit', 'reject', 'cancel'],
    });
    expect(await tool.title?.(value)).toBe('Allow up to 16 calls without asking');
    const plan = grantIn(requestJson(request ?? {}));
    expect(plan?.rows.map((row) => [row.tool, row.toolDigest, row.scope?.type, row.times])).toEqual([
      ['run_command', toolDigest(set.get('run_command')!), 'words', 5],
      ['write_file', toolDigest(set.get('write_file')!), 'folder', 10],
      ['pay', toolDigest(set.get('pay')!), 'call', 1],
    ]);
    const shown = requestJson(request ?? {});
    expect(await tool.execute(value, contextOf({ approved: { shown, edited: false } }))).toBe(
      `Granted until the end of this turn: commands that start with npm test in ${cwd}, at most 5 times; write_file in ${cwd}/src and below it, at most 10 times; pay, exactly {"to":"ann"}, once. Other calls need approval as before.`,
    );
    await expect(tool.execute(value, contextOf())).rejects.toThrow('nothing was granted; ask for it again');
  });

  const rule = (effect: ToolRule['effect'], text: string): ToolRule => readRule(effect, text, 'f');
  const TIMED = pay({ approvalLasts: '15m' });
  const FOR_TWO = pay({ approvers: { need: 2 } });
  const EDITED = pay({ allowed: ['edit', 'reject'] });
  const WARNED = pay({ approval: () => ({ warnings: ['pays twice'] }) });
  const BROKEN = pay({
    approval: () => {
      throw new Error('no idea');
    },
  });
  const FREE = pay({ needsApproval: false });
  const PAY = { tool: 'pay', input: { to: 'ann' }, times: 2 };

  test.for<readonly [string, JsonObject, string, { own?: readonly Tool[]; rules?: readonly ToolRule[] }?]>([
    ['an unknown tool', { ...PAY, tool: 'nope' }, 'there is no such tool'],
    ['a property of every object', { ...PAY, tool: 'constructor' }, 'there is no such tool'],
    ['itself', { ...PAY, tool: GRANT_TOOL }, 'a grant cannot cover other grants'],
    [
      'an input that does not fit',
      { tool: 'write_file', input: { path: 1 }, times: 1 },
      'its input is invalid: ',
    ],
    [
      'a call that runs unasked',
      { tool: 'list_files', input: { path: '.' }, times: 1 },
      'it needs no approval; make the call',
    ],
    ['a tool that does not ask', PAY, 'it needs no approval; make the call', { own: [FREE] }],
    [
      'what a rule allows',
      PAY,
      'it needs no approval: the rule `allow pay` allows it',
      { rules: [rule('allow', 'pay')] },
    ],
    [
      'what a rule denies',
      PAY,
      'the rule `deny pay` denies every call of `pay`',
      { rules: [rule('deny', 'pay')] },
    ],
    [
      'what a rule denies beside one that allows',
      PAY,
      'the rule `deny pay` denies',
      { rules: [rule('allow', 'pay'), rule('deny', 'pay')] },
    ],
    ['what a rule asks about', PAY, 'the rule `ask pay` asks about', { rules: [rule('ask', 'pay')] }],
    [
      'what a rule asks certain people about',
      PAY,
      'it needs specific approvers each time',
      { rules: [rule('ask', 'pay needs 2 of @ops')] },
    ],
    [
      'what a rule asks about again after a time',
      PAY,
      'its approval has a time limit',
      { rules: [rule('ask', 'pay lasts 15m')] },
    ],
    [
      'what a rule may deny',
      NPM_TEST,
      'the rule `deny run_command git push` denies',
      { rules: [rule('deny', 'run_command git push')] },
    ],
    [
      'a rule that cannot be read',
      PAY,
      'the rule `deny pay x` cannot be read',
      { rules: [rule('deny', 'pay x')] },
    ],
    ['an approval with a time', PAY, 'its approval has a time limit', { own: [TIMED] }],
    ['an approval by two people', PAY, 'it needs specific approvers each time', { own: [FOR_TWO] }],
    ['a call that has to be edited', PAY, 'it cannot be approved as is', { own: [EDITED] }],
    ['a warning', PAY, TO_LOOK_AT, { own: [WARNED] }],
    ['a gate that fails', PAY, TO_LOOK_AT, { own: [BROKEN] }],
    [
      'a size that does not apply',
      { ...PAY, size: 'words' },
      'size `words` does not apply to it; use call, tool',
    ],
    ['a shell text by its words', { ...NPM_TEST, input: { command: 'npm test; rm x' } }, TO_LOOK_AT],
    [
      'a command with the network by its words',
      { ...NPM_TEST, input: { argv: ['npm', 'test'], network: true } },
      'size `words` does not apply to it; use call, tool',
    ],
    [
      'a program that runs others by its words',
      { ...NPM_TEST, input: { argv: ['sh', '-c', 'x'], writes: true } },
      'size `words` does not apply to it; use call, tool',
    ],
    [
      'a file of keys',
      { tool: 'write_file', input: { path: '.env', content: '' }, size: 'folder', times: 1 },
      TO_LOOK_AT,
    ],
    [
      'a hook',
      { tool: 'write_file', input: { path: '.git/hooks/pre-commit', content: '' }, times: 1 },
      TO_LOOK_AT,
    ],
    [
      'a local service as a whole tool',
      { tool: 'fetch_url', input: { url: 'http://127.0.0.1:1/' }, size: 'tool', times: 1 },
      '',
    ],
    ['too long a call', { ...PAY, input: { to: 'x'.repeat(1_000) } }, 'it is too long to list with others'],
  ])('refuses %s', async ([, call, why, world]) => {
    const { path: cwd } = await makeFolder();
    const { tool } = chat(cwd, world);
    const found = await asked(tool, [call]);
    expect(found).toEqual([expect.stringContaining(why) as string]);
    expect(found).toEqual([expect.stringMatching(/^calls\[0\] \(/u) as string]);
  });

  test.for<readonly [string, JsonValue]>([
    ['no rows', []],
    ['nine rows', Array.from({ length: 9 }, (_, at) => ({ ...PAY, input: { at } }))],
    ['no times', [{ ...PAY, times: 0 }]],
    ['51 times', [{ ...PAY, times: 51 }]],
    ['part of a time', [{ ...PAY, times: 1.5 }]],
    ['an unknown size', [{ ...PAY, size: 'all' }]],
    ['a text for an input', [{ ...PAY, input: 'x' }]],
  ])('is not asked about with %s', async ([, calls]) => {
    const { path: cwd } = await makeFolder();
    expect(Array.isArray(await asked(chat(cwd).tool, calls))).toBe(true);
  });

  test('refuses a row that another one is, and all of them for one', async () => {
    const { path: cwd } = await makeFolder();
    const { tool } = chat(cwd);
    const twice = await asked(tool, [
      NPM_TEST,
      { ...NPM_TEST, input: { argv: ['npm', 'test', '-w'], writes: true } },
      { ...PAY, tool: 'x' },
    ]);
    expect(twice).toEqual([
      'calls[1] (run_command): it duplicates calls[0]; use `times`',
      'calls[2] (x): there is no such tool',
    ]);
    const value = {
      reason: 'r',
      calls: [
        { ...PAY, size: 'call' },
        { ...PAY, tool: 'x', size: 'call' },
      ],
      until: 'turn',
    };
    // Where the gate finds out, nobody is asked, and the body tells the model.
    expect(await tool.approval?.(value, never, SCENE)).toBeUndefined();
    await expect(tool.execute(value, contextOf())).rejects.toThrow('calls[1] (x): there is no such tool');
  });

  test('says of commands where they run, and of nothing else what they may do', async () => {
    const folder = await makeFolder();
    const { path: cwd } = folder;
    await folder.write({ 'vendor/a.txt': '' });
    const { tool } = chat(cwd);
    const request = async (calls: JsonValue) => {
      const parsed = await refusedBy(tool, { reason: 'tests', calls });
      return parsed.ok ? tool.approval?.(parsed.value, never, SCENE) : parsed.issues;
    };
    const elsewhere = { ...NPM_TEST, input: { argv: ['npm', 'test'], cwd: 'vendor', writes: true } };
    expect(await request([NPM_TEST, elsewhere])).toMatchObject({
      facts: {
        1: `commands that start with npm test in ${cwd}, at most 5 times`,
        2: `commands that start with npm test in ${cwd}/vendor, at most 5 times`,
      },
      warnings: [SANDBOX_OFF],
    });
    expect(Object.keys((await request([PAY])) ?? {})).toEqual(['reason', 'facts', 'grants', 'allowed']);
  });

  test('says nothing of a file of keys: not whether it contains a text, or is there', async () => {
    const folder = await makeFolder();
    await folder.write({ '.env': 'KEY=sk-1' });
    const rules = [rule('ask', 'edit_file .env needs 2')];
    for (const world of [{}, { rules }]) {
      const { tool } = chat(folder.path, world);
      const row = (input: JsonObject) => ({ tool: 'edit_file', input: { newText: '', ...input }, times: 1 });
      const found = await asked(tool, [
        row({ path: '.env', oldText: 'KEY=s' }),
        row({ path: '.env', oldText: 'KEY=t' }),
        row({ path: '.env.local', oldText: 'KEY=t' }),
        { tool: 'read_file', input: { path: '.env' }, times: 1 },
        { tool: 'read_file', input: { path: '.env.local' }, times: 1 },
      ]);
      expect(found).toEqual(
        ['edit_file', 'edit_file', 'edit_file', 'read_file', 'read_file'].map(
          (name, at) => `calls[${at}] (${name}): ${TO_LOOK_AT}`,
        ),
      );
    }
  });

  test('takes a missing sandbox for no warning of the call', () => {
    expect([SANDBOX_OFF, noSandbox('x')].map(isAboutSandbox)).toEqual([true, true]);
  });

  test('may be for more of what a grant covers', async () => {
    const { path: cwd } = await makeFolder();
    const { tool, set } = chat(cwd);
    const before = await asked(tool, [PAY]);
    const [row] = 'rows' in before ? before.rows : [];
    const left = { id: 'i1.1', of: 2, left: 1 };
    const { asToolRule } = await import('../../../src/core/index.js');
    const ruled = asToolRule({
      effect: 'allow',
      tool: 'pay',
      toolDigest: toolDigest(set.get('pay')!),
      ...(row?.scope && { scope: row.scope }),
      grant: left,
    });
    expect(await asked(chat(cwd, { rules: [ruled] }).tool, [PAY])).toMatchObject({ rows: [{ tool: 'pay' }] });
  });
});

/** The calls of the works by which questions are counted. */
function corpus(): readonly { readonly tool: string; readonly input: JsonObject; readonly work: string }[] {
  const folder = path.join(import.meta.dirname, '../../attention/works');
  return readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"tool"'))
      .map((line) => ({ ...(JSON.parse(line) as { tool: string; input: JsonObject }), work: file })),
  );
}

test(
  'grants no call of the works in a size that its question would not offer',
  { timeout: 120_000 },
  async () => {
    const folder = await makeFolder();
    await folder.write({ 'src/sum.js': 'x', 'package.json': '{}', 'README.md': 'r' });
    const { tool, set } = chat(folder.path);
    const counts = { granted: 0, refused: 0 };
    // Each is planned again and again.
    for (const { tool: name, input } of killPoints(corpus(), 4)) {
      const of = set.get(name);
      const parsed = of && (await parsedBy(of, input));
      if (of === undefined || parsed?.ok !== true) continue;
      const request = await of.approval?.(parsed.value, never, SCENE);
      const call = { name, input: parsed.value, payload: requestJson(request ?? {}), tool: of };
      const isWarned = (request?.warnings ?? []).some((one) => !isAboutSandbox(one));
      const isPlain = request !== undefined && !isWarned;
      const offered = isPlain ? alwaysOffers(SESSION_SIZES, call, undefined).map(({ size }) => size) : [];
      const calls = SESSION_SIZES.map((size) => ({ tool: name, input, size, times: 1 }));
      const found = await refusedBy(tool, { reason: 'r', calls });
      const refused = new Set((found.ok ? [] : found.issues).map((issue) => Number(issue[6])));
      const granted = SESSION_SIZES.filter((_, at) => !refused.has(at));
      counts.granted += granted.length;
      counts.refused += refused.size;
      expect([name, input, granted.filter((size) => !offered.includes(size))]).toEqual([name, input, []]);
    }
    expect(counts.granted).toBeGreaterThan(30);
    expect(counts.refused).toBeGreaterThan(100);
  },
);
