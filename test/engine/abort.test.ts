import { describe, expect, test } from 'vitest';

import type { Model, RunState, SessionEvent, Tool } from '../../src/core/index.js';
import { openInterrupts, textPart, toolRef } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { interruptOf, modelSaid, raised, requestPart, stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));
const STOPPED = 'stopped by the user before it started; it did not run';

/** A controller, and `drive` options that stop the run behind the first event of a kind. */
function stopAfter(type: SessionEvent['type'], nth = 1) {
  const stop = new AbortController();
  let seen = 0;
  return {
    stop,
    signal: stop.signal,
    kept: (event: SessionEvent) => {
      if (event.type === type && (seen += 1) === nth) stop.abort(new Error('Ctrl-C'));
    },
  };
}

function counting(name: string, entered: string[]): Tool {
  return tool(name, () => entered.push(name));
}

describe('a stop', () => {
  test('before anything has begun does nothing but say so', async () => {
    const stop = new AbortController();
    stop.abort();
    const options = scene();
    const { events, outcome } = await drive(hi, options, { signal: stop.signal });
    expect(names(events)).toEqual(['ended aborted']);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
    expect(options.model.requests).toEqual([]);
  });

  test('of a session that is over leaves it as it is', async () => {
    const stop = new AbortController();
    stop.abort();
    const done = stateAfter(userSaid('hi'), modelSaid([textPart('hello')]));
    const { events, outcome } = await drive(done, scene(), { signal: stop.signal });
    expect(events).toEqual([]);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });

  test('while the model speaks keeps its words beside history (G20)', async () => {
    const stop = new AbortController();
    const model: Model = {
      id: 'slow',
      async *generate(_request, signal) {
        yield { type: 'text-delta', text: 'half of ' };
        stop.abort(new Error('Ctrl-C'));
        yield { type: 'text-delta', text: 'it' };
        signal.throwIfAborted();
      },
    };
    const { state, outcome } = await drive(hi, { ...scene(), model }, { signal: stop.signal });
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'aborted', partial: 'half of it' } });
    expect(state.entries.length).toBe(1);
  });

  test('that a model does not hear drops its reply all the same', async () => {
    const stop = new AbortController();
    const model: Model = {
      id: 'deaf',
      async *generate() {
        stop.abort(new Error('Ctrl-C'));
        yield { type: 'reply', reply: { content: [textPart('too late')], end: 'stop' } };
      },
    };
    const { state } = await drive(hi, { ...scene(), model }, { signal: stop.signal });
    expect(state.ended).toEqual({ type: 'aborted' });
    expect(state.entries.length).toBe(1);
  });

  test('after the reply starts none of its calls, and answers each (G14, G21)', async () => {
    const entered: string[] = [];
    const options = scene({
      replies: [calls(['a'], ['b'])],
      tools: [counting('a', entered), counting('b', entered)],
    });
    const { state, events } = await drive(hi, options, stopAfter('message-added'));
    expect(names(events).slice(2)).toEqual(['settled r1 not-run', 'settled r2 not-run', 'ended aborted']);
    expect(toolOutputs(state)).toEqual([STOPPED, STOPPED]);
    expect(entered).toEqual([]);
  });

  test('while an approval is looked for starts nothing and asks nothing', async () => {
    const entered: string[] = [];
    const stop = new AbortController();
    const gated: Tool = {
      ...counting('a', entered),
      approval: async () => {
        stop.abort();
        throw new Error('stopped');
      },
    };
    const options = scene({ replies: [calls(['a'], ['b'])], tools: [gated, counting('b', entered)] });
    const { events } = await drive(hi, options, { signal: stop.signal });
    expect(names(events).slice(2)).toEqual(['settled r1 not-run', 'settled r2 not-run', 'ended aborted']);
    expect(entered).toEqual([]);
  });

  test('between the intent and the tool is known not to have run it', async () => {
    const entered: string[] = [];
    const options = scene({ replies: [calls(['a'])], tools: [counting('a', entered)] });
    const { events, state } = await drive(hi, options, stopAfter('tool-started'));
    expect(names(events).slice(2)).toEqual(['started r1#1', 'settled r1 not-run', 'ended aborted']);
    expect(toolOutputs(state)).toEqual([STOPPED]);
    expect(entered).toEqual([]);
  });

  test('while tools run reaches them, and what was complete is kept', async () => {
    const stop = new AbortController();
    const obeying = tool(
      'obey',
      (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('as told'));
          });
        }),
    );
    const options = scene({
      replies: [calls(['quick'], ['obey'])],
      tools: [obeying, tool('quick', () => 'done')],
    });
    const { state } = await drive(hi, options, {
      signal: stop.signal,
      kept: (event) => {
        if (event.type === 'tool-settled' && event.ref === toolRef('r1')) stop.abort();
      },
    });
    expect(state.ended).toEqual({ type: 'aborted' });
    expect(toolOutputs(state)).toEqual(['done', 'stopped by the user; it may have partly run']);
  });

  test('that a tool does not hear leaves it in doubt, where it does something once', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const deaf = tool('deaf', () => {
      stop.abort();
      return new Promise(() => undefined);
    });
    const options = scene({ replies: [calls(['deaf']), 'done'], tools: [deaf], clock });
    const running = drive(hi, options, { signal: stop.signal });
    await clock.untilSleeping();
    await clock.advance(2_000);
    const { state, events } = await running;
    expect(names(events).slice(2)).toEqual(['started r1#1', 'ended aborted']);
    const next = await drive(state, options);
    expect(names(next.events)).toEqual(['raised i1 in-doubt']);
  });

  test('that a tool does not hear gives it up, where it has no effect, and never starts it again', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    let entered = 0;
    const deaf = tool(
      'deaf',
      () => {
        entered += 1;
        stop.abort();
        return new Promise(() => undefined);
      },
      { effect: 'none' },
    );
    const options = scene({ replies: [calls(['deaf']), 'done'], tools: [deaf], clock });
    const running = drive(hi, options, { signal: stop.signal });
    await clock.untilSleeping();
    await clock.advance(2_000);
    const { state } = await running;
    expect(toolOutputs(state)).toEqual(['stopped by the user, and did not stop when asked to']);
    await drive(state, options);
    expect(entered).toBe(1);
  });

  test('before the last result is durable still ends the run', async () => {
    const options = scene({ replies: [calls(['a']), 'done'], tools: [tool('a', () => 1)] });
    const { outcome, state } = await drive(hi, options, stopAfter('tool-settled'));
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
    expect(toolOutputs(state)).toEqual([1]);
    expect(options.model.requests.length).toBe(1);
  });
});

describe('a question that was open at a stop', () => {
  const ask = tool('ask', (_input, context) => context.resumed ?? context.interrupt());

  async function stopped(): Promise<{ state: RunState; options: ReturnType<typeof scene> }> {
    const options = scene({
      replies: [calls(['ask'], ['obey']), 'done'],
      tools: [
        ask,
        tool(
          'obey',
          (_input, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                reject(new Error('as told'));
              });
            }),
        ),
      ],
    });
    const { state } = await drive(hi, options, stopAfter('interrupt-raised'));
    return { state, options };
  }

  test('stays open', async () => {
    const { state } = await stopped();
    expect(state.ended).toEqual({ type: 'aborted' });
    expect(openInterrupts(state)).toHaveLength(1);
  });

  test('lets the run go on when it is answered: the model hears the result', async () => {
    const { state, options } = await stopped();
    const { outcome, state: after } = await drive(
      answer(state, { action: 'restart', metadata: 'yes' }),
      options,
    );
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
    expect(toolOutputs(after)[0]).toBe('yes');
    expect(options.model.requests.length).toBe(2);
  });
});

describe('what a person had agreed to and that had not started at a stop', () => {
  test('does not start later (G14)', async () => {
    const entered: string[] = [];
    const asked = interruptOf('a', 'r1');
    const waiting = stateAfter(
      userSaid('hi'),
      modelSaid([requestPart('a', 'r1'), requestPart('b', 'r2')]),
      raised(asked),
    );
    const options = scene({ tools: [counting('a', entered), counting('b', entered)] });
    const stop = new AbortController();
    stop.abort();
    const agreed = answer(waiting, { action: 'restart' });
    const { state } = await drive(agreed, options, { signal: stop.signal });
    expect(toolOutputs(state)).toEqual([STOPPED, STOPPED]);
    await drive(state, options);
    expect(entered).toEqual([]);
  });
});
