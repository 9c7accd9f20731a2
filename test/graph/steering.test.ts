import { describe, expect, test } from 'vitest';

import type { Resolution, SessionEvent } from '../../src/core/index.js';
import { activationId, emptyState, livePath, openInterrupts } from '../../src/core/index.js';
import { graph, runGraph } from '../../src/graph/index.js';
import type { ActionChosen, GraphSteering } from '../../src/graph/index.js';
import { scene } from '../engine/drive.js';
import { fold } from '../../src/core/index.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { decide } from './drive-graph.js';

const chain = graph('chain')
  .fn('a', () => ({ output: 1 }))
  .fn('b', (_state, { guidance }) => ({ output: guidance.join() }))
  .fn('c', () => ({ output: 3 }))
  .edge('a', 'b')
  .edge('b', 'c')
  .end('c')
  .build();

/** Drives the chain with what was sent; `at` is called before each batch is kept. */
async function drive(
  steering: GraphSteering,
  from = emptyState(),
  at: (events: readonly SessionEvent[]) => void = () => undefined,
) {
  let state = from;
  const events: SessionEvent[] = [];
  const steps = runGraph(from, chain, { run: scene(), steering }, new AbortController().signal);
  for (;;) {
    const step = await steps.next(state);
    if (step.done === true) return { state, events, outcome: step.value };
    if (!step.value.durable) continue;
    at(step.value.events);
    events.push(...step.value.events);
    state = fold(structuredClone(step.value.events), state);
  }
}

function path({ state }: Awaited<ReturnType<typeof drive>>): readonly string[] | undefined {
  return state.graph && livePath(state.graph).map((one) => `${activationId(one)} ${one.status}`);
}

function outcomes(events: readonly SessionEvent[]) {
  return events.flatMap((event) => (event.type === 'inbox-settled' ? [[event.id, event.outcome]] : []));
}

describe('what others send to a running workflow', () => {
  test('is looked for before and after each node (Q-10)', async () => {
    const inbox = new MemoryInbox();
    await drive({ inbox });
    expect(inbox.points.map(({ phase, path: at }) => `${phase} ${at}`)).toEqual([
      'before a@1',
      'after a@1',
      'before b@1',
      'after b@1',
      'before c@1',
      'after c@1',
    ]);
  });

  test('is guidance for the next node where it names no action', async () => {
    const inbox = new MemoryInbox();
    const run = await drive({ inbox }, emptyState(), (events) => {
      if (events.some((event) => event.type === 'node-started' && event.node === 'a')) inbox.send('be brief');
    });
    expect(run.state.graph?.state).toEqual({ a: 1, b: 'be brief', c: 3 });
    expect(outcomes(run.events)).toEqual([['m1', { type: 'applied' }]]);
  });

  test.for<[Resolution, readonly string[]]>([
    [{ action: 'skip' }, ['a@1 skipped', 'b@1 done', 'c@1 done']],
    [{ action: 'goto', node: 'c' }, ['a@1 skipped', 'c@1 done']],
    [{ action: 'update-state', patch: { seen: true } }, ['a@1 done', 'b@1 done', 'c@1 done']],
    [{ action: 'defer', note: 'look again' }, ['a@1 done', 'b@1 done', 'c@1 done']],
  ])('does %j before a node, as an answer of the sender to a gate', async ([action, wanted]) => {
    const inbox = new MemoryInbox();
    inbox.act(action);
    const run = await drive({ inbox });
    expect({ ended: run.state.ended, path: path(run) }).toEqual({ ended: { type: 'done' }, path: wanted });
    expect([...run.state.resolved].map(({ resolution, by }) => ({ resolution, by }))).toMatchObject([
      { resolution: action, by: { name: 'ann' } },
    ]);
  });

  test('is refused, told and without effect where it cannot be done there', async () => {
    const inbox = new MemoryInbox();
    inbox.act({ action: 'go-back', steps: 9 });
    const run = await drive({ inbox });
    expect(path(run)).toEqual(['a@1 done', 'b@1 done', 'c@1 done']);
    expect(outcomes(run.events)).toEqual([
      ['m1', { type: 'refused', why: expect.stringContaining('before the start of the path') as string }],
    ]);
  });

  test('is refused where it jumps to an unknown node', async () => {
    const inbox = new MemoryInbox();
    inbox.act({ action: 'goto', node: 'd' });
    const run = await drive({ inbox });
    expect(path(run)).toEqual(['a@1 done', 'b@1 done', 'c@1 done']);
    expect(outcomes(run.events)).toEqual([
      ['m1', { type: 'refused', why: 'unknown node `d`; known nodes: a, b, c' }],
    ]);
  });

  test('pauses durably, and goes on when somebody says so', async () => {
    const inbox = new MemoryInbox();
    inbox.sendVerb('pause');
    const paused = await drive({ inbox });
    expect(paused.outcome.type).toBe('interrupted');
    expect(openInterrupts(paused.state)).toMatchObject([{ kind: 'pause', payload: { by: 'ann' } }]);
    const after = await drive({ inbox }, decide(paused.state, { action: 'continue' }));
    expect(path(after)).toEqual(['a@1 done', 'b@1 done', 'c@1 done']);
  });

  test('cancels at the safe point, and can be taken up again', async () => {
    const inbox = new MemoryInbox();
    inbox.sendVerb('cancel');
    const cancelled = await drive({ inbox });
    expect(cancelled.state.ended).toEqual({ type: 'aborted' });
    const after = await drive({ inbox }, cancelled.state);
    expect(path(after)).toEqual(['a@1 done', 'b@1 done', 'c@1 done']);
  });
});

describe('free text that a model reads', () => {
  function reading(choice: ActionChosen['choice']): NonNullable<GraphSteering['reason']> {
    return async ({ message }) => ({
      type: 'action-chosen',
      message: message.id,
      choice,
      model: 'script',
      attempts: 1,
    });
  }
  const skip: ActionChosen['choice'] = {
    type: 'action',
    resolution: { action: 'skip' },
    reason: 'it says so',
    confidence: 0.9,
    confirm: true,
  };

  test('is asked about first where it leaves out, undoes or ends something (N-5)', async () => {
    const inbox = new MemoryInbox();
    inbox.send('leave that out');
    const steering = { inbox, reason: reading(skip) };
    const asked = await drive(steering);
    expect(openInterrupts(asked.state)).toMatchObject([
      {
        kind: 'gate',
        payload: { message: 'leave that out', from: 'ann', why: 'it says so', proposed: { action: 'skip' } },
      },
    ]);
    const done = await drive(steering, decide(asked.state, { action: 'continue' }));
    expect(path(done)).toEqual(['a@1 skipped', 'b@1 done', 'c@1 done']);
    const not = await drive(steering, decide(asked.state, { action: 'reject' }));
    expect(path(not)).toEqual(['a@1 done', 'b@1 done', 'c@1 done']);
  });

  test('is done at once where it harms nothing, by the sender, with the reason in the journal (N-8)', async () => {
    const inbox = new MemoryInbox();
    inbox.send('note that prices are new');
    const run = await drive({
      inbox,
      reason: reading({ ...skip, resolution: { action: 'defer', note: 'new prices' }, confirm: false }),
    });
    expect(run.state.graph?.todos).toMatchObject([{ note: 'new prices' }]);
    expect(run.events.find(({ type }) => type === 'action-chosen')).toMatchObject({
      choice: { reason: 'it says so' },
    });
  });

  test('asks a person where it makes nothing of it (N-4)', async () => {
    const inbox = new MemoryInbox();
    inbox.send('hm');
    const run = await drive({ inbox, reason: reading({ type: 'pause', why: 'no usable answer' }) });
    expect(openInterrupts(run.state)).toMatchObject([{ kind: 'gate', payload: { why: 'no usable answer' } }]);
  });
});
