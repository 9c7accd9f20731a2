import { describe, expect, onTestFinished, test } from 'vitest';

import type { HumanChannel, Renderer, SessionEvent } from '../../src/core/index.js';
import { openInterrupts, readRule } from '../../src/core/index.js';
import type { Tool } from '../../src/core/index.js';
import { converse } from '../../src/repl/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { answerTo, calls, scene, toolOutputs } from '../engine/drive.js';
import { defineInterrupt, defineTool, underRules } from '../../src/tools/index.js';
import { PROVED_ANN, userSaid } from '../helpers/events.js';
import { temporaryStore } from '../sessions/temporary-store.js';

/** Runs a chat in which a call asks, at a person who sits there and does what `person` says. */
async function asked(tool: Tool, person: HumanChannel['ask'], steps: readonly number[]) {
  const clock = fakeClock();
  const session = await temporaryStore({ clock }).create({ agent: { model: 'script', tools: [] } });
  onTestFinished(() => session[Symbol.asyncDispose]());
  await session.append([userSaid('go')]);
  const told: SessionEvent['type'][] = [];
  const renderer: Renderer = {
    event: ({ type }) => {
      told.push(type);
    },
    transient: () => undefined,
    notice: (text) => {
      throw new Error(`an answer was refused: ${text}`); // nobody sits here who would give another one
    },
    pause: () => undefined,
    stopped: () => undefined,
  };
  const run = scene({ replies: [calls([tool.name]), 'done'], tools: [tool], clock });
  const conversing = converse(
    { session, run, renderer, channel: { interactive: true, ask: person } },
    new AbortController().signal,
  );
  for (const ms of steps) {
    await clock.untilSleeping();
    await clock.advance(ms);
  }
  const rest = await conversing;
  return { rest: rest.type, told, state: session.state };
}

/** Nobody is there: the question is taken back, for a reason that is kept. */
function absent(reasons: string[]): HumanChannel['ask'] {
  return (_open, _state, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push((signal.reason as Error).message);
        reject(signal.reason as Error);
      });
    });
}

describe('a person who does not answer in time', () => {
  test('is told so, the call does not run, and the chat goes on', async () => {
    let ran = 0;
    const pay = defineTool(
      { name: 'pay', description: 'pays', needsApproval: true, deadline: { timeout: '2s' } },
      () => {
        ran += 1;
        return 'paid';
      },
    );
    const reasons: string[] = [];
    const { rest, told, state } = await asked(pay, absent(reasons), [2000]);
    expect([rest, ran, reasons]).toEqual(['ended', 0, ['the question has expired']]);
    expect(told.slice(-4)).toEqual(['interrupt-resolved', 'model-started', 'message-added', 'run-ended']);
    expect(toolOutputs(state)).toEqual(['nobody answered in time (2 s); it did not run']);
    expect(state.resolved.at(-1)?.by).toEqual({ type: 'clock' });
  });

  test('gives a question the value that its author named', async () => {
    const which = defineInterrupt({
      name: 'which',
      description: 'asks',
      answerSchema: () => ({ type: 'string' }),
      timeout: '2s',
      onTimeout: { value: 'none' },
    });
    const { state } = await asked(which, absent([]), [2000]);
    expect(toolOutputs(state)).toEqual(['none']);
  });

  test('makes way for somebody else, who answers under their own name', async () => {
    const pay = defineTool({ name: 'pay', description: 'pays' }, (_input, context) =>
      context.resumed === undefined
        ? context.interrupt('sure?', { timeout: '2s', onTimeout: { escalate: { to: 'lead' } } })
        : 'paid',
    );
    const nobody = absent([]);
    const { state, told } = await asked(
      pay,
      (open, now, signal) => {
        const [interrupt] = open;
        if (interrupt?.escalated === undefined) return nobody(open, now, signal);
        return Promise.resolve({
          type: 'answered',
          answer: answerTo(interrupt, { action: 'restart' }),
        });
      },
      [2000],
    );
    expect(told).toContain('interrupt-escalated');
    expect(toolOutputs(state)).toEqual(['paid']);
    expect(state.resolved.toArray().map(({ interrupt: { id, escalated } }) => [id, escalated])).toEqual([
      ['i2', { id: 'i1', to: 'lead' }],
    ]);
    expect(openInterrupts(state)).toEqual([]);
  });

  test.for([
    ['the tool', []],
    ['the tool and a rule', ['pay needs 1 of ann, bob']],
  ] as const)('makes way for people whom %s names, and their word counts', async ([, rules]) => {
    const pay = defineTool(
      {
        name: 'pay',
        description: 'pays',
        needsApproval: true,
        approvers: { need: 1, from: ['bob', 'cyd'] },
        deadline: {
          timeout: '2s',
          onTimeout: { escalate: { to: 'ann', approvers: { from: ['ann'] } } },
        },
      },
      () => 'paid',
    );
    const ruled = underRules(pay, () => rules.map((text) => readRule('ask', text, 'f')));
    const nobody = absent([]);
    const shown: unknown[] = [];
    const { state } = await asked(
      ruled,
      (open, now, signal) => {
        const [interrupt] = open;
        if (interrupt?.escalated === undefined) return nobody(open, now, signal);
        shown.push(interrupt.approvers);
        const answer = { ...answerTo(interrupt, { action: 'restart' }), by: PROVED_ANN };
        return Promise.resolve({ type: 'answered', answer });
      },
      [2000],
    );
    expect(shown).toEqual([{ from: ['ann'] }]);
    expect(toolOutputs(state)).toEqual(['paid']);
  });

  test('has answered where the answer is in the journal first', async () => {
    const pay = defineTool(
      { name: 'pay', description: 'pays', needsApproval: true, deadline: { timeout: '2s' } },
      () => 'paid',
    );
    const { state } = await asked(
      pay,
      ([interrupt]) => {
        if (interrupt === undefined) throw new Error('nothing is asked');
        return Promise.resolve({ type: 'answered', answer: answerTo(interrupt, { action: 'restart' }) });
      },
      [],
    );
    expect(toolOutputs(state)).toEqual(['paid']);
  });
});

describe('a deadline of a tool', () => {
  test.for<[string, () => unknown]>([
    [
      'approves nothing by itself',
      () =>
        defineTool({
          name: 'pay',
          description: 'pays',
          deadline: { timeout: '1s', onTimeout: { value: 1 } },
        }),
    ],
    [
      'gives no value without a schema',
      () => defineInterrupt({ name: 'q', description: 'asks', timeout: '1s', onTimeout: { value: 1 } }),
    ],
    ['has a duration', () => defineInterrupt({ name: 'q', description: 'asks', timeout: 'soon' })],
  ])('%s: the definition is refused', ([, define]) => {
    expect(define).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }) as Error);
  });
});
