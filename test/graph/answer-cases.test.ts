import { describe, expect, test } from 'vitest';

import type { Answer, Interrupt, Resolution, RunState } from '../../src/core/index.js';
import { interruptId, openInterrupts, textOf } from '../../src/core/index.js';
import { checkResume } from '../../src/engine/index.js';
import type { Graph } from '../../src/graph/index.js';
import { graph } from '../../src/graph/index.js';
import { parseAnswer } from '../../src/human/index.js';
import { reject, requireApproval, respond, restart, toolSet } from '../../src/tools/index.js';
import { answer, calls, drive, scene, tool } from '../engine/drive.js';
import { ANN, AT, userSaid } from '../helpers/events.js';
import { fold } from '../../src/core/index.js';
import { decide, driveGraph, openOf, pathOf, startGraph } from './drive-graph.js';

const NO_TOOLS = toolSet([]);

function onlyOpen(state: RunState): Interrupt {
  const [open, ...more] = openInterrupts(state);
  if (open === undefined || more.length > 0) throw new Error(`${more.length + 1} are open`);
  return open;
}

/** A node that asks for a form, and one that asks for anything. */
function asking(schema?: NonNullable<Parameters<typeof parseAnswer>[1]['interrupt']['answerSchema']>): Graph {
  return graph('ask')
    .human('h', { question: () => ({ prompt: 'how old?', ...(schema !== undefined && { schema }) }) })
    .end('h')
    .build();
}

const gated = graph('g', { interruptBefore: ['b'] })
  .fn('a', () => 'A')
  .fn('b', () => 'B')
  .edge('a', 'b')
  .end('b')
  .build();

describe('edges', () => {
  test('case 12: of two that match with one priority and one weight the first declared is taken', async () => {
    const build = (targets: readonly string[]): Graph => {
      const builder = graph('g').fn('a', () => 1);
      for (const name of ['b', 'c']) builder.fn(name, () => name);
      for (const to of targets) builder.edge('a', to, { when: 'state.a == 1', weight: 2 });
      return builder.end('b', 'c').build();
    };
    for (const [targets, path] of [
      [['b', 'c'], 'a@1 b@1'],
      [['c', 'b'], 'a@1 c@1'],
    ] as const)
      expect(pathOf((await startGraph(build(targets))).state)).toBe(path);
  });
});

describe('gates', () => {
  test('case 39: points that were set at the start hold on a resume that does not repeat them', async () => {
    const plain = graph('g')
      .fn('a', () => 1)
      .fn('b', () => 2)
      .edge('a', 'b')
      .end('b')
      .build();
    const first = await startGraph(plain, { start: { before: ['a'], after: ['b'] } });
    expect(openOf(first.state)).toEqual(['gate a@1 before']);
    const second = await driveGraph(decide(first.state, { action: 'continue' }), plain);
    expect(openOf(second.state)).toEqual(['gate b@1 after']);
    const done = await driveGraph(decide(second.state, { action: 'continue' }), plain);
    expect([done.state.ended, pathOf(done.state)]).toEqual([{ type: 'done' }, 'a@1 b@1']);
  });

  test('case 54: `continue` goes on, and is kept with who said it and when', async () => {
    const { state } = await startGraph(gated);
    const interrupt = onlyOpen(state);
    const after = decide(state, { action: 'continue' });
    expect([...after.resolved]).toEqual([
      { interrupt, resolution: { action: 'continue' }, by: ANN, resolvedAt: AT },
    ]);
    expect((await driveGraph(after, gated)).state.ended).toEqual({ type: 'done' });
  });

  test('case 65: an action that there is not is refused, and nothing is done', async () => {
    const { state } = await startGraph(gated);
    const interrupt = onlyOpen(state);
    const explode = { action: 'explode' } as unknown as Resolution;
    expect(() => decide(state, explode)).toThrow('`explode` does not answer gate `i1`');
    for (const line of ['explode', '{"action":"explode"}'])
      expect(parseAnswer(line, { interrupt })).toMatchObject({ ok: false });
    const again = await driveGraph(state, gated);
    expect([again.events, openOf(again.state)]).toEqual([[], ['gate b@1 before']]);
  });
});

describe('answers', () => {
  const schema = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };

  test('case 41: what does not fit the schema is refused; the question is open and takes another answer', async () => {
    const flow = asking(schema);
    const { state } = await startGraph(flow);
    const open = onlyOpen(state);
    expect(() => respond(open, { age: 'x' })).toThrow('invalid answer to `i1`: age');
    expect(parseAnswer('{"age":"x"}', { interrupt: open })).toMatchObject({ ok: false });
    expect(openOf(state)).toEqual(['question h@1 run']);
    const { resolution } = respond(open, { age: 7 });
    const done = await driveGraph(decide(state, resolution), flow);
    expect([done.state.graph?.state, done.state.ended]).toEqual([{ h: { age: 7 } }, { type: 'done' }]);
  });

  test('case 43: an id that is not there names what is open, and nothing begins', async () => {
    const { state } = await startGraph(asking());
    const stray: Answer = { ...respond(onlyOpen(state), 1), id: interruptId('i9') };
    expect(await checkResume(state, [stray], NO_TOOLS, { complete: false })).toEqual([
      { kind: 'unknown', interrupt: 'i9', message: 'no interrupt `i9`; open: question `i1`' },
    ]);
    const again = await driveGraph(state, asking());
    expect([again.events, openOf(again.state)]).toEqual([[], ['question h@1 run']]);
  });

  test('case 44: an id that was answered is refused, and the first answer stands', async () => {
    const flow = asking();
    const { state } = await startGraph(flow);
    const open = onlyOpen(state);
    const after = decide(state, { action: 'respond', output: 1 });
    expect(await checkResume(after, [respond(open, 2)], NO_TOOLS, { complete: false })).toEqual([
      {
        kind: 'stale',
        interrupt: 'i1',
        message: 'question `i1` was already answered: respond, by ann',
      },
    ]);
    expect((await driveGraph(after, flow)).state.graph?.state).toEqual({ h: 1 });
  });
});

describe('tools of an agent', () => {
  test('case 47: one that was denied is never called', async () => {
    let ran = 0;
    const careless = requireApproval(tool('send', () => (ran += 1)));
    const flow = graph('g')
      .agent('w', { prompt: () => 'send' })
      .end('w')
      .build();
    const run = scene({ replies: [calls(['send']), 'understood'], tools: [careless] });
    const { state } = await startGraph(flow, { run });
    const { resolution } = reject(onlyOpen(state), { reason: 'not today' });
    const done = await driveGraph(decide(state, resolution), flow, { run });
    expect([ran, done.state.graph?.state, done.state.ended]).toEqual([
      0,
      { w: 'understood' },
      { type: 'done' },
    ]);
  });

  test('case 53: a call that is done is not run again; the model sees both outputs in the order of the calls', async () => {
    const ran: string[] = [];
    const p = tool('p', () => {
      ran.push('p');
      return 0;
    });
    const q = requireApproval(
      tool('q', () => {
        ran.push('q');
        return 'q';
      }),
    );
    const flow = graph('g')
      .agent('w', { prompt: () => 'both' })
      .end('w')
      .build();
    const run = scene({ replies: [calls(['p'], ['q']), 'done'], tools: [p, q] });
    const { state } = await startGraph(flow, { run });
    expect([ran, openOf(state)]).toEqual([['p'], ['confirmation w@1/q']]);
    await driveGraph(decide(state, restart(onlyOpen(state)).resolution), flow, { run });
    expect(ran).toEqual(['p', 'q']);
    const told = run.model.requests.at(-1)?.messages.at(-1)?.content;
    expect(told).toMatchObject([
      { type: 'tool-response', ref: 'r1', name: 'p', output: 0 },
      { type: 'tool-response', ref: 'r2', name: 'q', output: 'q' },
    ]);
  });

  test('case 82: a node that waited goes on with its own input and its conversation', async () => {
    const ask = requireApproval(tool('ask', () => 'fine'));
    const flow = graph('g')
      .agent('w', { prompt: (state) => `about ${JSON.stringify(state['topic'])}` })
      .end('w')
      .build();
    const run = scene({ replies: [calls(['ask']), 'written'], tools: [ask] });
    const { state } = await startGraph(flow, { run, start: { set: { topic: 'tea' } } });
    const answered = decide(state, { action: 'respond', output: 'words of a person' });
    const { state: done } = await driveGraph(answered, flow, { run });
    expect(run.model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'model', 'tool'],
    ]);
    const [first] = run.model.requests.at(-1)?.messages ?? [];
    expect([first === undefined ? '' : textOf(first), done.graph?.state]).toEqual([
      'about "tea"',
      { topic: 'tea', w: 'written' },
    ]);
  });
});

describe('a run that is done', () => {
  test('case 86: another message begins anew, and nothing of before is run again', async () => {
    let looked = 0;
    const look = tool('look', () => (looked += 1));
    const run = scene({ replies: [calls(['look']), 'first', 'second'], tools: [look] });
    const first = await drive(fold([userSaid('one')]), run);
    expect([looked, first.state.ended]).toEqual([1, { type: 'done' }]);
    const second = await drive(fold([userSaid('two')], first.state), run);
    expect(second.events.map(({ type }) => type)).toEqual(['model-started', 'message-added', 'run-ended']);
    const last = second.state.entries.at(-1)?.message;
    expect([looked, last === undefined ? '' : textOf(last)]).toEqual([1, 'second']);
  });

  test('case 86: a workflow that is done tells nothing of itself again', async () => {
    const { state } = await startGraph(asking());
    const done = await driveGraph(answer(state, { action: 'respond', output: 1 }), asking());
    const again = await driveGraph(done.state, asking());
    expect([again.events, again.outcome]).toEqual([
      [],
      { type: 'ended', reason: { type: 'done' }, state: done.state },
    ]);
  });

  test('case 89: rewound to its first node it has its initial state', async () => {
    const flow = graph('g', { interruptBefore: ['a'] })
      .fn('a', () => ({ patch: { tenant: 'changed' } }))
      .fn('b', () => 1)
      .edge('a', 'b')
      .end('b')
      .build();
    const first = await startGraph(flow, { start: { set: { tenant: 'acme' } } });
    const done = await driveGraph(decide(first.state, { action: 'continue' }), flow);
    expect(done.state.graph?.state).toEqual({ tenant: 'changed', b: 1 });
    const rewound = fold([{ type: 'rewound', node: 'a', visit: 1 }], done.state);
    const back = await driveGraph(rewound, flow);
    expect([back.state.graph?.state, pathOf(back.state), openOf(back.state)]).toEqual([
      { tenant: 'acme' },
      'a@2',
      ['gate a@2 before'],
    ]);
  });
});
