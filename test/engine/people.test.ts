import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type {
  ApprovalPolicy,
  Interrupt,
  InterruptOptions,
  Resolution,
  RunState,
  SessionEvent,
} from '../../src/core/index.js';
import { evolve, makeInterrupt, openInterrupts, planDigest } from '../../src/core/index.js';
import { InterruptFactory } from '../../src/engine/index.js';
import { defineTool } from '../../src/tools/index.js';
import { BOB, CYD, said, saidByTwo } from '../helpers/two-people.js';
import { stateAfter, toolStarted, userSaid } from '../helpers/events.js';
import { calls, drive, names, scene, toolOutputs } from './drive.js';

const AGAIN: Resolution = { action: 'retry' };
const YES: Resolution = { action: 'restart' };

interface Body {
  readonly fails?: boolean;
  readonly asks?: InterruptOptions;
}

/** Pays, once the people of the policy have agreed; the body fails the first time, or asks, where it is told to. */
function pay(paid: number[], approvers: ApprovalPolicy, { fails = false, asks }: Body = {}) {
  return defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      input: z.object({ amount: z.number() }),
      needsApproval: true,
      approvers,
    },
    ({ amount }, context) => {
      if (fails && context.attempt === 1) throw new Error('the bank is closed');
      if (asks !== undefined && context.resumed === undefined) return context.interrupt({ to: 'eve' }, asks);
      paid.push(amount);
      return 'paid';
    },
  );
}

/** A session in which two people agreed to a payment, and what it runs with. */
async function agreed(paid: number[], body: Body & { readonly policy?: ApprovalPolicy } = {}) {
  const { policy = { need: 2 }, ...rest } = body;
  const replies = [calls(['pay', { amount: 1 }]), 'done'];
  const options = scene({ replies, tools: [pay(paid, policy, rest)], onToolError: 'ask' });
  const { state } = await drive(stateAfter(userSaid('pay')), options);
  return { options, state: policy.need === 2 ? saidByTwo(state, YES) : said(state, BOB, YES) };
}

/** The state that a process leaves behind which dies once the payment was started, and the next process has asked. */
async function inDoubt(paid: number[]) {
  const { options, state } = await agreed(paid);
  let dead = state;
  const started = new AbortController();
  await drive(state, options, {
    signal: started.signal,
    kept: (event, now) => {
      if (event.type === 'tool-started') dead = now;
    },
  });
  paid.length = 0; // what the dead process did is not what the next one does
  const { state: asked } = await drive(dead, options);
  return { options, asked };
}

/** The same state with the question as a journal has it that names nobody. */
function askedOfAnybody(state: RunState): RunState {
  const { id, digest: _digest, approvers: _people, path, raisedAt, ...draft } = openInterrupts(state)[0]!;
  const interrupt: Interrupt = makeInterrupt(draft, { id, path, raisedAt });
  const open = state.open!;
  const waiting = { status: 'interrupted', interrupt } as const;
  return { ...state, open: { ...open, calls: open.calls.map((call) => ({ ...call, state: waiting })) } };
}

describe('a call that two people must agree to', () => {
  test('does not run again by the word of one after a crash', async () => {
    const paid: number[] = [];
    const { options, asked } = await inDoubt(paid);
    expect(openInterrupts(asked)).toMatchObject([{ kind: 'in-doubt', approvers: { need: 2 } }]);
    const { outcome } = await drive(said(asked, BOB, AGAIN), options);
    expect([outcome.type, paid]).toEqual(['interrupted', []]);
    await drive(saidByTwo(asked, AGAIN), options);
    expect(paid).toEqual([1]);
  });

  test('has a result that somebody says it had by the word of both, and is said to have failed by one', async () => {
    const { options, asked } = await inDoubt([]);
    const happened: Resolution = { action: 'respond', output: 'paid' };
    expect(openInterrupts(said(asked, BOB, happened))).toHaveLength(1);
    const { state } = await drive(saidByTwo(asked, happened), options);
    expect(toolOutputs(state)).toEqual(['paid']);
    expect(openInterrupts(said(asked, BOB, { action: 'reject' }))).toEqual([]);
  });

  test('does not run again by the word of one after it failed, nor with another input', async () => {
    const paid: number[] = [];
    const { options, state } = await agreed(paid, { fails: true });
    const { state: failed } = await drive(state, options);
    expect(openInterrupts(failed)).toMatchObject([{ kind: 'error', approvers: { need: 2 } }]);
    const { outcome } = await drive(said(failed, BOB, AGAIN), options);
    const edited = await drive(said(failed, BOB, { action: 'restart', input: { amount: 9 } }), options);
    expect([outcome.type, edited.outcome.type, paid]).toEqual(['interrupted', 'interrupted', []]);
    await drive(saidByTwo(failed, AGAIN), options);
    expect(paid).toEqual([1]);
  });

  test.for<readonly [string, InterruptOptions, number]>([
    ['nobody in particular', {}, 1],
    ['as many', { approvers: { need: 2 } }, 1],
    ['more', { approvers: { need: 3 } }, 3],
    ['others', { approvers: { from: ['bob', 'cyd', 'dan'] } }, 2],
  ])(
    'asks a second person once: what its body asks of %s about that input takes %j (adopter 18)',
    async ([, asks, need]) => {
      const paid: number[] = [];
      const { options, state } = await agreed(paid, { asks });
      const { state: asked } = await drive(state, options);
      expect(openInterrupts(asked)).toMatchObject([{ kind: 'confirmation', source: { raisedBy: 'tool' } }]);
      expect(openInterrupts(asked)[0]?.approvers?.need ?? 1).toBe(need);
      let told = asked;
      for (const name of ['bob', 'cyd', 'dan'].slice(0, need)) {
        expect(paid).toEqual([]);
        told = said(told, { type: 'person', name, via: 'library' }, YES);
      }
      await drive(told, options);
      expect(paid).toEqual([1]);
    },
  );

  test('takes all of them again for another input at what its body asks', async () => {
    const paid: number[] = [];
    const { options, state } = await agreed(paid, { asks: {} });
    const { state: asked } = await drive(state, options);
    const edited = await drive(said(asked, BOB, { action: 'restart', input: { amount: 9 } }), options);
    expect(openInterrupts(edited.state)).toMatchObject([
      { source: { input: { amount: 9 }, raisedBy: 'approval' }, approvers: { need: 2 } },
    ]);
    expect(paid).toEqual([]);
  });

  test('is asked about again where a journal let one run it', async () => {
    const paid: number[] = [];
    const { options, asked } = await inDoubt(paid);
    const { events, state } = await drive(said(askedOfAnybody(asked), BOB, AGAIN), options);
    expect([names(events), paid]).toEqual([['raised i3 confirmation'], []]);
    expect(openInterrupts(state)).toMatchObject([
      {
        approvers: { need: 2 },
        payload: { warnings: ['not what was approved: the required approvers have changed'] },
      },
    ]);
    await drive(saidByTwo(state, YES), options);
    expect(paid).toEqual([1]);
  });

  test('is in a journal all the same that started it by the word of one', async () => {
    const { asked } = await inDoubt([]);
    const retried = said(askedOfAnybody(asked), BOB, AGAIN);
    const { request, input, approval } = retried.open!.calls[0]!;
    const { name, ref } = request;
    const plan = planDigest({ ...approval!, name });
    const event = { ...toolStarted(name, ref, { attempt: 2, input }), plan } as SessionEvent;
    expect(evolve(retried, event).open?.calls[0]?.state.status).toBe('started');
  });
});

describe.for([
  ['four eyes', { notRequester: true }, 1],
  ['a quorum', { need: 2 }, 2],
] as const)('an edit under %s', ([, policy, need]) => {
  const EDIT: Resolution = { action: 'restart', input: { amount: 9 } };

  /** The state in which somebody has edited the payment, and the people are asked again. */
  async function proposed(paid: number[], body: Body = {}) {
    const replies = [calls(['pay', { amount: 1 }]), 'done'];
    const options = scene({ replies, tools: [pay(paid, policy, body)] });
    const began = { ...userSaid('pay'), by: { type: 'person', name: 'ann', via: 'library' } } as SessionEvent;
    const { state } = await drive(stateAfter(began), options);
    return { options, ...(await drive(said(state, BOB, EDIT), options)) };
  }

  test('comes again, marked as proposed, and runs by the word of others (F6)', async () => {
    const paid: number[] = [];
    const { options, state } = await proposed(paid);
    expect(openInterrupts(state)).toMatchObject([
      {
        source: { input: { amount: 9 }, raisedBy: 'approval' },
        approvers: policy,
        proposed: { by: { issuer: 'library', subject: 'bob', name: 'bob' } },
        payload: { warnings: ['proposed by bob, who cannot approve it: amount changed from 1 to 9'] },
      },
    ]);
    expect(() => said(state, BOB, YES)).toThrow('bob proposed this input');
    let agreed = state;
    for (const name of ['cyd', 'dan'].slice(0, need))
      agreed = said(agreed, { type: 'person', name, via: 'library' }, YES);
    const { events } = await drive(agreed, options);
    expect([paid, names(events)]).toEqual([
      [9],
      expect.not.arrayContaining([expect.stringMatching(/^raised/u)]),
    ]);
  });

  test('runs nothing where the next process asks, also where the tool would not ask about it (F6)', async () => {
    const paid: number[] = [];
    const { state } = await proposed(paid);
    const tool = pay(paid, policy);
    const { approval: _never, ...quiet } = tool;
    const again = scene({ replies: ['done'], tools: [quiet] });
    const before = {
      ...state,
      open: {
        ...state.open!,
        calls: state.open!.calls.map((call) => ({ ...call, state: { status: 'ready' as const } })),
      },
    };
    const { state: asked } = await drive(before, again);
    expect(openInterrupts(asked)).toMatchObject([{ approvers: policy, proposed: { by: { name: 'bob' } } }]);
    expect(paid).toEqual([]);
  });

  test('may be edited by another one, whose proposal it is then (F6)', async () => {
    const paid: number[] = [];
    const { options, state } = await proposed(paid);
    const { state: again } = await drive(
      said(state, CYD, { action: 'restart', input: { amount: 5 } }),
      options,
    );
    expect(openInterrupts(again)).toMatchObject([
      { source: { input: { amount: 5 } }, proposed: { by: { name: 'cyd' } } },
    ]);
    expect(() => said(again, CYD, YES)).toThrow('cyd proposed this input');
    expect(paid).toEqual([]);
  });
});

test('what runs inside of two nodes takes the people of both to run again', () => {
  const inner = new InterruptFactory(0, () => 0).asking({ need: 2 }).asking({ from: ['bob', 'cyd'] });
  const draft = { source: { type: 'run' }, payload: null } as const;
  const asked = (['in-doubt', 'error', 'question'] as const).map((kind) => inner.make({ kind, ...draft }));
  const both = { need: 2, from: ['bob', 'cyd'] };
  expect(asked.map(({ approvers }) => approvers)).toEqual([both, both, undefined]);
});

describe('a question of a body', () => {
  test.for([
    ['of the same people', { from: ['bob'] }, { from: ['bob'] }],
    ['of some of them', { from: ['bob', 'cyd'] }, { from: ['bob'] }],
    ['of others', { from: ['eve'] }, { need: 20, from: ['nobody'] }],
  ] as const)('%s takes the word of those whom the call names too', async ([, from, expected]) => {
    const { options, state } = await agreed([], { policy: { from: ['bob'] }, asks: { approvers: from } });
    const { state: asked } = await drive(state, options);
    expect(openInterrupts(asked)[0]?.approvers).toEqual(expected);
  });

  test('that only wants to know takes one of those people, and no value by time', async () => {
    const asks = {
      kind: 'question',
      answerSchema: { type: 'string' },
      timeout: '1h',
      onTimeout: { value: 'x' },
    } as const;
    const { options, state } = await agreed([], { asks, policy: { need: 2, from: ['bob', 'cyd'] } });
    const { state: asked } = await drive(state, options);
    const [open] = openInterrupts(asked);
    expect([open?.kind, open?.approvers, open?.onTimeout]).toEqual([
      'question',
      { from: ['bob', 'cyd'] },
      undefined,
    ]);
  });

  test('hands on to those who are among the people of the call, where nobody answers in time', async () => {
    const onTimeout = { escalate: { to: 'them', approvers: { from: ['bob', 'eve'] } } };
    const { options, state } = await agreed([], {
      asks: { timeout: '1h', onTimeout },
      policy: { from: ['bob'] },
    });
    const { state: asked } = await drive(state, options);
    expect(openInterrupts(asked)[0]?.onTimeout).toMatchObject({ approvers: { from: ['bob'] } });
  });
});
