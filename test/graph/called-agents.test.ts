import { describe, expect, test } from 'vitest';

import type { Model, RunState, Tool } from '../../src/core/index.js';
import { emptyState, nodePath, openInterrupts } from '../../src/core/index.js';
import type { CalledAgent, Graph } from '../../src/graph/index.js';
import { graph, runGraph, toolsAt, toolsOfGraph } from '../../src/graph/index.js';
import type { ScriptReply } from '../../src/testing/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { requireApproval, toolSet } from '../../src/tools/index.js';
import { calls, deferred, scene, tool, toolOutputs } from '../engine/drive.js';
import { decide, Died, driveGraph, openOf, startGraph } from './drive-graph.js';

/** A chief that may call `research`. */
function chief(agents: Readonly<Record<string, CalledAgent>>): Graph {
  return graph('g')
    .agent('chief', { prompt: () => 'find out', agents })
    .fn('after', (state) => state['chief'] ?? null)
    .edge('chief', 'after')
    .end('after')
    .build();
}

function called(model: Model, ...tools: readonly Tool[]): CalledAgent {
  return { description: 'Looks things up.', model, tools: toolSet(tools) };
}

/** What the chief was told by those that it called. */
function toldTo({ graph: frame }: RunState): readonly unknown[] {
  const first = frame?.history.at(0)?.frames.get('') ?? frame?.current?.frames.get('');
  return first === undefined ? [] : toolOutputs(first);
}

const ASKS: ScriptReply = calls(['research', { request: 'the price of tea' }]);

/** A researcher whose `look` asks for approval, and is counted. */
function researcher() {
  const seen: string[] = [];
  const look = requireApproval(
    tool('look', () => {
      seen.push('look');
      return 30;
    }),
  );
  const first = tool('note', () => {
    seen.push('note');
    return 0;
  });
  const model = scriptedModel([calls(['note'], ['look', {}, 'r2']), 'it is 30']);
  return { seen, model, agent: called(model, look, first) };
}

describe('an agent that another one calls', () => {
  test('case 52: asks in the same run, with its path; the outer call is pending until it is done', async () => {
    const { seen, model, agent } = researcher();
    const flow = chief({ research: agent });
    const run = scene({ replies: [ASKS, 'tea is 30'] });
    const first = await startGraph(flow, { run });
    expect([openOf(first.state), first.outcome]).toMatchObject([
      ['confirmation chief@1/research#r1/look'],
      { type: 'interrupted', interrupts: [{ path: 'chief@1/research#r1' }] },
    ]);
    const outer = first.state.graph?.current?.frames.get('')?.open?.calls ?? [];
    expect([outer.map(({ state }) => state.status), seen]).toEqual([['started'], ['note']]);
    const done = await driveGraph(decide(first.state, { action: 'restart' }), flow, { run });
    expect([seen, done.state.graph?.state, done.state.ended]).toEqual([
      ['note', 'look'],
      { chief: 'tea is 30', after: 'tea is 30' },
      { type: 'done' },
    ]);
    expect([toldTo(done.state), model.requests.length, run.model.requests.length]).toEqual([
      ['it is 30'],
      2,
      2,
    ]);
  });

  test('case 52: tells nothing where it is taken up without an answer', async () => {
    const { agent } = researcher();
    const flow = chief({ research: agent });
    const run = scene({ replies: [ASKS] });
    const { state } = await startGraph(flow, { run });
    const again = await driveGraph(state, flow, { run });
    expect([again.events, again.outcome.type, openOf(again.state)]).toEqual([
      [],
      'interrupted',
      ['confirmation chief@1/research#r1/look'],
    ]);
  });

  test('case 52: waits beside a question of the one that calls; what works is finished first', async () => {
    const { agent } = researcher();
    const slow = deferred();
    const works = tool('works', async () => {
      await slow.promise;
      return 'worked';
    });
    const sends = requireApproval(tool('send', () => 'sent'));
    const replies = [
      calls(['research', { request: 'x' }, 'r1'], ['send', {}, 'r2'], ['works', {}, 'r3']),
      'all',
    ];
    const run = scene({ replies, tools: [works, sends] });
    const flow = chief({ research: agent });
    setImmediate(slow.resolve);
    let { state } = await startGraph(flow, { run });
    expect([...openOf(state)].sort()).toEqual([
      'confirmation chief@1/research#r1/look',
      'confirmation chief@1/send',
    ]);
    const status = () => state.graph?.current?.frames.get('')?.open?.calls.map((one) => one.state.status);
    expect(status()).toEqual(['started', 'interrupted', 'settled']);
    state = decide(state, { action: 'restart' }, ({ path }) => path === 'chief@1');
    state = decide(state, { action: 'reject' });
    const done = await driveGraph(state, flow, { run });
    expect([toldTo(done.state), done.state.ended]).toEqual([
      ['it is 30', 'sent', 'worked'],
      { type: 'done' },
    ]);
  });

  test('case 52: dies at any event, and ends the same, with each effect once', async () => {
    const whole = researcher();
    const { events } = await startGraph(chief({ research: whole.agent }), {
      run: scene({ replies: [ASKS] }),
    });
    for (let dieAfter = 0; dieAfter < events.length; dieAfter += 1) {
      const { seen, agent } = researcher();
      const flow = chief({ research: agent });
      const run = scene({ replies: [ASKS, 'tea is 30'] });
      const died = await startGraph(flow, { run, dieAfter }).then(
        ({ state }) => state,
        (thrown: unknown) => {
          if (!(thrown instanceof Died)) throw thrown;
          return thrown.state;
        },
      );
      let state = died;
      for (let round = 0; state.ended === undefined && round < 6; round += 1) {
        ({ state } = await driveGraph(state, flow, { run }));
        const [open] = openInterrupts(state);
        if (open === undefined) continue;
        const isDone = open.kind === 'in-doubt' && seen.includes('note');
        state = decide(
          state,
          open.kind !== 'in-doubt'
            ? { action: 'restart' }
            : isDone
              ? { action: 'respond', output: 0 }
              : { action: 'retry' },
        );
      }
      expect({ dieAfter, seen, end: state.graph?.state }).toEqual({
        dieAfter,
        seen: ['note', 'look'],
        end: { chief: 'tea is 30', after: 'tea is 30' },
      });
    }
  });

  test('that fails is told to the one that called it', async () => {
    const model: Model = {
      id: 'broken',
      // oxlint-disable-next-line require-yield -- it fails before it says anything
      async *generate() {
        await Promise.resolve();
        throw new Error('no model');
      },
    };
    const run = scene({ replies: [ASKS, 'I could not'] });
    const { state } = await startGraph(chief({ research: called(model) }), { run });
    expect([state.graph?.state, state.ended]).toEqual([
      { chief: 'I could not', after: 'I could not' },
      { type: 'done' },
    ]);
    expect(JSON.stringify(toldTo(state))).toContain('no model');
  });

  test('stops when the run is aborted, and a consumer that leaves waits for it (R3)', async () => {
    for (const how of ['abort', 'leave'] as const) {
      let isStopped = false;
      const waits = tool('waits', async (_input, { signal, progress }) => {
        progress('on my way');
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            resolve();
          });
        });
        isStopped = true;
        return 1;
      });
      const stop = new AbortController();
      const flow = chief({ research: called(scriptedModel([calls(['waits'])]), waits) });
      const steps = runGraph(emptyState(), flow, { run: scene({ replies: [ASKS] }) }, stop.signal);
      let step = await steps.next();
      while (step.done !== true && (step.value.durable || step.value.event.type !== 'tool-progress'))
        step = await steps.next();
      if (how === 'leave')
        await steps.return({ type: 'ended', reason: { type: 'aborted' }, state: emptyState() });
      else {
        stop.abort();
        while (step.done !== true) step = await steps.next();
        expect(step.value).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
      }
      expect([how, isStopped]).toEqual([how, true]);
    }
  });
});

describe('the tools of called agents', () => {
  test('are among those of the graph, and those at their path', async () => {
    const { agent } = researcher();
    const flow = chief({ research: agent });
    const names = async (path: string) =>
      [...(await toolsAt(flow, {}, nodePath(path), toolSet([])))].map(({ name }) => name);
    expect(toolsOfGraph(flow).map(({ name }) => name)).toEqual(['look', 'note']);
    expect([await names('chief@1'), await names('chief@1/research#r1')]).toEqual([[], ['look', 'note']]);
  });

  test('an agent with a name that no tool can have is refused', () => {
    const { agent } = researcher();
    expect(() => chief({ 'a b': agent })).toThrow('`a b` in `chief` is not a valid agent name');
  });
});
