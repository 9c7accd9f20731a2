import { describe, expect, test } from 'vitest';

import type {
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  Part,
  RunState,
  Tool,
} from '../../src/core/index.js';
import { HitlError, schemaDigest, textPart, toolRef } from '../../src/core/index.js';
import { run } from '../../src/engine/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { interruptOf, modelSaid, requestPart, stateAfter, userSaid } from '../helpers/events.js';
import { calls, deferred, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));

/** A model that tells these events, whatever it is asked. */
function telling(...told: readonly (ModelEvent | Error)[]): Model {
  return {
    id: 'told',
    async *generate() {
      for (const event of told) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
  };
}

function replying(reply: ModelReply): ModelEvent {
  return { type: 'reply', reply };
}

function request(ref: string, name = 'look'): Part {
  return requestPart(name, ref);
}

/** The next events that must be on disk before the run goes on. */
async function nextDurable(steps: ReturnType<typeof run>): Promise<readonly string[]> {
  for (let step = await steps.next(); step.done !== true; step = await steps.next()) {
    if (step.value.durable) return names(step.value.events);
  }
  return [];
}

describe('a run', () => {
  test('tells what is durable in the order in which it must be on disk', async () => {
    const look = tool('look', () => 'seen');
    const options = scene({ replies: [calls(['look']), 'done'], tools: [look] });
    const { events, outcome } = await drive(hi, options);
    expect(names(events)).toEqual([
      'model-started',
      'model',
      'started r1#1',
      'settled r1 output',
      'model-started',
      'model',
      'ended done',
    ]);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    options.model.assertAllUsed();
  });

  test('does not go on before the consumer does (law 2)', async () => {
    const entered: string[] = [];
    const options = scene({ replies: [calls(['look'])], tools: [tool('look', () => entered.push('look'))] });
    const steps = run(hi, options, new AbortController().signal);
    const happened: unknown[] = [];
    for (const _event of ['model-started', 'model', 'started r1#1']) {
      happened.push([await nextDurable(steps), options.model.requests.length, [...entered]]);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    expect(happened).toEqual([
      [['model-started'], 0, []],
      [['model'], 1, []],
      [['started r1#1'], 1, []],
    ]);
    await steps.next();
    expect(entered).toEqual(['look']);
  });

  test('of a session that has nothing to do is over at once', async () => {
    const done = stateAfter(userSaid('hi'), modelSaid([textPart('hello')]));
    const { events, outcome } = await drive(done, scene());
    expect(events).toEqual([]);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });

  test('gives the model what it was given: system, tools, length, and the messages of the state', async () => {
    const look = tool('look', () => 1);
    const options = scene({ tools: [look], system: 'be kind', maxOutputTokens: 9 });
    await drive(hi, options);
    expect(options.model.requests).toEqual([
      {
        attempt: 1,
        system: 'be kind',
        maxOutputTokens: 9,
        tools: options.tools.descriptors,
        messages: [{ role: 'user', content: [textPart('hi')] }],
      },
    ]);
  });

  test('passes on what streams by, and does not keep it', async () => {
    const told: ModelEvent[] = [
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'hel' },
      { type: 'tool-input-delta', name: 'look', characters: 3 },
    ];
    const model = telling(...told, replying({ content: [textPart('hello')], end: 'stop' }));
    const { transient, events } = await drive(hi, { ...scene(), model });
    expect(transient).toEqual(told);
    expect(names(events)).toEqual(['model-started', 'model', 'ended done']);
  });

  test('keeps usage and end of a reply', async () => {
    const usage = { inputTokens: 3, outputTokens: 4, costUsd: 0.1 };
    const model = telling(replying({ content: [textPart('…')], end: 'length', usage }));
    const { state } = await drive(hi, { ...scene(), model });
    expect(state.entries.at(-1)).toMatchObject({ usage, end: 'length' });
    expect(state.usage).toEqual(usage);
  });
});

describe('a model that fails', () => {
  test.for<[string, unknown, object]>([
    [
      'an error of ours',
      new HitlError('MODEL_FAILED', 'overloaded', { hint: 'wait' }),
      { code: 'MODEL_FAILED', message: 'overloaded', hint: 'wait' },
    ],
    [
      'one without a hint',
      new HitlError('MODEL_FAILED', 'overloaded'),
      { code: 'MODEL_FAILED', message: 'overloaded' },
    ],
    ['any other error', new Error('socket hang up'), { code: 'MODEL_FAILED', message: 'socket hang up' }],
  ])('with %s ends the run, and keeps no stack', async ([, thrown, error]) => {
    const model = telling(thrown as Error);
    const { outcome, events } = await drive(hi, { ...scene(), model });
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'failed', error } });
    const { error: kept } = outcome as { error: HitlError };
    expect([kept, kept.cause]).toContain(thrown); // as it was, or what it says
    expect(events.at(-1)).toEqual({ type: 'run-ended', reason: { type: 'failed', error } });
  });

  test('keeps what was shown of the reply beside history (G20)', async () => {
    const model = telling(
      { type: 'text-delta', text: 'first ' },
      { type: 'restarted' },
      { type: 'text-delta', text: 'hel' },
      { type: 'text-delta', text: 'lo' },
      new Error('cut'),
    );
    const { state } = await drive(hi, { ...scene(), model });
    expect(state.ended).toEqual({
      type: 'failed',
      error: { code: 'MODEL_FAILED', message: 'cut' },
      partial: 'hello',
    });
    expect(state.entries.length).toBe(1);
  });

  test('is asked again by the next run, as the next attempt', async () => {
    const { state } = await drive(hi, { ...scene(), model: telling(new Error('cut')) });
    const second = await drive(state, scene());
    expect(second.events[0]).toEqual({ type: 'model-started', attempt: 2 });
    expect(second.state).toMatchObject({ modelAttempts: 0, ended: { type: 'done' } });
  });

  test('to give a reply at all has failed', async () => {
    const { outcome } = await drive(hi, { ...scene(), model: telling({ type: 'text-delta', text: 'x' }) });
    expect(outcome).toMatchObject({
      reason: {
        type: 'failed',
        error: { code: 'MODEL_FAILED', message: 'model `told` ended its stream without a reply' },
      },
    });
  });
});

describe('tool requests of a reply', () => {
  test('that was cut short never run; the model is told (G20)', async () => {
    const replies: ModelReply[] = [
      { content: [textPart('I will'), request('r1')], end: 'length' },
      { content: [textPart('again')], end: 'stop' },
    ];
    const model: Model = {
      id: 'cut',
      async *generate({ messages }: ModelRequest) {
        yield replying(replies[messages.length === 1 ? 0 : 1]!);
      },
    };
    const entered: string[] = [];
    const { state } = await drive(hi, {
      ...scene({ tools: [tool('look', () => entered.push('look'))] }),
      model,
    });
    expect(entered).toEqual([]);
    expect(toolOutputs(state)).toEqual(['the reply ended before this call was complete; it did not run']);
  });

  test.for<[string[], string[]]>([
    [
      ['', ''],
      ['call2', 'call2~2'],
    ],
    [
      ['a', 'a', 'a'],
      ['a', 'a~2', 'a~3'],
    ],
    [
      ['a~2', 'a', 'a'],
      ['a~2', 'a', 'a~3'],
    ],
  ])('with the refs %j get the refs %j', async ([given, made]) => {
    const model = telling(replying({ content: given.map((ref) => request(ref)), end: 'tool-use' }));
    const { outcome } = await drive(hi, { ...scene(), model, returnToolRequests: true });
    expect(outcome.state.open?.calls.map(({ request: { ref } }) => ref)).toEqual(made);
  });

  test('with a ref of an earlier turn get another', async () => {
    const options = scene({
      replies: [calls(['look']), calls(['look'])],
      tools: [tool('look', () => 1)],
    });
    let turns = 0;
    const stopWhen = (): string | undefined => ((turns += 1) === 2 ? 'two' : undefined);
    const { state } = await drive(hi, { ...options, stopWhen });
    expect([state.refs.has('r1'), state.refs.has('r1~2')]).toEqual([true, true]);
  });

  test('are handed back on demand, and nothing runs', async () => {
    const options = scene({ replies: [calls(['look'])], returnToolRequests: true });
    const { outcome, events } = await drive(hi, options);
    expect(names(events)).toEqual(['model-started', 'model']);
    expect(outcome).toMatchObject({ type: 'interrupted', interrupts: [] });
  });
});

describe('parallel tools', () => {
  test('run at once, are told of as they end, and are presented in source order (law 4)', async () => {
    const [a, b] = [deferred(), deferred()];
    const slow = tool('slow', async () => {
      a.resolve();
      await b.promise;
      return 'slow';
    });
    const fast = tool('fast', async () => {
      await a.promise;
      return 'fast';
    });
    const options = scene({ replies: [calls(['slow'], ['fast']), 'done'], tools: [slow, fast] });
    const { events, state } = await drive(hi, options, {
      kept: (event) => {
        if (event.type === 'tool-settled' && event.ref === toolRef('r2')) b.resolve();
      },
    });
    expect(names(events).slice(2, 6)).toEqual([
      'started r1#1',
      'started r2#1',
      'settled r2 output',
      'settled r1 output',
    ]);
    expect(toolOutputs(state)).toEqual(['slow', 'fast']);
  });

  test('of which one waits leave the results of the others parked', async () => {
    const options = scene({
      replies: [calls(['ask'], ['look'], ['gone'])],
      tools: [tool('ask', (_input, context) => context.interrupt('sure?')), tool('look', () => 'seen')],
    });
    const { outcome, state } = await drive(hi, options);
    expect(outcome).toMatchObject({ type: 'interrupted', interrupts: [{ id: 'i1', payload: 'sure?' }] });
    expect(state.open?.calls.map((call) => call.state.status)).toEqual(['interrupted', 'settled', 'settled']);
  });

  test('ask with ids that count on, whichever asks first', async () => {
    const ask = tool('ask', (_input, context) => context.interrupt());
    const first = await drive(hi, scene({ replies: [calls(['ask'], ['ask'])], tools: [ask] }));
    expect(first.state.interruptCount).toBe(2);
    expect(first.outcome).toMatchObject({ interrupts: [{ id: 'i1' }, { id: 'i2' }] });
  });
});

describe('progress of a tool', () => {
  test('is told while it runs, with whose it is, and is not kept', async () => {
    const look = tool('look', async (_input, context) => {
      context.progress('half');
      await Promise.resolve();
      context.progress('whole');
      return 'seen';
    });
    const { transient, events } = await drive(
      hi,
      scene({ replies: [calls(['look']), 'done'], tools: [look] }),
    );
    const progress = { type: 'tool-progress', ref: 'r1', name: 'look' };
    expect(transient.filter(({ type }) => type === 'tool-progress')).toEqual([
      { ...progress, text: 'half' },
      { ...progress, text: 'whole' },
    ]);
    expect(events.some(({ type }) => (type as string) === 'tool-progress')).toBe(false);
  });
});

describe('a consumer that leaves in the middle of a round', () => {
  /** A tool that tells of itself, works until it is told to stop, and ends in `end` then. */
  function working(end: () => number) {
    const stopped: string[] = [];
    const look = tool('look', async (_input, { signal, progress }) => {
      progress('on my way');
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
      stopped.push('look');
      return end();
    });
    return { look, stopped };
  }

  test('stops the tools, and is kept until they have stopped (R3)', async () => {
    const { look, stopped } = working(() => {
      throw new Error('stopped');
    });
    const options = scene({ replies: [calls(['look'])], tools: [look] });
    for await (const step of run(hi, options, new AbortController().signal)) {
      if (!step.durable && step.event.type === 'tool-progress') break;
    }
    expect(stopped).toEqual(['look']);
  });

  test('by throwing gets its own error back, after the tools have stopped', async () => {
    const { look, stopped } = working(() => 1);
    const steps = run(hi, scene({ replies: [calls(['look'])], tools: [look] }), new AbortController().signal);
    for (let step = await steps.next(); step.done !== true; step = await steps.next()) {
      if (!step.value.durable && step.value.event.type === 'tool-progress') break;
    }
    const disk = new HitlError('SAVE_FAILED', 'disk full');
    await expect(steps.throw(disk)).rejects.toBe(disk);
    expect(stopped).toEqual(['look']);
  });
});

describe('a run that ends early', () => {
  const finish = tool('finish', () => ({ answer: 42 }), { endsRun: true });

  test('does so with the output of a tool, whatever its siblings did', async () => {
    const options = scene({
      replies: [calls(['look'], ['finish'])],
      tools: [finish, tool('look', () => 1)],
    });
    const { outcome, state } = await drive(hi, options);
    const reason = { type: 'finished', by: 'finish', output: { answer: 42 } };
    expect(outcome).toMatchObject({ type: 'ended', reason });
    expect(state.ended).toEqual(reason);
  });

  test('does so also where the process died between the round and its end', async () => {
    const options = scene({ replies: [calls(['finish'])], tools: [finish] });
    const whole = await drive(hi, options);
    const cut = stateAfter(userSaid('hi'), ...whole.events.slice(0, -1));
    expect(cut.ended).toBeUndefined();
    const again = await drive(cut, options);
    expect(names(again.events)).toEqual(['ended finished']);
    expect(again.state.ended).toEqual(whole.state.ended);
  });

  test('does so with a stop condition, also after a death', async () => {
    const stopWhen = ({ rounds }: RunState): string | undefined =>
      rounds === 1 ? 'one is enough' : undefined;
    const options = { ...scene({ replies: [calls(['look'])], tools: [tool('look', () => 1)] }), stopWhen };
    const whole = await drive(hi, options);
    expect(whole.outcome).toMatchObject({ reason: { type: 'finished', by: 'one is enough' } });
    const again = await drive(stateAfter(userSaid('hi'), ...whole.events.slice(0, -1)), options);
    expect(again.state.ended).toEqual(whole.state.ended);
  });
});

describe('what a tool is told', () => {
  test('is its input, its ref, its attempt, and a key that stays', async () => {
    const seen: unknown[] = [];
    const look = tool(
      'look',
      (input, { ref, attempt, idempotencyKey, resumed, originalInput, approved }) => {
        seen.push({ input, ref, attempt, idempotencyKey, resumed, originalInput, approved });
        return 1;
      },
      { effect: 'none' },
    );
    const options = {
      ...scene({ replies: [calls(['look', { a: 1 }]), 'done'], tools: [look] }),
      runId: 's7',
    };
    const { events } = await drive(hi, options);
    expect(seen).toEqual([
      {
        input: { a: 1 },
        ref: 'r1',
        attempt: 1,
        idempotencyKey: 's7:r1',
        resumed: undefined,
        originalInput: undefined,
        approved: undefined,
      },
    ]);
    const cut = events.findIndex(({ type }) => type === 'tool-started') + 1;
    await drive(stateAfter(userSaid('hi'), ...events.slice(0, cut)), options);
    expect(seen[1]).toMatchObject({ attempt: 2, idempotencyKey: 's7:r1' });
  });

  test('cannot be changed by it: what was shown is what runs (G12)', async () => {
    const greedy: Tool = {
      ...tool('look', () => 1),
      async execute(input) {
        (input as { a: number }).a = 2;
        return 1;
      },
    };
    const options = scene({ replies: [calls(['look', { a: 1 }]), 'done'], tools: [greedy] });
    const { state } = await drive(hi, options);
    expect(toolOutputs(state)).toEqual([expect.stringContaining('Cannot assign to read only property')]);
  });
});

describe('time and chance', () => {
  test('come from the clock alone', async () => {
    const ask = tool('ask', (_input, context) => context.interrupt());
    const clock = fakeClock({ start: Date.UTC(2030, 0, 1) });
    const { events } = await drive(hi, scene({ replies: [calls(['ask'])], tools: [ask], clock }));
    expect(events.find(({ type }) => type === 'tool-started')).toMatchObject({
      startedAt: '2030-01-01T00:00:00.000Z',
    });
    const bound = { run: 'run', tool: schemaDigest(ask) };
    expect(events.at(-1)).toEqual({
      type: 'interrupt-raised',
      interrupt: {
        ...interruptOf('ask', 'r1', { draft: { bound, inputSchema: ask.inputSchema } }),
        raisedAt: '2030-01-01T00:00:00.000Z',
      },
    });
  });
});
