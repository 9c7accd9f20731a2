import { describe, expect, test } from 'vitest';

import type { Model, SessionEvent, Tool } from '../../src/core/index.js';
import { Suspension, textPart } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { calls, drive, names, scene, tool, toolOutputs } from './drive.js';

const hi = stateAfter(userSaid('hi'));

/** `drive` options that suspend the run behind the first event of a kind. */
function suspendAfter(type: SessionEvent['type']) {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    kept: (event: SessionEvent) => {
      if (event.type === type) stop.abort(new Suspension('stopped by SIGTERM'));
    },
  };
}

/** A tool that works until it is told to stop the first time, and returns the next time. */
function working(effect: Tool['effect'], entered: string[] = []): Tool {
  return tool(
    'work',
    (_input, { signal }) =>
      entered.push('work') === 1
        ? new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('as told'));
            });
          })
        : 'worked',
    { effect },
  );
}

/** `drive` options that suspend the run when a tool is at work. */
function suspendAtWork() {
  const stop = new AbortController();
  const kept = async (event: SessionEvent): Promise<void> => {
    if (event.type !== 'tool-started') return;
    setImmediate(() => {
      stop.abort(new Suspension('stopped by SIGTERM'));
    });
  };
  return { signal: stop.signal, kept };
}

describe('a suspension', () => {
  test('while a tool without effect runs records nothing, and the next run goes on with it', async () => {
    const options = scene({ replies: [calls(['work']), 'done'], tools: [working('none')] });
    const { events, outcome, state } = await drive(hi, options, suspendAtWork());
    expect(names(events).slice(2)).toEqual(['started r1#1']);
    expect(outcome).toMatchObject({ type: 'ended', reason: { type: 'aborted' } });
    expect(state.ended).toBeUndefined();
    const next = await drive(state, options);
    expect(names(next.events)).toEqual([
      'started r1#2',
      'settled r1 output',
      'model-started',
      'model',
      'ended done',
    ]);
    expect(toolOutputs(next.state)).toEqual(['worked']);
  });

  test('while a tool runs that does something once leaves it in doubt', async () => {
    const entered: string[] = [];
    const options = scene({ replies: [calls(['work']), 'done'], tools: [working('once', entered)] });
    const { state } = await drive(hi, options, suspendAtWork());
    const next = await drive(state, options);
    expect(names(next.events)).toEqual(['raised i1 in-doubt']);
    expect(entered).toEqual(['work']);
  });

  test('that a tool does not hear records nothing either', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const deaf = tool(
      'deaf',
      () => {
        stop.abort(new Suspension('stopped by SIGTERM'));
        return new Promise(() => undefined);
      },
      { effect: 'none' },
    );
    const options = scene({ replies: [calls(['deaf']), 'done'], tools: [deaf], clock });
    const running = drive(hi, options, { signal: stop.signal });
    await clock.untilSleeping();
    await clock.advance(2_000);
    const { events } = await running;
    expect(names(events).slice(2)).toEqual(['started r1#1']);
  });

  test('keeps what was complete by then', async () => {
    const stop = new AbortController();
    const options = scene({
      replies: [calls(['quick'], ['work']), 'done'],
      tools: [tool('quick', () => 'done'), working('none')],
    });
    const { state } = await drive(hi, options, {
      signal: stop.signal,
      kept: (event) => {
        if (event.type === 'tool-settled') stop.abort(new Suspension('stopped by SIGTERM'));
      },
    });
    const next = await drive(state, options);
    expect(names(next.events)[0]).toBe('started r2#2');
    expect(toolOutputs(next.state)).toEqual(['done', 'worked']);
  });

  test('before the tools of a reply starts none, and the next run starts them', async () => {
    const options = scene({ replies: [calls(['a']), 'done'], tools: [tool('a', () => 1)] });
    const { events, state } = await drive(hi, options, suspendAfter('message-added'));
    expect(names(events)).toEqual(['model-started', 'model']);
    const next = await drive(state, options);
    expect(names(next.events)[0]).toBe('started r1#1');
    expect(next.outcome).toMatchObject({ type: 'ended', reason: { type: 'done' } });
  });

  test('while the model speaks asks it again in the next run', async () => {
    const stop = new AbortController();
    const model: Model = {
      id: 'slow',
      async *generate(_request, signal) {
        if (!stop.signal.aborted) {
          yield { type: 'text-delta', text: 'half of ' };
          stop.abort(new Suspension('stopped by SIGTERM'));
          signal.throwIfAborted();
        }
        yield { type: 'reply', reply: { content: [textPart('whole')], end: 'stop' } };
      },
    };
    const options = { ...scene(), model };
    const { events, state } = await drive(hi, options, { signal: stop.signal });
    expect(names(events)).toEqual(['model-started']);
    const next = await drive(state, options);
    expect(names(next.events)).toEqual(['model-started', 'model', 'ended done']);
  });
});
