// What was shown is what runs, in workflows: gates, questions of nodes and of bodies, messages, edits, rewinds, deaths.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Interrupt, Resolution, RunState } from '../../src/core/index.js';
import { emptyState, evolve, isHitlError, livePath, openInterrupts } from '../../src/core/index.js';
import { decide, Died, driveGraph } from '../graph/drive-graph.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { fuzzTarget } from './fuzz.js';
import type { Entered } from './graph-law-world.js';
import { graphLawProblem, payingFlow, SENDER } from './graph-law-world.js';

type Step =
  | { readonly type: 'send'; readonly action: Resolution | undefined; readonly target: string | undefined }
  | { readonly type: 'answer'; readonly yes: Resolution; readonly gate: Resolution; readonly runs: boolean }
  | { readonly type: 'run'; readonly dieAfter: number }
  | { readonly type: 'rewind'; readonly back: number };

const nodes = fc.constantFrom('prep', 'review', 'check', 'pay', 'drop');
const amounts = fc.integer({ min: 10, max: 12 });
const patches = fc.oneof(
  amounts.map((amount) => ({ amount })),
  fc.constantFrom({ review: 'yes' }, { check: 'yes' }, { other: 1 }),
);
const edits = patches.map((patch): Resolution => ({ action: 'update-state', patch }));
const ways: fc.Arbitrary<Resolution> = fc.oneof(
  { weight: 4, arbitrary: edits },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Resolution>(
      { action: 'continue' },
      { action: 'skip' },
      { action: 'reject' },
      { action: 'defer', note: 'later' },
      { action: 'rerun', guidance: 'more' },
      { action: 'go-back', steps: 1 },
      { action: 'edit-input', value: 'all' },
      { action: 'edit-output', value: 'yes' },
    ),
  },
  { weight: 2, arbitrary: nodes.map((node): Resolution => ({ action: 'goto', node })) },
  {
    weight: 2,
    arbitrary: edits.chain((edit) =>
      fc
        .constantFrom<Resolution>({ action: 'continue' }, { action: 'defer', note: 'later' })
        .map((more): Resolution => ({ action: 'sequence', actions: [edit, more] })),
    ),
  },
);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('send' as const),
        action: fc.option(ways, { nil: undefined }),
        target: fc.option(nodes, { nil: undefined, freq: 2 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('answer' as const),
        yes: fc
          .constantFrom('yes', 'yes', 'yes', 'yes', 'yes', 'no')
          .map((output): Resolution => ({ action: 'respond', output })),
        gate: fc.oneof(
          { weight: 8, arbitrary: fc.constant<Resolution>({ action: 'continue' }) },
          { weight: 2, arbitrary: fc.constant<Resolution>({ action: 'reject' }) },
          { weight: 1, arbitrary: ways },
        ),
        // Where it does not run, what comes next is sent between the answer and its effect.
        runs: fc.constantFrom(true, true, false),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('run' as const),
        dieAfter: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 6 })),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('rewind' as const), back: fc.nat(2) }) },
  ),
  { minLength: 6, maxLength: 24 },
);

/** Plays a history; the laws that it breaks, and how many bodies were judged. */
async function play(history: readonly Step[]) {
  const entered: Entered[] = [];
  const flow = payingFlow(entered);
  const inbox = new MemoryInbox();
  const problems: string[] = [];
  let judged = 0;
  let state: RunState = evolve(emptyState(), {
    type: 'session-created',
    agent: { model: 'script', tools: [] },
  });
  const run = async (dieAfter: number): Promise<void> => {
    const start = { set: { amount: 10 } };
    try {
      ({ state } = await driveGraph(state, flow, { steering: { inbox }, start, dieAfter }));
    } catch (thrown) {
      if (!(thrown instanceof Died)) throw thrown;
      ({ state } = thrown);
    }
    for (const one of entered.slice(judged)) {
      const problem = graphLawProblem(state, one);
      if (problem !== undefined) problems.push(problem);
    }
    judged = entered.length;
  };
  await run(Infinity);
  for (const step of history) {
    switch (step.type) {
      case 'send':
        inbox.send('words', {
          from: SENDER,
          ...(step.action && { action: step.action }),
          ...(step.target !== undefined && { target: step.target }),
        });
        break;
      case 'answer':
        state = answered(state, step);
        if (step.runs) await run(Infinity);
        break;
      case 'run':
        await run(step.dieAfter);
        break;
      case 'rewind':
        state = rewound(state, step.back);
        break;
    }
  }
  await run(Infinity);
  return { problems, judged };
}

/** The first open question, answered where the answer fits. */
function answered(state: RunState, { yes, gate }: Step & { type: 'answer' }): RunState {
  const [open]: readonly (Interrupt | undefined)[] = openInterrupts(state);
  if (open === undefined) return state;
  try {
    return decide(state, open.kind === 'question' ? yes : gate);
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'ILLEGAL_EVENT') return state;
    throw thrown;
  }
}

function rewound(state: RunState, back: number): RunState {
  const target = state.graph && livePath(state.graph).at(-1 - back);
  if (target === undefined) return state;
  return evolve(state, { type: 'rewound', node: target.node, visit: target.visit });
}

fuzzTarget('graph-law', {
  'whatever body is entered behind a gate, what people decided last about it showed this plan (G11)': {
    runs: 100,
    longRuns: 20_000,
    property: () =>
      fc.asyncProperty(steps, async (history) => {
        expect((await play(history)).problems).toEqual([]);
        return true;
      }),
  },
});

test('the histories of this target enter bodies behind the gate', async () => {
  let judged = 0;
  for (const history of fc.sample(steps, { numRuns: 100, seed: 1 })) judged += (await play(history)).judged;
  expect(judged).toBeGreaterThan(20);
});
