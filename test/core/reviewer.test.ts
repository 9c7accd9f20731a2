import { describe, expect, test } from 'vitest';

import type {
  Actor,
  AgentFingerprint,
  Interrupt,
  InterruptDraft,
  JsonObject,
  Resolution,
  Review,
  ReviewerActor,
  RunState,
  SessionEvent,
  ToolDescriptor,
  Verdict,
} from '../../src/core/index.js';
import {
  answerEvents,
  answerProblem,
  evolve,
  fold,
  openInterrupt,
  plainAnswer,
  questionPlan,
  readVerdict,
  REVIEW_RULE,
  schemaDigest,
  shapeProblem,
  toolRef,
  whyNotReviewed,
} from '../../src/core/index.js';
import { withoutApprovals } from '../../src/core/answer/without-approvals.js';
import { sessionEventSchema } from '../../src/core/told/schemas.js';
import { ANN, AT, interruptOf, modelSaid, raised, requestPart, userSaid } from '../helpers/events.js';

const YES: Resolution = { action: 'restart' };
const MODEL: ReviewerActor = { type: 'reviewer', via: 'model', name: 'script:reviewer' };
const LOW: Verdict = { risk: 'low', authorized: 'high', decision: 'allow', why: 'The user asked for it.' };

const tool = (name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  ...{ name, description: '', inputSchema: { type: 'object' }, effect: 'once', restartable: true },
  origin: 'built in',
  ...more,
});
const POST = tool('post', { origin: 'module /m.js', reviewable: true });
const FETCH = tool('fetch_url');
const RUN = tool('run_command');
const WRITE = tool('write_file');
const SERVED = tool('notes__add', {
  origin: 'mcp notes',
  mcp: { server: 'notes', tool: 'add', reached: 'notes' },
});
const TOOLS = [
  POST,
  FETCH,
  RUN,
  WRITE,
  SERVED,
  tool('own', { origin: 'module /m.js' }),
  tool('read_file'),
  tool('todo'),
];

/** An agent in mode `auto`; the mode of a journal may be any text. */
const AUTO = { model: 'demo', tools: TOOLS, mode: 'auto' } as unknown as AgentFingerprint;

interface Asked {
  readonly of?: ToolDescriptor;
  readonly payload?: JsonObject;
  readonly input?: JsonObject;
  readonly raisedBy?: 'tool' | 'approval' | 'engine';
  readonly draft?: Partial<InterruptDraft>;
  readonly agent?: AgentFingerprint;
}

function questionOf({
  of = POST,
  payload = {},
  input = { to: 'x' },
  raisedBy = 'approval',
  draft,
}: Asked): Interrupt {
  const bound = { run: 's', tool: schemaDigest(of) };
  return interruptOf(of.name, 'r1', { payload, input, raisedBy, draft: { bound, ...draft } });
}

/** A session in which one call waits. */
function asking(asked: Asked = {}): { readonly state: RunState; readonly interrupt: Interrupt } {
  const { of = POST, input = { to: 'x' }, agent = AUTO } = asked;
  const interrupt = questionOf(asked);
  const events: readonly SessionEvent[] = [
    { type: 'session-created', agent, cwd: '/w' },
    userSaid('post it'),
    modelSaid([requestPart(of.name, 'r1', input)]),
    raised(interrupt),
  ];
  return { state: fold(events), interrupt };
}

function reviewOf(interrupt: Interrupt, more: Partial<Review> = {}): SessionEvent {
  return {
    type: 'reviewed',
    id: interrupt.id,
    digest: interrupt.digest,
    plan: questionPlan(interrupt) ?? '',
    policy: 'p',
    by: MODEL,
    mayAllow: 'low',
    outcome: { type: 'said', ...LOW },
    ...more,
  };
}

/** What every door says of an answer, and what the fold says to a door that does not look. */
function said(
  state: RunState,
  interrupt: Interrupt,
  resolution: Resolution = YES,
  by: Actor = MODEL,
): readonly (string | undefined)[] {
  const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by };
  let folded: string | undefined;
  try {
    evolve(state, { type: 'interrupt-resolved', ...answer, resolvedAt: AT });
  } catch (thrown) {
    folded = (thrown as Error).message.replace(/^event `[a-z-]+` is invalid: /, '');
  }
  return [answerProblem(state, answer)?.message.replace(/^`[^`]+` \(i\d\): /, ''), folded];
}

const refused = (why: string): readonly string[] => [why, why];

describe('A2: the answer of a reviewer', () => {
  test('counts for a call that only the mode asks about, with its own review of it', () => {
    const { state, interrupt } = asking();
    const reviewed = evolve(state, reviewOf(interrupt));
    expect(said(reviewed, interrupt)).toEqual([undefined, undefined]);
    const answer = { id: interrupt.id, digest: interrupt.digest, resolution: YES, by: MODEL };
    const after = fold(answerEvents(plainAnswer(answer, { interrupt }), reviewed, { at: AT }), reviewed);
    expect([openInterrupt(after, interrupt.id), after.reviews]).toEqual([undefined, reviewed.reviews]);
    expect(after.resolved.at(-1)?.by).toEqual(MODEL);
  });

  test.for<readonly [string, Resolution]>([
    ['a rejection', { action: 'reject', reason: 'no' }],
    ['a cancellation', { action: 'cancel' }],
    ['another input', { action: 'restart', input: { to: 'y' } }],
    ['a value for the body', { action: 'restart', metadata: 1 }],
    ['words for the model', { action: 'restart', note: 'go on' }],
    ['a result', { action: 'respond', output: 1 }],
    ['a retry', { action: 'retry' }],
  ])('is never %s', ([, resolution]) => {
    const { state, interrupt } = asking();
    const [, folded] = said(evolve(state, reviewOf(interrupt)), interrupt, resolution);
    expect(folded).toMatch(/a reviewer can only approve a call as shown|does not answer/);
  });

  test.for<readonly [string, Asked, string]>([
    ['named approvers', { draft: { approvers: { from: ['bob'] } } }, 'specific people must approve it'],
    ['two people', { draft: { approvers: { need: 2 } } }, 'specific people must approve it'],
    [
      'an escalation',
      { draft: { escalated: { id: 'i0' as never, to: 'bob' } } },
      'it is addressed to a specific person',
    ],
    [
      'a proposal',
      { draft: { proposed: { by: { issuer: '', subject: 'b', name: 'b' } } } },
      'it is addressed to a specific person',
    ],
    ['a required edit', { draft: { edit: 'required' } }, 'it cannot be approved as shown'],
    ['no approval', { draft: { allowed: ['reject', 'cancel'] } }, 'it cannot be approved as shown'],
    ['a value to give', { draft: { resumeSchema: { type: 'string' } } }, 'its approval requires a value'],
    ['a body that asks', { raisedBy: 'tool' }, 'only calls waiting for approval are reviewed'],
    ['a kept value', { draft: { kept: 1 } }, 'the question comes from the tool itself'],
    ['a warning', { payload: { warnings: ['deletes'] } }, 'it has a warning'],
    ['no warning in a list of warnings', { payload: { warnings: [] } }, 'it has a warning'],
    ['a rule that asks', { payload: { facts: { rule: 'ask post (here)' } } }, 'a rule applies to it'],
    [
      'a name that runs later',
      { of: WRITE, payload: { facts: { path: '/w/a', 'rules with patterns': 'x' } } },
      'it involves something that no rule can match',
    ],
    [
      'a local host',
      { of: FETCH, payload: { facts: { host: 'a.example.org', 'rules with *': 'x' } } },
      'it involves something that no rule can match',
    ],
    [
      'a program that may run another',
      { of: RUN, payload: { facts: { 'working directory': '/w', 'rules with words': 'x' } } },
      'it involves something that no rule can match',
    ],
    [
      'a command in the folder itself',
      {
        of: RUN,
        payload: { facts: { 'working directory': '/w', sandbox: 'can write in this folder, no network' } },
      },
      'its tool is not `reviewable`',
    ],
    [
      'an argument that leads out',
      { of: RUN, payload: { facts: { 'working directory': '/w', 'paths that need a look': '../x' } } },
      'it involves something that no rule can match',
    ],
    [
      'a file outside',
      { of: WRITE, payload: { facts: { path: '/etc/passwd' } } },
      'it reaches outside the working folder',
    ],
    [
      'a file that climbs out',
      { of: WRITE, payload: { facts: { path: '/w/../etc/passwd' } } },
      'it reaches outside the working folder',
    ],
    [
      'a folder of the same beginning',
      { of: WRITE, payload: { facts: { path: '/w2/a' } } },
      'it reaches outside the working folder',
    ],
    [
      'a command outside',
      { of: RUN, payload: { facts: { 'working directory': '/' } } },
      'it reaches outside the working folder',
    ],
    [
      'a private name',
      { of: FETCH, payload: { facts: { host: 'printer.local' } } },
      'it reaches a private network',
    ],
    [
      'an address',
      { of: FETCH, payload: { facts: { host: '10.0.0.1:80' } } },
      'it reaches a private network',
    ],
    [
      'an address of IPv6',
      { of: FETCH, payload: { facts: { host: '[fd00::1]' } } },
      'it reaches a private network',
    ],
    [
      'a name without a dot',
      { of: FETCH, payload: { facts: { host: 'localhost' } } },
      'it reaches a private network',
    ],
    ['too long a call', { input: { text: 'x'.repeat(60_001) } }, 'it is too long to be shown in full'],
    [
      'a tool that is not `reviewable`',
      { of: tool('own', { origin: 'module /m.js' }) },
      'its tool is not `reviewable`',
    ],
    ['a built-in tool that asks', { of: tool('todo') }, 'its tool is not `reviewable`'],
    ['a file that is read', { of: tool('read_file') }, 'its tool is not `reviewable`'],
    [
      'a tool of a server without a rule',
      { of: SERVED },
      'no rule lets a reviewer decide calls to this server’s tools',
    ],
    [
      'a tool that the session does not have',
      { of: tool('gone') },
      'its tool differs from the one in this session',
    ],
    [
      'a tool that changed',
      { of: { ...POST, effect: 'none' } },
      'its tool differs from the one in this session',
    ],
    ...[
      '/etc/passwd',
      '../up',
      '~/notes',
      'file:///a',
      'http://localhost:1/',
      'http://10.0.0.1/',
      '/w/../etc',
      'ftp://a.b/',
      '/home/ann/my notes/letters.txt',
      '../my notes/letters.txt',
      'my notes/../../letters.txt',
      '~/my notes',
      '%2e%2e/up',
      'localhost:3000/x',
      '192.168.1.1',
      'ann@db.internal:5432/x',
    ].map((place): readonly [string, Asked, string] => [
      `\`${place}\` deep in its input`,
      { of: SERVED, input: { at: [{ place }] }, payload: { facts: { [REVIEW_RULE]: 'r' } } },
      'its input refers to a path outside the working folder',
    ]),
    [
      'a place elsewhere as a property name',
      { of: SERVED, input: { edits: { '/etc/passwd': 'x' } }, payload: { facts: { [REVIEW_RULE]: 'r' } } },
      'its input refers to a path outside the working folder',
    ],
    [
      'other code',
      { draft: { bound: { run: 's', tool: schemaDigest(POST), code: 'c' } } },
      'its tool differs from the one in this session',
    ],
  ])('never counts for a call with %s', ([, asked, why]) => {
    const { state, interrupt } = asking(asked);
    const review = { ...(reviewOf(interrupt) as Review & { type: 'reviewed' }) };
    const known = { ...state, reviews: [review] };
    const [folded] = said(known, interrupt).slice(1);
    expect(folded).toBe(`a reviewer cannot decide it: ${why}`);
    expect(whyNotReviewed(interrupt, state)).toBe(why);
  });

  test.for<Interrupt['kind']>(['question', 'gate', 'pause', 'error', 'in-doubt', 'limit'])(
    'never counts for a %s',
    (kind) => {
      const interrupt = questionOf({ draft: { kind, allowed: ['restart', 'reject'] } });
      expect(whyNotReviewed(interrupt, { agent: AUTO, cwd: '/w' })).toBe(
        'only calls waiting for approval are reviewed',
      );
    },
  );

  test.for([
    ...['/w/my notes/a.txt', 'my notes/a.txt', 'this and/or that', '// a comment\nx', '/** x */', 'v1.2.3'],
    ...[
      '1.2.3',
      'a.test.ts',
      'https://docs.example.org/a',
      'docs.example.org',
      'ann@example.org',
      'localhost is up',
    ],
  ])('counts where `%s` is in the input of a tool that is not ours', (text) => {
    const { interrupt, state } = asking({
      ...{ of: SERVED, input: { at: [{ text }] } },
      payload: { facts: { [REVIEW_RULE]: 'r' } },
    });
    expect(whyNotReviewed(interrupt, state)).toBeUndefined();
  });

  test('counts for tools of ours and of servers with a rule', () => {
    for (const [of, facts] of [
      [FETCH, { host: 'docs.example.org', address: 'https://docs.example.org/' }],
      [WRITE, { path: '/w/a/b.txt', change: 'creates the file' }],
      [SERVED, { [REVIEW_RULE]: 'review mcp:notes/* (your configuration)' }],
    ] as const) {
      const { state, interrupt } = asking({ of, payload: { facts } });
      expect(said(evolve(state, reviewOf(interrupt)), interrupt)).toEqual([undefined, undefined]);
    }
  });

  test.for<readonly [string, Partial<AgentFingerprint> & { mode?: string }]>([
    ['read-only', { mode: 'read-only' }],
    ['accept-edits', { mode: 'accept-edits' }],
    ['ask', { mode: undefined as never }],
    ['accept-edits with a reviewer of a program', { mode: 'accept-edits', reviewer: MODEL.name } as never],
    ['ask with another reviewer of a program', { mode: undefined as never, reviewer: 'other' }],
  ])('never counts in mode %s', ([, more]) => {
    const agent = JSON.parse(JSON.stringify({ ...AUTO, ...more })) as AgentFingerprint;
    const { state, interrupt } = asking({ agent });
    expect(said(evolve(state, reviewOf(interrupt)), interrupt)).toEqual(
      refused('reviews are off in this mode'),
    );
  });

  test('counts where the program that holds the session named it', () => {
    const agent = { model: 'demo', tools: TOOLS, reviewer: MODEL.name };
    const { state, interrupt } = asking({ agent });
    expect(said(evolve(state, reviewOf(interrupt)), interrupt)).toEqual([undefined, undefined]);
  });

  test('needs its review in the journal', () => {
    const { state, interrupt } = asking();
    expect(said(state, interrupt)).toEqual(refused('its review is not recorded'));
    const other: ReviewerActor = { ...MODEL, name: 'other' };
    const of = (by: ReviewerActor) => said(evolve(state, reviewOf(interrupt, { by })), interrupt);
    expect(of(other)).toEqual(refused('its review is from a different reviewer'));
    expect(of({ ...MODEL, via: 'command' })).toEqual(refused('its review is from a different reviewer'));
  });

  test.for<readonly [string, Partial<Review>, boolean]>([
    ['ask', { outcome: { type: 'said', ...LOW, decision: 'ask' } }, false],
    ['a failure', { outcome: { type: 'failed', failure: 'timeout', message: 'm' } }, false],
    ['a higher risk', { outcome: { type: 'said', ...LOW, risk: 'medium' } }, false],
    [
      'a higher risk that the person allows',
      { mayAllow: 'medium', outcome: { type: 'said', ...LOW, risk: 'medium' } },
      true,
    ],
    [
      'that, which nobody asked for',
      { mayAllow: 'medium', outcome: { type: 'said', ...LOW, risk: 'medium', authorized: 'low' } },
      false,
    ],
    ['a low risk that nobody asked for', { outcome: { type: 'said', ...LOW, authorized: 'unknown' } }, true],
    ['a critical risk', { mayAllow: 'high', outcome: { type: 'said', ...LOW, risk: 'critical' } }, false],
  ])('is held to what the review says: %s', ([, more, isAllowed]) => {
    const { state, interrupt } = asking();
    const why = isAllowed ? [undefined, undefined] : refused('its review does not allow it');
    expect(said(evolve(state, reviewOf(interrupt, more)), interrupt)).toEqual(why);
  });

  test('is held to the call that was reviewed, whatever the state says', () => {
    const { state, interrupt } = asking();
    const review = reviewOf(interrupt) as SessionEvent & { type: 'reviewed' };
    for (const more of [{ digest: 'd' }, { plan: 'd' }]) {
      const forged = { ...state, reviews: [{ ...review, ...more }] };
      expect(said(forged, interrupt)).toEqual(refused('its review is for a different call'));
    }
    const bare = { ...interrupt, payload: true };
    expect(whyNotReviewed(bare, state)).toBe('it does not describe the call');
  });

  test('is of nobody from outside', () => {
    const { interrupt } = asking();
    const answer = { id: interrupt.id, digest: interrupt.digest, resolution: YES, by: MODEL };
    expect(shapeProblem(answer)).toBe('`by.type` must be person, script or rule');
  });

  test('decides nothing else', () => {
    const { state, interrupt } = asking();
    const reviewed = evolve(state, reviewOf(interrupt));
    const by = MODEL;
    const rule = { effect: 'allow', tool: 'post', toolDigest: 'd' } as const;
    const events: readonly SessionEvent[] = [
      { type: 'rule-added', rule, by },
      { type: 'approvals-kept', kept: [], by },
      { type: 'file-noted', path: '/a', before: { type: 'absent' }, by },
      { type: 'vote-cast', id: interrupt.id, digest: interrupt.digest, resolution: YES, by, castAt: AT },
    ];
    for (const event of events)
      expect(() => evolve(reviewed, event)).toThrow(/a reviewer (?:can only decide questions|cannot vote)/);
  });

  test('does not outlive the history that others wrote', () => {
    const { state, interrupt } = asking();
    const elsewhere = withoutApprovals(evolve(state, reviewOf(interrupt)));
    expect([elsewhere.reviews, elsewhere.agent?.mode]).toEqual([undefined, undefined]);
    const decided = fold(
      [
        reviewOf(interrupt),
        {
          type: 'interrupt-resolved',
          id: interrupt.id,
          digest: interrupt.digest,
          resolution: YES,
          by: MODEL,
          resolvedAt: AT,
        },
      ],
      state,
    );
    const copied: RunState = { ...state, isCopied: true };
    expect(said(copied, interrupt)[1]).toBe('its review is not recorded');
    expect(withoutApprovals(decided).open?.calls[0]?.approval).toBeUndefined();
  });
});

describe('what a reviewer allowed', () => {
  const { state, interrupt } = asking();
  const agreed = fold(
    [
      reviewOf(interrupt),
      {
        type: 'interrupt-resolved',
        id: interrupt.id,
        digest: interrupt.digest,
        resolution: YES,
        by: MODEL,
        resolvedAt: AT,
      },
    ],
    state,
  );
  const start = (plan?: string): SessionEvent => ({
    type: 'tool-started',
    ref: toolRef('r1'),
    name: 'post',
    attempt: 1,
    input: { to: 'x' },
    effect: 'once',
    idempotencyKey: 'k',
    startedAt: AT,
    ...(plan !== undefined && { plan }),
  });

  test('starts as the plan that was reviewed, and no other', () => {
    expect(evolve(agreed, start(questionPlan(interrupt))).open?.calls[0]?.attempts).toBe(1);
    expect(() => evolve(agreed, start('0'.repeat(64)))).toThrow('the plan of call `r1` was not approved');
    expect(() => evolve(agreed, start())).toThrow('does not specify the reviewed plan');
  });

  const { mode: _mode, ...asks } = AUTO;
  const changed = (agent: object): RunState =>
    evolve(agreed, { type: 'agent-changed', agent: agent as AgentFingerprint });

  test('A3: starts while the reviewer is in force', () => {
    for (const agent of [AUTO, { ...asks, reviewer: MODEL.name }])
      expect(evolve(changed(agent), start(questionPlan(interrupt))).open?.calls[0]?.attempts).toBe(1);
  });

  test.for<readonly [string, object]>([
    ['mode ask', asks],
    ['mode accept-edits', { ...asks, mode: 'accept-edits' }],
    ['mode read-only', { ...asks, mode: 'read-only' }],
    ['the reviewer of another program', { ...asks, reviewer: 'other' }],
  ])('A3: does not start by that with %s', ([, agent]) => {
    expect(() => evolve(changed(agent), start(questionPlan(interrupt)))).toThrow(
      'call `r1` was approved by a reviewer, and reviews are off in this mode',
    );
  });

  test('starts in any mode once a person says to run it again', () => {
    const doubt = interruptOf('post', 'r1', {
      id: 'i2',
      payload: {},
      input: { to: 'x' },
      raisedBy: 'engine',
      draft: { kind: 'in-doubt', bound: { run: 's', tool: schemaDigest(POST) } },
    });
    const again = fold(
      [
        start(questionPlan(interrupt)),
        { type: 'agent-changed', agent: asks },
        raised(doubt),
        {
          ...{ type: 'interrupt-resolved', id: doubt.id, digest: doubt.digest, by: ANN, resolvedAt: AT },
          resolution: { action: 'retry' },
        },
        { ...(start(questionPlan(interrupt)) as SessionEvent & { type: 'tool-started' }), attempt: 2 },
      ],
      agreed,
    );
    expect(again.open?.calls[0]?.attempts).toBe(2);
  });
});

describe('a review', () => {
  test('is of an open question, as it is asked', () => {
    const { state, interrupt } = asking();
    const of = (more: Partial<Review>) => () => evolve(state, reviewOf(interrupt, more));
    expect(of({ id: 'i9' as never })).toThrow('interrupt `i9` is not open');
    expect(of({ digest: 'd' })).toThrow('it is a review of a different call');
    expect(of({ plan: 'd' })).toThrow('it is a review of a different call');
    expect(of({ by: ANN as never })).toThrow('it is not from a reviewer');
    expect(of({ mayAllow: 'critical' as never })).toThrow('it does not have a valid `mayAllow`');
    expect(of({ outcome: { type: 'said', ...LOW, decision: 'yes' as never } })).toThrow('`decision` must be');
  });

  test('counts its tokens and its price', () => {
    const { state, interrupt } = asking();
    const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 };
    expect(evolve(state, reviewOf(interrupt, { usage })).usage).toEqual(usage);
  });

  test('fits the schema of events', () => {
    const { interrupt } = asking();
    const event = reviewOf(interrupt, { usage: { inputTokens: 1, outputTokens: 1 } });
    expect(sessionEventSchema.parse(event)).toEqual(event);
  });
});

describe('reviews that do not allow', () => {
  const ask: Partial<Review> = { outcome: { type: 'said', ...LOW, decision: 'ask' } };
  const lost: Partial<Review> = { outcome: { type: 'failed', failure: 'unreachable', message: 'm' } };
  const stopped: Partial<Review> = { outcome: { type: 'failed', failure: 'stopped', message: 'm' } };

  /** The states after reviews of one question. */
  function after(...reviews: readonly Partial<Review>[]): RunState {
    const { state, interrupt } = asking();
    return fold(
      reviews.map((more) => reviewOf(interrupt, more)),
      state,
    );
  }

  test.for<readonly [string, readonly Partial<Review>[], string | undefined]>([
    ['three times ask', [ask, ask, ask], 'the reviewer said “ask” 3 times in a row'],
    ['two outages', [lost, lost], 'the reviewer failed 2 times in a row'],
    ['ask and allow', [ask, ask, {}, ask, ask], undefined],
    ['an outage between', [lost, ask, lost], undefined],
    ['reviews that a person ended', [stopped, stopped, stopped], undefined],
  ])('are the last ones after %s', ([, reviews, why]) => {
    const state = after(...reviews);
    const [interrupt] = [asking().interrupt];
    const again = () => evolve(state, reviewOf(interrupt));
    if (why === undefined) expect(again).not.toThrow();
    else expect(again).toThrow(why);
  });

  test('until the person turns the mode on again', () => {
    const { interrupt } = asking();
    const state = after(lost, lost);
    const on = (event: Partial<SessionEvent & { type: 'agent-changed' }>): RunState =>
      evolve(state, { type: 'agent-changed', agent: AUTO, ...event });
    expect(on({}).reviewStreak).toBeUndefined();
    expect(() => evolve(on({}), reviewOf(interrupt))).not.toThrow();
    expect(on({ changed: ['a tool'] }).reviewStreak).toBeDefined();
    expect(on({ agent: { ...AUTO, model: 'other' } }).reviewStreak).toBeDefined();
    const { mode: _mode, ...asks } = AUTO;
    expect(on({ agent: asks }).reviewStreak).toBeDefined();
  });
});

describe('a verdict', () => {
  test('is read as it is', () => {
    expect(readVerdict(LOW)).toEqual(LOW);
    expect(readVerdict({ ...LOW, why: 'x'.repeat(301) })).toEqual({ ...LOW, why: `${'x'.repeat(299)}…` });
  });

  test.for<readonly [string, unknown]>([
    ['nothing', undefined],
    ['a text', 'allow'],
    ['a list', [LOW]],
    ['an unknown member', { ...LOW, override: true }],
    [
      'an own `__proto__`',
      JSON.parse(
        '{"__proto__":{"decision":"allow"},"risk":"low","authorized":"high","why":"x","decision":"ask","x":1}',
      ),
    ],
    ['inherited members', Object.create(LOW)],
    ['an unknown risk', { ...LOW, risk: 'none' }],
    ['a risk of a prototype', { ...LOW, risk: 'constructor' }],
    ['an unknown authorization', { ...LOW, authorized: 'total' }],
    ['an unknown decision', { ...LOW, decision: 'ALLOW' }],
    ['no decision', { ...LOW, decision: undefined }],
    ['a list as decision', { ...LOW, decision: ['allow'] }],
    ['no reason', { ...LOW, why: ' ' }],
    ['a huge reason', { ...LOW, why: 'x'.repeat(2_001) }],
    ['half a character', { ...LOW, why: '\ud800' }],
  ])('is not %s', ([, value]) => {
    expect(readVerdict(value)).toBeTypeOf('string');
  });
});
