import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type {
  Actor,
  AgentFingerprint,
  GrantPlan,
  GrantRow,
  Interrupt,
  InterruptDraft,
  JsonObject,
  JsonValue,
  Resolution,
  RunState,
  SessionEvent,
  SessionSize,
  ToolDescriptor,
} from '../../src/core/index.js';
import {
  answerProblem,
  asToolRule,
  coversCall,
  evolve,
  fold,
  GRANT_TOOL,
  grantAnswer,
  grantIn,
  grantRequest,
  judgeCall,
  makeInterrupt,
  nearlyAllowed,
  passedCalls,
  placedScope,
  requestJson,
  SANDBOX_OFF,
  schemaDigest,
  sessionRuleText,
  sessionScope,
  shapeProblem,
  shownPayload,
  toolDigest,
  waysAt,
  whyNotReviewed,
} from '../../src/core/index.js';
import { withoutApprovals } from '../../src/core/answer/without-approvals.js';
import { sessionEventSchema } from '../../src/core/told/schemas.js';
import { ANN, AT, ended, interruptOf, modelSaid, raised, requestPart } from '../helpers/events.js';
import { toolSettled, toolStarted, userSaid } from '../helpers/events.js';

const tool = (name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  ...{ name, description: '', inputSchema: { type: 'object' }, effect: 'once', restartable: true },
  origin: 'built in',
  ...more,
});
const RUN = tool('run_command');
const WRITE = tool('write_file');
const GRANT = tool(GRANT_TOOL, { effect: 'idempotent' });
const AGENT: AgentFingerprint = { model: 'demo', tools: [RUN, WRITE, GRANT] };
const SCRIPT: Actor = { type: 'script', name: 'ann', via: 'answers', place: 'a.json' };
const YES: Resolution = { action: 'restart' };

const command = (...argv: readonly string[]): JsonObject => ({ argv: [...argv] });
const HERE: JsonObject = { facts: { 'working directory': '/w' } };

function rowOf(
  of: ToolDescriptor,
  size: SessionSize,
  [input, payload]: readonly [JsonObject, JsonObject],
  times: number,
): GrantRow {
  const scope = size === 'tool' ? undefined : sessionScope(size, { name: of.name, input, payload });
  if (size !== 'tool' && scope === undefined) throw new Error(`no ${size}`);
  return { tool: of.name, toolDigest: toolDigest(of), times, ...(scope && { scope }) };
}

const TESTS = rowOf(RUN, 'words', [command('npm', 'test'), HERE], 2);
const PLAN: GrantPlan = { until: 'session', rows: [TESTS] };

/** A question of a grant as its gate asks it. */
function question(plan: GrantPlan, draft: Partial<InterruptDraft> = {}, id = 'i1'): Interrupt {
  const payload = requestJson(grantRequest(plan));
  const bound = { run: 's', tool: schemaDigest(GRANT) };
  return interruptOf(GRANT_TOOL, 'g1', { id, payload, raisedBy: 'approval', draft: { bound, ...draft } });
}

function resolved({ id, digest }: Interrupt, by: Actor, resolution = YES): SessionEvent {
  return { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt: AT };
}

/** A session in which a grant is asked for, beside calls that wait for one. */
function asking(
  interrupt: Interrupt,
  { agent = AGENT, calls = 0 }: { readonly agent?: AgentFingerprint; readonly calls?: number } = {},
): RunState {
  const refs = Array.from({ length: calls }, (_, at) => requestPart('run_command', `c${at + 1}`));
  return fold([
    { type: 'session-created', agent, cwd: '/w' },
    userSaid('go'),
    modelSaid([requestPart(GRANT_TOOL, 'g1'), ...refs]),
    raised(interrupt),
  ]);
}

/** The events by which a grant comes into force. */
function granted(interrupt: Interrupt, by: Actor = ANN): readonly SessionEvent[] {
  return [resolved(interrupt, by), toolStarted(GRANT_TOOL, 'g1', { effect: 'idempotent' })];
}

interface Later {
  readonly id?: string;
  readonly name?: string;
  readonly input?: JsonObject;
  readonly payload?: JsonObject;
  readonly draft?: Partial<InterruptDraft>;
  readonly raisedBy?: 'tool' | 'approval' | 'engine';
}

function later({
  id = 'i2',
  name = 'run_command',
  input = command('npm', 'test', '--', 'a'),
  payload = HERE,
  draft,
  raisedBy = 'approval',
}: Later = {}): Interrupt {
  const bound = { run: 's', tool: schemaDigest(AGENT.tools.find((one) => one.name === name) ?? RUN) };
  return interruptOf(name, 'c1', { id, input, payload, raisedBy, draft: { bound, ...draft } });
}

const use = (n: number, of = 2, id = 'i1.1'): Actor => ({
  type: 'rule',
  rule: 'granted run_command npm test …',
  from: `grant ${id}`,
  grant: { id, use: n, of },
});

/** What every door says of an answer, and what the fold says to a door that does not look. */
function said(
  state: RunState,
  interrupt: Interrupt,
  by: Actor,
  resolution: Resolution = YES,
): readonly (string | undefined)[] {
  let folded: string | undefined;
  try {
    evolve(state, resolved(interrupt, by, resolution));
  } catch (thrown) {
    folded = (thrown as Error).message.replace(/^event `[a-z-]+` is invalid: /, '');
  }
  const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by };
  return [answerProblem(state, answer)?.message.replace(/^`[^`]+` \(i\d\): /, ''), folded];
}

const refused = (why: string): readonly string[] => [why, why];

/** A session with a grant, and one call that waits. */
function withCall(interrupt: Interrupt, plan = PLAN): RunState {
  const asked = question(plan);
  return fold([...granted(asked), raised(interrupt)], asking(asked, { calls: 1 }));
}

describe('N1: a grant', () => {
  const rows = [
    TESTS,
    rowOf(RUN, 'call', [command('make', '-j', '2'), HERE], 1),
    rowOf(WRITE, 'folder', [{ path: 'a' }, { facts: { path: '/w/src/a' } }], 10),
    rowOf(tool('fetch_url'), 'host', [{}, { facts: { host: 'example.org' } }], 3),
    rowOf(tool('pay'), 'tool', [{}, {}], 4),
  ];

  test('is told in words, a row each, and whole', () => {
    expect(grantRequest({ until: 'turn', rows }).facts).toEqual({
      1: 'commands that start with npm test, at most 2 times',
      2: 'run_command, exactly {"argv":["make","-j","2"]}, once',
      3: 'write_file in /w/src and below it, at most 10 times',
      4: 'fetch_url at example.org, at most 3 times',
      5: 'every call of pay, with any input, at most 4 times',
      until: 'the end of this turn',
    });
  });

  test('is read back from what was shown', () => {
    for (const until of ['turn', 'session'] as const) {
      const plan = { until, rows };
      expect(grantIn(requestJson(grantRequest(plan)))).toEqual(plan);
    }
  });

  test('says what its commands may do: in a word, or in a warning that there is no sandbox', () => {
    const { facts: rowsOnly } = grantRequest(PLAN);
    const held = { sandboxes: ['can write in this folder, no network'], warnings: [] };
    expect(grantRequest(PLAN, held)).toEqual({
      facts: { ...rowsOnly, commands: 'can write in this folder, no network' },
      grants: expect.any(Object) as object,
    });
    const open = { sandboxes: ['off'], warnings: [SANDBOX_OFF] };
    expect(grantRequest(PLAN, open)).toEqual({
      facts: rowsOnly,
      warnings: [SANDBOX_OFF],
      grants: expect.any(Object) as object,
    });
    for (const room of [held, open]) expect(grantIn(requestJson(grantRequest(PLAN, room)))).toEqual(PLAN);
  });

  test('says of commands where they run, in its rule too', () => {
    const { scope, ...rest } = TESTS;
    const placed = { ...rest, ...(scope && { scope: placedScope(scope, HERE) }) };
    const plan: GrantPlan = { until: 'session', rows: [placed] };
    const asked = question(plan);
    expect(grantIn(asked.payload)).toEqual(plan);
    expect(asked.payload).toMatchObject({
      facts: { 1: 'commands that start with npm test in /w, at most 2 times' },
    });
    const [rule] = fold(granted(asked), asking(asked)).rules;
    expect(rule && sessionRuleText(rule)).toBe('granted run_command npm test … in /w (2 of 2 left)');
    const run = { name: 'run_command', input: command('npm', 'test', 'x') };
    const covers = (folder: string) =>
      rule && coversCall(rule, { ...run, payload: { facts: { 'working directory': folder } } });
    expect([covers('/w'), covers('/w/vendor')]).toEqual([true, false]);
  });

  const { facts, grants } = requestJson(grantRequest(PLAN)) as Record<string, JsonObject>;
  const [row = {}] = (grants?.['rows'] ?? []) as JsonObject[];
  test.for<readonly [string, JsonObject]>([
    ['no words', { grants: grants ?? {} }],
    ['other words', { grants: grants ?? {}, facts: { ...facts, 1: 'npm test, once' } }],
    ['another end in words', { grants: grants ?? {}, facts: { ...facts, until: 'the end of this turn' } }],
    ['a row in words that is none', { grants: grants ?? {}, facts: { ...facts, 2: 'every call of pay' } }],
    ['no rows', { grants: { until: 'session', rows: [] }, facts: facts ?? {} }],
    ['no end', { grants: { rows: [row] }, facts: facts ?? {} }],
    ['an end of its own', { grants: { until: 'never', rows: [row] }, facts: facts ?? {} }],
    ['too many rows', tooMany(9, 1)],
    ['too many times', tooMany(1, 51)],
    ['no times', tooMany(1, 0)],
    ['part of a time', tooMany(1, 1.5)],
    ['more members than are read', { grants: { ...grants, more: 1 }, facts: facts ?? {} }],
    [
      'more members of a row',
      { grants: { ...grants, rows: [{ ...row, effect: 'deny' }] }, facts: facts ?? {} },
    ],
    [
      'an unknown scope',
      { grants: { ...grants, rows: [{ ...row, scope: { type: 'x' } }] }, facts: facts ?? {} },
    ],
    [
      'a scope from a prototype',
      { grants: { ...grants, rows: [{ ...row, scope: { type: 'toString' } }] }, facts: facts ?? {} },
    ],
  ])('is none with %s', ([, request]) => {
    expect(grantIn(request)).toBeUndefined();
  });

  function tooMany(count: number, times: number): JsonObject {
    const all = Array.from({ length: count }, () => ({ ...TESTS, times }));
    return requestJson(grantRequest({ until: 'session', rows: all }));
  }

  test('stands on a screen in words alone', () => {
    const { payload, ...rest } = question(PLAN);
    expect(shownPayload({ ...rest, payload })).toEqual({ facts });
    expect(shownPayload({ ...rest, payload: { grants: grants ?? {} } })).toEqual({ grants });
  });
});

describe('N2: a grant is made', () => {
  test.for<readonly [string, Actor]>([
    ['a person', ANN],
    ['a script in their place', SCRIPT],
  ])('by %s', ([, by]) => {
    const asked = question(PLAN);
    expect(said(asking(asked), asked, by)).toEqual([undefined, undefined]);
    expect(fold(granted(asked, by), asking(asked)).rules).toHaveLength(1);
  });

  test.for<readonly [string, Actor, string]>([
    ['a rule', { type: 'rule', rule: `allow ${GRANT_TOOL}` }, `rule \`allow ${GRANT_TOOL}\``],
    ['a mode', { type: 'rule', rule: 'mode auto' }, 'rule `mode auto`'],
    ['a rule for all', { type: 'rule', rule: '--yes *' }, 'rule `--yes *`'],
    ['a reviewer', { type: 'reviewer', via: 'model', name: 'm' }, 'reviewer m'],
  ])('never by %s', ([, by, name]) => {
    const asked = question(PLAN);
    const why = `${name} is not a person, and only a person can give a grant`;
    expect(said(asking(asked), asked, by)).toEqual(refused(why));
  });

  test('never by time, by a rule in a copied history, or by an edit that a rule makes', () => {
    const asked = question(PLAN);
    const state = asking(asked);
    expect(said(state, asked, { type: 'clock' })[1]).toMatch(/`i1` has not timed out/);
    const by: Actor = { type: 'rule', rule: 'mode auto' };
    expect(said({ ...state, isCopied: true }, asked, by)[1]).toMatch(/not a person/);
    const plain = interruptOf(GRANT_TOOL, 'g1', { payload: {}, raisedBy: 'approval' });
    const edit: Resolution = {
      action: 'restart',
      input: {},
      shown: { input: {}, request: requestJson(grantRequest(PLAN)) },
    };
    expect(said(asking(plain), plain, by, edit)).toEqual(
      refused('rule `mode auto` is not a person, and only a person can give a grant'),
    );
  });

  test('may be denied by a rule', () => {
    const asked = question(PLAN);
    const by: Actor = { type: 'rule', rule: `deny ${GRANT_TOOL}` };
    expect(said(asking(asked), asked, by, { action: 'reject' })).toEqual([undefined, undefined]);
  });

  test('never in a workflow', () => {
    const { id, digest: _digest, raisedAt, ...draft } = question(PLAN);
    const asked = makeInterrupt(draft, { id, path: 'a@1' as never, raisedAt });
    const [why] = said({ ...asking(question(PLAN)), open: undefined, asks: asked }, asked, ANN);
    expect(why).toBe(
      'confirmation `i1`: grants apply only to chats, and this call is part of a workflow'.replace(
        /^.*?: /,
        '',
      ),
    );
  });

  test('without `w`, and without a reviewer', () => {
    const asked = question(PLAN);
    expect(waysAt(asked).some(({ always }) => always === true)).toBe(false);
    expect(waysAt(later()).some(({ always }) => always === true)).toBe(true);
    expect(whyNotReviewed(asked, { agent: AGENT, cwd: '/w' })).toBe('its tool is not `reviewable`');
  });
});

describe('N3: its rules', () => {
  test('come into being when its call starts, and not before', () => {
    const asked = question({ until: 'turn', rows: [TESTS] });
    const [answer, start] = granted(asked);
    const state = fold([answer!], asking(asked));
    expect(state.rules).toEqual([]);
    expect(evolve(state, start!).rules).toEqual([
      {
        effect: 'allow',
        tool: 'run_command',
        toolDigest: toolDigest(RUN),
        scope: TESTS.scope,
        grant: { id: 'i1.1', of: 2, left: 2, until: 'turn' },
        madeAt: 1,
      },
    ]);
  });

  test('come once, whatever is started again', () => {
    const asked = question(PLAN);
    const again = toolStarted(GRANT_TOOL, 'g1', { attempt: 2, effect: 'idempotent' });
    const state = fold([...granted(asked), again], asking(asked));
    expect(state.rules.map(({ grant }) => grant)).toEqual([{ id: 'i1.1', of: 2, left: 2 }]);
  });

  test('end with the approval, where that has an end', () => {
    const asked = question(PLAN, { approvalLastsMs: 60_000 });
    const until = '2026-01-01T00:01:00.000Z';
    const answer = { ...resolved(asked, ANN), validUntil: until } as SessionEvent;
    const state = fold([answer, granted(asked)[1]!], asking(asked));
    expect(state.rules.map((rule) => rule.until)).toEqual([until]);
    const call = later();
    const waiting = fold([raised(call)], asking(asked, { calls: 1 }));
    const known = { ...waiting, rules: state.rules };
    expect(evolve(known, resolved(call, use(1))).rules[0]?.grant?.left).toBe(1);
    const judged = (late: number) => {
      const now = { name: 'run_command', input: command('npm', 'test'), payload: HERE, tool: RUN };
      return judgeCall(state.rules.map(asToolRule), { ...now, at: Date.parse(until) + late })?.effect;
    };
    expect([judged(0), judged(1)]).toEqual(['allow', undefined]);
  });

  test('come of an edit as it was shown, and of nothing else', () => {
    const asked = question(PLAN);
    const narrower = { until: 'turn', rows: [{ ...TESTS, times: 1 }] } as const;
    const shown = { input: {}, request: requestJson(grantRequest(narrower)) };
    const edit: Resolution = { action: 'restart', input: {}, shown };
    const start = granted(asked)[1]!;
    const state = fold([resolved(asked, ANN, edit), start], asking(asked));
    expect(state.rules.map(({ grant }) => grant)).toEqual([{ id: 'i1.1', of: 1, left: 1, until: 'turn' }]);
    const unseen: Resolution = { action: 'restart', input: {} };
    expect(fold([resolved(asked, ANN, unseen), start], asking(asked)).rules).toEqual([]);
  });

  test.for<readonly [string, Partial<ToolDescriptor>]>([
    ['a module', { origin: 'module ./x.js' }],
    ['a library', { origin: 'library' }],
    ['a server', { mcp: { server: 's', tool: 't', reached: 'r' } }],
  ])('never come of a tool of %s with that name', ([, more]) => {
    const asked = question(PLAN);
    const agent = { ...AGENT, tools: [RUN, { ...GRANT, ...more }] };
    expect(fold(granted(asked), asking(asked, { agent })).rules).toEqual([]);
  });

  test('never come of another tool, of no approval, or of a rule that is added', () => {
    const payload = requestJson(grantRequest(PLAN));
    const other = interruptOf('run_command', 'c1', { payload, raisedBy: 'approval' });
    const state = fold([
      { type: 'session-created', agent: AGENT },
      userSaid('go'),
      modelSaid([requestPart('run_command', 'c1'), requestPart(GRANT_TOOL, 'g1')]),
      raised(other),
      resolved(other, ANN),
      toolStarted('run_command', 'c1'),
      toolStarted(GRANT_TOOL, 'g1', { effect: 'idempotent' }),
    ]);
    expect(state.rules).toEqual([]);
    const rule = {
      effect: 'allow',
      tool: 'x',
      toolDigest: '',
      grant: { id: 'i1.1', of: 9, left: 9 },
    } as const;
    expect(() => evolve(state, { type: 'rule-added', rule, by: ANN })).toThrow('cannot be added on its own');
  });

  test('are told with what is left of them', () => {
    const [rule] = fold(
      granted(question({ until: 'turn', rows: [TESTS] })),
      asking(question({ until: 'turn', rows: [TESTS] })),
    ).rules;
    expect(rule && sessionRuleText(rule)).toBe('granted run_command npm test … (2 of 2 left, in this turn)');
  });
});

describe('N4: a use', () => {
  test('is counted, and nothing is left after the last', () => {
    const [one, two, three] = ['i2', 'i3', 'i4'].map((id, at) =>
      interruptOf('run_command', `c${at + 1}`, {
        ...{ id, input: command('npm', 'test'), payload: HERE, raisedBy: 'approval' as const },
        draft: { bound: { run: 's', tool: schemaDigest(RUN) } },
      }),
    ) as [Interrupt, Interrupt, Interrupt];
    const asked = question(PLAN);
    // Calls of one reply wait at the same time.
    let state = fold(
      [...granted(asked), raised(one), raised(two), raised(three)],
      asking(asked, { calls: 3 }),
    );
    const left: unknown[] = [];
    for (const call of [one, two, three]) {
      const by = grantAnswer(state, call, 'i1.1');
      left.push(by);
      if (by !== undefined) state = evolve(state, resolved(call, by));
    }
    expect(left).toEqual([use(1), use(2), undefined]);
    expect(state.rules).toEqual([]);
    expect(said(state, three, use(3))).toEqual(refused('grant not found or already used up'));
  });

  test.for<readonly [string, Actor, Resolution?]>([
    ['of another grant', use(1, 2, 'i9.1')],
    ['that is not the next', use(2)],
    ['of more than were given', use(1, 50)],
    ['in other words', { ...use(1), rule: 'granted pay' } as Actor],
    ['from elsewhere', { ...use(1), from: 'somewhere' } as Actor],
    ['with more words', { ...use(1), says: 'hello' } as Actor],
    ['that rejects', use(1), { action: 'reject' }],
    ['with another input', use(1), { action: 'restart', input: {} }],
    ['with words for the model', use(1), { action: 'restart', note: 'x' }],
    ['with a value', use(1), { action: 'restart', metadata: 1 }],
    ['that gives a result', use(1), { action: 'respond', output: 1 }],
  ])('%s does not count', ([, by, resolution]) => {
    const call = later();
    const [, folded] = said(withCall(call), call, by, resolution);
    expect(folded).toMatch(/grant not found|not match the grant's next use|can only approve a call as shown/);
    expect(said(withCall(call), call, use(1))).toEqual([undefined, undefined]);
  });

  test.for<readonly [string, Later, string]>([
    ['another command', { input: command('npm', 'run', 'x') }, 'the grant does not cover it'],
    ['another folder', { payload: { facts: { 'working directory': '/x' } } }, 'the grant does not cover it'],
    ['the network', { input: { argv: ['npm', 'test'], network: true } }, 'the grant does not cover it'],
    ['shell text', { input: { command: 'npm test; rm x' } }, 'the grant does not cover it'],
    ['a warning', { payload: { ...HERE, warnings: ['deletes'] } }, 'a person must review it'],
    ['another tool', { name: 'write_file' }, "its tool differs from the grant's"],
    ['a changed tool', { draft: { bound: { run: 's', tool: 'x' } } }, "its tool differs from the grant's"],
    [
      'other code',
      { draft: { bound: { run: 's', tool: schemaDigest(RUN), code: 'c' } } },
      "its tool differs from the grant's",
    ],
    ['named people', { draft: { approvers: { from: ['bob'] } } }, 'specific people must approve it'],
    [
      'a proposal',
      { draft: { proposed: { by: { issuer: '', subject: 'b', name: 'b' } } } },
      'specific people must approve it',
    ],
    [
      'a question of its body',
      { raisedBy: 'tool' },
      'a grant only applies to chat calls waiting for approval',
    ],
    [
      'a failure',
      { draft: { kind: 'error' }, raisedBy: 'engine' },
      'a grant only applies to chat calls waiting for approval',
    ],
  ])('is not for %s', ([, asked, why]) => {
    const call = later(asked);
    const state = withCall(later());
    const waiting = { ...state, open: undefined, asks: call };
    expect(grantAnswer(waiting, call, 'i1.1')).toBeUndefined();
    expect(said(waiting, call, use(1))[0]?.replace(/^.*?\): /, '')).toBe(why);
  });

  test('is not for a call with a warning, whatever its size', () => {
    const plan: GrantPlan = { until: 'session', rows: [rowOf(RUN, 'tool', [{}, {}], 2)] };
    const warned = later({ payload: { ...HERE, warnings: ['deletes'] } });
    expect(grantAnswer(withCall(later(), plan), warned, 'i1.1')).toBeUndefined();
    expect(grantAnswer(withCall(later(), plan), later(), 'i1.1')).toBeDefined();
  });

  test('comes from no door', () => {
    const { id, digest } = later();
    const answer = { id, digest, resolution: YES, by: use(1) };
    expect(shapeProblem(answer)).toMatch(/`by.grant` is reserved for the program that runs the session/);
    expect(shapeProblem(answer, true)).toBeUndefined();
    expect(shapeProblem({ ...answer, by: { ...use(1), grant: { id: 1 } } }, true)).toMatch(/by\.grant/);
  });

  test('is durable as the schema says', () => {
    const event = resolved(later(), use(1));
    expect(sessionEventSchema.parse(event)).toEqual(event);
  });

  test('is told in the list of what went by', () => {
    const call = later();
    const asked = question(PLAN);
    const events: readonly SessionEvent[] = [
      { type: 'session-created', agent: AGENT, cwd: '/w' },
      userSaid('go'),
      modelSaid([requestPart(GRANT_TOOL, 'g1'), requestPart('run_command', 'c1')]),
      raised(asked),
      ...granted(asked),
      raised(call),
      resolved(call, use(1)),
      toolStarted('run_command', 'c1', { input: call.source.type === 'tool' ? call.source.input : {} }),
    ];
    const stored = events.map((event, at) => ({ v: 2, seq: at + 1, at: AT, scope: '', event }) as const);
    expect(passedCalls(stored as never).map(({ tool: name, passed }) => [name, passed])).toEqual([
      ['run_command', { type: 'decided', by: use(1), seq: 8 }],
    ]);
  });

  test('prefers a rule that nobody counts', () => {
    const call = { name: 'run_command', input: command('npm', 'test'), payload: HERE, tool: RUN };
    const counted = fold(granted(question(PLAN)), asking(question(PLAN))).rules.map(asToolRule);
    const { grant: _grant, ...plain } = fold(granted(question(PLAN)), asking(question(PLAN)))
      .rules[0] as never as { grant: unknown };
    const rules = [...counted, asToolRule(plain as never)];
    for (const all of [rules, rules.toReversed()])
      expect(judgeCall(all, call)?.rule.bound?.grant).toBeUndefined();
    expect(judgeCall(counted, call)?.rule.bound?.grant).toBe('i1.1');
  });
});

test('a rule of a grant is no detail of a call that it nearly allows', () => {
  const asked = question(PLAN);
  const [rule] = fold(granted(asked), asking(asked)).rules;
  const near = {
    name: 'run_command',
    input: { argv: ['npm', 'test'], network: true },
    payload: HERE,
    tool: RUN,
  };
  const { grant: _grant, ...plain } = rule!;
  expect(nearlyAllowed([asToolRule(plain)], near)).toMatch(/asks for network access/u);
  expect(nearlyAllowed([asToolRule(rule!)], near)).toBeUndefined();
  expect(asToolRule(rule!).text).toBe('granted run_command npm test …');
});

describe('N5: it ends', () => {
  const turn = question({ until: 'turn', rows: [TESTS] });
  const done = toolSettled('g1', 'ok');
  const rulesAfter = (asked: Interrupt, ...events: readonly SessionEvent[]) =>
    fold([...granted(asked), done, ...events], asking(asked)).rules.length;

  test('with the turn, however that ends', () => {
    expect(rulesAfter(turn)).toBe(1);
    for (const reason of [{ type: 'done' }, { type: 'aborted' }, { type: 'limit', limit: 'x' }] as const)
      expect(rulesAfter(turn, ended(reason))).toBe(0);
    expect(rulesAfter(question(PLAN), ended())).toBe(1);
  });

  test('with the next turn, where a crash left the one before without an end', () => {
    const said = modelSaid([{ type: 'text', text: 'done' }]);
    expect([rulesAfter(turn, said), rulesAfter(turn, said, userSaid('next'))]).toEqual([1, 0]);
    // What is said to the model in the middle of a turn begins none.
    expect(rulesAfter(turn, userSaid('use npm'))).toBe(1);
    expect(rulesAfter(question(PLAN), said, userSaid('next'))).toBe(1);
  });

  test('like a rule of `always`: by going back, where approvals are void, and when it is revoked', () => {
    const asked = question(PLAN);
    expect(rulesAfter(asked, { type: 'history-rewound', keep: 1 })).toBe(0);
    expect(rulesAfter(asked, { type: 'approvals-voided' })).toBe(0);
    expect(rulesAfter(asked, { type: 'rule-removed', tool: 'run_command', by: ANN })).toBe(0);
    const state = fold(granted(asked), asking(asked));
    expect(withoutApprovals(state).rules).toEqual([]);
  });
});

/** Calls and what their tools say of them. */
const CALL = fc.record({
  name: fc.constantFrom('run_command', 'write_file', 'fetch_url', 'pay'),
  input: fc.oneof(
    fc.record({
      argv: fc.array(fc.constantFrom('npm', 'test', 'run', '-x', '../a', 'a b'), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    fc.record({ argv: fc.constant(['npm', 'test']), network: fc.boolean() }),
    fc.record({ command: fc.constantFrom('npm test', 'npm test; rm x', 'A=b npm test') }),
    fc.record({ path: fc.constantFrom('a', 'b/c') }),
  ),
  payload: fc.record(
    {
      facts: fc.record(
        {
          'working directory': fc.constantFrom('/w', '/x'),
          path: fc.constantFrom('/w/a/b', '/w/a/c/d', '/x/y'),
          host: fc.constantFrom('example.org', 'evil.org'),
          'rules with words': fc.constant('no'),
          'rules with patterns': fc.constant('no'),
          'rules with *': fc.constant('no'),
          'paths that need a look': fc.constantFrom('../a'),
        },
        { requiredKeys: [] },
      ),
      warnings: fc.constantFrom<string[]>(['careful'], []),
    },
    { requiredKeys: ['facts'] },
  ),
});

test('a grant allows no call that an `always` of the same size for its example does not', () => {
  let used = 0;
  fc.assert(
    fc.property(
      CALL,
      CALL,
      fc.subarray<'name' | 'input' | 'payload'>(['name', 'input', 'payload']),
      fc.constantFrom<SessionSize>('call', 'words', 'folder', 'host', 'tool'),
      (example, drawn, same, size) => {
        const other = { ...drawn, ...Object.fromEntries(same.map((key) => [key, example[key]])) };
        const tools = ['run_command', 'write_file', 'fetch_url', 'pay'].map((name) => tool(name));
        const of = tools.find(({ name }) => name === example.name) ?? RUN;
        const scope = size === 'tool' ? undefined : sessionScope(size, example);
        if (size !== 'tool' && scope === undefined) return;
        const row: GrantRow = {
          tool: of.name,
          toolDigest: toolDigest(of),
          times: 1,
          ...(scope && { scope }),
        };
        const plan: GrantPlan = { until: 'session', rows: [row] };
        const agent = { ...AGENT, tools: [...tools, GRANT] };
        const asked = question(plan);
        const state = fold(granted(asked), asking(asked, { agent }));
        const now = tools.find(({ name }) => name === other.name) ?? RUN;
        const call = interruptOf(other.name, 'c1', {
          ...{
            id: 'i2',
            input: other.input as JsonValue,
            payload: other.payload as JsonValue,
            raisedBy: 'approval' as const,
          },
          draft: { bound: { run: 's', tool: schemaDigest(now) } },
        });
        const rule = {
          effect: 'allow',
          tool: of.name,
          toolDigest: toolDigest(of),
          ...(scope && { scope }),
        } as const;
        if (grantAnswer(state, call, 'i1.1') === undefined) return;
        used += 1;
        expect(coversCall(rule, { ...other, tool: now })).toBe(true);
        expect(judgeCall([asToolRule(rule)], { ...other, tool: now })?.effect).toBe('allow');
      },
    ),
    { numRuns: 3_000 },
  );
  expect(used).toBeGreaterThan(50);
});
