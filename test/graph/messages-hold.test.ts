import { describe, expect, test } from 'vitest';

import type { JsonValue, Resolution, RunState } from '../../src/core/index.js';
import { emptyState, evolve, openInterrupts } from '../../src/core/index.js';
import type { GraphSettings } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { decide, driveGraph, openOf, pathOf } from './drive-graph.js';

/** A review, what follows from it, and what was paid. */
function reviewed(settings: GraphSettings = {}) {
  const paid: JsonValue[] = [];
  const flow = graph('pay', settings)
    .human('review', {
      question: ({ amount = null }) => ({ prompt: 'Pay?', payload: { amount } }),
    })
    .fn('do', ({ amount }) => void paid.push(amount ?? null))
    .fn('drop', () => undefined)
    .edge('review', 'do', { when: "state.review == 'yes'" })
    .edge('review', 'drop', { priority: 0 })
    .end('do', 'drop')
    .build();
  return { paid, flow };
}

/** Asks, has something sent, answers, and goes on. */
async function sentMeanwhile(action: Resolution, answer: JsonValue, settings: GraphSettings = {}) {
  const { paid, flow } = reviewed(settings);
  const inbox = new MemoryInbox();
  const steering = { inbox };
  const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
  inbox.act(action);
  const answered = decide(state, { action: 'respond', output: answer });
  const run = await driveGraph(answered, flow, { steering });
  const goOn = (resolution: Resolution) => driveGraph(decide(run.state, resolution), flow, { steering });
  return { paid, flow, run, goOn, inbox };
}

describe('what is sent while a person is asked', () => {
  test.for<readonly [Resolution, string]>([
    [{ action: 'edit-output', value: 'yes' }, 'review@1 after'],
    [{ action: 'goto', node: 'do' }, 'review@1 after'],
    [{ action: 'update-state', patch: { review: 'yes' } }, 'review@1 after'],
    [{ action: 'reject' }, 'review@1 after'],
    [
      {
        action: 'sequence',
        actions: [
          { action: 'defer', note: 'n' },
          { action: 'goto', node: 'do' },
        ],
      },
      'review@1 after',
    ],
  ])('does not turn a no into a yes: %j is proposed to a person', async ([action, where]) => {
    const { paid, run, goOn } = await sentMeanwhile(action, 'no');
    expect(openOf(run.state)).toEqual([`gate ${where}`]);
    expect(openInterrupts(run.state)).toMatchObject([{ payload: { proposed: action, from: 'ann' } }]);
    const not = await goOn({ action: 'reject' });
    expect({ paid, path: pathOf(not.state) }).toEqual({ paid: [], path: 'review@1 drop@1' });
  });
});

describe('a change of the state that is sent while a question is open', () => {
  const raise = { action: 'update-state', patch: { amount: 1_000_000 } } as const;

  test('is taken before the question is asked again, with what has changed in front', async () => {
    const { flow } = reviewed();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    inbox.act(raise);
    const again = await driveGraph(state, flow, { steering });
    expect(openInterrupts(again.state).map(({ payload }) => payload)).toEqual([
      {
        question: 'Pay?',
        details: { amount: 1_000_000 },
        changed: ['amount changed from 10 to 1000000'],
      },
    ]);
    const done = await driveGraph(decide(again.state, { action: 'respond', output: 'no' }), flow, {
      steering,
    });
    expect(pathOf(done.state)).toBe('review@1 drop@1');
  });

  test('voids an answer that was given meanwhile', async () => {
    const { paid, run, goOn } = await sentMeanwhile(raise, 'yes');
    expect(openInterrupts(run.state)).toMatchObject([
      { payload: { details: { amount: 1_000_000 }, changed: ['amount changed from 10 to 1000000'] } },
    ]);
    expect(paid).toEqual([]);
    await goOn({ action: 'respond', output: 'yes' });
    expect(paid).toEqual([1_000_000]);
  });

  test('leaves the question as it is where it changes nothing', async () => {
    const { paid, run } = await sentMeanwhile({ action: 'update-state', patch: { amount: 10 } }, 'yes');
    expect({ open: openOf(run.state), paid }).toEqual({ open: [], paid: [10] });
  });

  test('voids the answers of a body that asks twice, and is taken back with its node', async () => {
    const got: JsonValue[] = [];
    const flow = graph('twice')
      .fn('work', async ({ amount = null }, context) => {
        const first = await context.ask({ prompt: 'first?' });
        got.push([amount, first, await context.ask({ prompt: 'second?' })]);
      })
      .end('work')
      .build();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const answer = async (state: RunState, output: JsonValue) =>
      (await driveGraph(decide(state, { action: 'respond', output }), flow, { steering })).state;
    let { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    state = await answer(state, 1);
    inbox.act(raise);
    ({ state } = await driveGraph(state, flow, { steering }));
    expect(openInterrupts(state)).toMatchObject([
      { payload: { question: 'first?', changed: ['amount changed from 10 to 1000000'] } },
    ]);
    state = await answer(await answer(state, 2), 3);
    expect(got).toEqual([[1_000_000, 2, 3]]);
    expect(state.ended).toEqual({ type: 'done' });
  });

  test('that the person at the gate makes is no warning, and what changes beside it is', async () => {
    const { flow } = gated();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    const mine = await driveGraph(decide(state, raise), flow, { steering });
    const [asked] = openInterrupts(mine.state);
    expect(asked).toMatchObject({ kind: 'gate', payload: { state: raise.patch } });
    expect(asked?.payload).not.toHaveProperty('changed');
    inbox.send('lower', { action: { action: 'update-state', patch: { amount: 5 } }, from: SENDER });
    const theirs = await driveGraph(mine.state, flow, { steering });
    expect(openInterrupts(theirs.state)).toMatchObject([
      { payload: { state: { amount: 5 }, changed: ['amount changed from 1000000 to 5'] } },
    ]);
  });

  test('makes an open gate ask again, and passes it not', async () => {
    const { paid, flow } = gated();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    inbox.send('raise', { action: raise, from: SENDER });
    const again = await driveGraph(state, flow, { steering });
    expect(openInterrupts(again.state)).toMatchObject([
      { kind: 'gate', payload: { state: raise.patch, changed: ['amount changed from 10 to 1000000'] } },
    ]);
    await driveGraph(decide(again.state, { action: 'continue' }), flow, { steering });
    expect(paid).toEqual([[1_000_000, null]]);
  });

  test('reaches a question of a branch that waits', async () => {
    const flow = graph('many')
      .map('all', {
        items: () => [1, 2],
        worker: {
          kind: 'human',
          question: ({ item = null, amount = null }) => ({ prompt: 'Pay?', payload: { item, amount } }),
        },
      })
      .end('all')
      .build();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    inbox.act(raise);
    const again = await driveGraph(state, flow, { steering });
    expect(openInterrupts(again.state).map(({ payload }) => payload)).toMatchObject([
      { details: { item: 1, amount: 1_000_000 } },
      { details: { item: 2, amount: 10 } },
    ]);
  });
});

/** Somebody who sends words: they do not sit at the question. */
const SENDER = { type: 'person', name: 'ann', via: 'answer' } as const;

/** A gated payment behind a step that only prepares it. */
function gated(settings: GraphSettings = {}) {
  const paid: JsonValue[] = [];
  const flow = graph('pay', settings)
    .fn('prep', () => undefined)
    .fn(
      'do',
      ({ amount }, { input, guidance }) => void paid.push([amount ?? null, input ?? null, ...guidance]),
      {
        gate: { before: true },
      },
    )
    .edge('prep', 'do')
    .end('do')
    .build();
  return { paid, flow };
}

async function sentBehindYes(action: Resolution | undefined) {
  const { paid, flow } = gated();
  const inbox = new MemoryInbox();
  const steering = { inbox };
  const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
  inbox.send('words', action && { action });
  const { state: asked } = await driveGraph(decide(state, { action: 'continue' }), flow, { steering });
  return { paid, asked };
}

describe('what is sent behind the yes at a gate', () => {
  test.for<readonly [Resolution | undefined, Resolution]>([
    [
      { action: 'edit-input', value: 'all' },
      { action: 'edit-input', value: 'all' },
    ],
    [{ action: 'skip' }, { action: 'skip' }],
    [undefined, { action: 'rerun', guidance: 'words' }],
  ])('is proposed before the node runs: %j', async ([action, wanted]) => {
    const { paid, asked } = await sentBehindYes(action);
    expect(openInterrupts(asked)).toMatchObject([{ kind: 'gate', payload: { proposed: wanted } }]);
    expect(paid).toEqual([]);
  });

  test('lets nothing pass: an edit with a note is asked about again', async () => {
    const patch = { action: 'update-state', patch: { amount: 1_000_000 } } as const;
    const note = { action: 'defer', note: 'more' } as const;
    const { paid, asked } = await sentBehindYes({ action: 'sequence', actions: [patch, note] });
    expect(openInterrupts(asked)).toMatchObject([
      { kind: 'gate', payload: { state: { amount: 1_000_000 } } },
    ]);
    expect(paid).toEqual([]);
  });
});

describe('behind an answer', () => {
  const raise = { action: 'update-state', patch: { amount: 1_000_000 } } as const;

  test('a change of the state is proposed to a person, who has answered about what was there', async () => {
    const { paid, flow } = reviewed();
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    inbox.send('more', { action: raise, target: 'do' });
    const asked = await driveGraph(decide(state, { action: 'respond', output: 'yes' }), flow, { steering });
    expect(openInterrupts(asked.state)).toMatchObject([{ payload: { proposed: raise } }]);
    expect(paid).toEqual([]);
  });

  test('it is done at once where the workflow allows it by name', async () => {
    const { paid, run } = await sentBehindAnswer({ allow: ['update-state'] });
    expect({ paid, ended: run.state.ended }).toEqual({ paid: [1_000_000], ended: { type: 'done' } });
  });

  test('it is refused, and told why, where the workflow does not take it', async () => {
    const { paid, run } = await sentBehindAnswer({ allow: ['defer'], confirm: ['skip'] });
    expect(paid).toEqual([10]);
    expect(run.events.filter(({ type }) => type === 'inbox-settled')).toMatchObject([
      { outcome: { type: 'refused', why: 'this workflow does not accept `update-state` at this point' } },
    ]);
  });

  async function sentBehindAnswer(steer: NonNullable<GraphSettings['steer']>) {
    const { paid, flow } = reviewed({ steer });
    const inbox = new MemoryInbox();
    const steering = { inbox };
    const { state } = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
    const drive = driveGraph(decide(state, { action: 'respond', output: 'yes' }), flow, { steering });
    inbox.send('more', { action: raise, target: 'do' });
    return { paid, run: await drive };
  }
});

describe('what a workflow says about messages', () => {
  function chain(settings: GraphSettings, steer?: GraphSettings['steer']) {
    return graph('chain', settings)
      .fn('a', () => ({ output: 1 }), steer && { steer })
      .fn('b', () => ({ output: 2 }))
      .edge('a', 'b')
      .end('b')
      .build();
  }

  async function sent(flow: ReturnType<typeof chain>) {
    const inbox = new MemoryInbox();
    inbox.act({ action: 'skip' });
    const { state } = await driveGraph(emptyState(), flow, { steering: { inbox } });
    return { open: openOf(state), path: pathOf(state), first: state.graph?.history.at(0)?.status };
  }

  test.for<readonly [GraphSettings, readonly string[]]>([
    [{}, ['gate in@1/a@1 before']],
    [{ steer: { allow: ['skip'] } }, []],
  ])('counts for the graphs inside of it, which may say otherwise', async ([settings, open]) => {
    const inbox = new MemoryInbox();
    const inner = graph('inner', settings)
      .fn('sends', () => {
        inbox.act({ action: 'skip' });
      })
      .fn('a', () => ({ output: 1 }))
      .edge('sends', 'a')
      .end('a')
      .build();
    const outer = graph('outer', { steer: { confirm: ['skip'] } })
      .subgraph('in', { graph: inner })
      .end('in')
      .build();
    const { state } = await driveGraph(emptyState(), outer, { steering: { inbox } });
    expect(openOf(state)).toEqual(open);
  });

  test('is of the node where that says something', async () => {
    const wants = { confirm: '*' } as const;
    expect(await sent(chain({ steer: wants }))).toMatchObject({ open: ['gate a@1 before'] });
    expect(await sent(chain({ steer: wants }, { allow: '*' }))).toEqual({
      open: [],
      path: 'a@1 b@1',
      first: 'skipped',
    });
    expect(await sent(chain({ steer: { allow: [] } }))).toMatchObject({ open: [], first: 'done' });
  });

  test('names actions that messages can ask for', () => {
    const steer = JSON.parse('{"allow":["restart"]}') as NonNullable<GraphSettings['steer']>;
    expect(() => chain({ steer })).toThrow('`steer` of the graph: messages cannot `restart`');
    expect(() => chain({}, steer)).toThrow('`steer` of `a`: messages cannot `restart`');
  });
});

test('a body that has asked is not passed by, and its answer not written, by a message', async () => {
  const flow = graph('g')
    .fn('check', async (_state, c) => ({ output: await c.ask({ prompt: 'Sure?' }) }), { effect: 'none' })
    .fn('pay', () => undefined)
    .edge('check', 'pay')
    .end('pay')
    .build();
  const asked = await driveGraph(emptyState(), flow);
  const again = evolve(asked.state, { type: 'rewound', node: 'check', visit: 1 });
  for (const action of [{ action: 'skip' }, { action: 'update-state', patch: { check: true } }] as const) {
    const inbox = new MemoryInbox();
    inbox.act(action);
    const { state } = await driveGraph(again, flow, { steering: { inbox } });
    expect(openInterrupts(state)).toMatchObject([{ kind: 'gate', payload: { proposed: action } }]);
  }
});

test('a message that is refused takes no number from the next question', async () => {
  const { flow } = reviewed();
  const inbox = new MemoryInbox();
  const steering = { inbox };
  inbox.act({ action: 'go-back', steps: 9 });
  const first = await driveGraph(emptyState(), flow, { steering, start: { set: { amount: 10 } } });
  expect(openInterrupts(first.state).map(({ id }) => id)).toEqual(['i1']);
  inbox.act({ action: 'update-state', patch: { amount: 11 } });
  const again = await driveGraph(first.state, flow, { steering });
  expect(openInterrupts(again.state)).toMatchObject([{ payload: { details: { amount: 11 } } }]);
});
