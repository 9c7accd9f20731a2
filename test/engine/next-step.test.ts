import { describe, expect, test } from 'vitest';

import type { RunState, SessionEvent, Tool } from '../../src/core/index.js';
import { emptyState, textPart } from '../../src/core/index.js';
import type { StepContext } from '../../src/engine/index.js';
import { nextStep } from '../../src/engine/index.js';
import { toolSet } from '../../src/tools/index.js';
import {
  ended,
  interruptOf,
  limitReached,
  modelSaid,
  raised,
  requestPart,
  resolved,
  stateAfter,
  toolSettled,
  toolStarted,
  userSaid,
} from '../helpers/events.js';
import { tool } from './drive.js';

const hi = userSaid('hi');
const two = modelSaid([requestPart('pay', 'r1'), requestPart('look', 'r2')]);
const asked = interruptOf('pay', 'r1');
const said = modelSaid([textPart('done')]);
const settled = [toolSettled('r1', 'paid'), toolSettled('r2', 'seen')];

/** The step in words: its type, and what it is about. */
function stepAfter(events: readonly SessionEvent[], context: Partial<StepContext> & { made?: Tool[] } = {}) {
  return stepOf(events.length === 0 ? emptyState() : stateAfter(...events), context);
}

function stepOf(state: RunState, { made = [], ...context }: Partial<StepContext> & { made?: Tool[] }) {
  const step = nextStep(state, { tools: toolSet(made), limits: {}, elapsedMs: 0, ...context });
  switch (step.type) {
    case 'run-tools':
    case 'raise-in-doubt':
      return [step.type, ...step.calls.map(({ request }) => request.ref)];
    case 'await-human':
      return [step.type, ...step.interrupts.map(({ id }) => id)];
    case 'compact':
      return [step.type, step.to];
    case 'raise-limit':
      return [step.type, step.reached];
    case 'end':
      return [step.type, step.reason];
    case 'call-model':
      return [step.type, step.attempt];
    case 'done':
      return [step.type];
  }
}

describe('without open calls, the next step', () => {
  test.for<[string, SessionEvent[], unknown[]]>([
    ['of nothing is done', [], ['done']],
    [
      'of a system message is done',
      [{ type: 'message-added', message: { role: 'system', content: [textPart('be kind')] } }],
      ['done'],
    ],
    ['after a user message is the model', [hi], ['call-model', 1]],
    [
      'after a call that brought no reply is the next attempt (P3)',
      [hi, { type: 'model-started', attempt: 2 }],
      ['call-model', 3],
    ],
    ['after a reply is done', [hi, said], ['done']],
    ['after results is the model', [hi, two, ...settled], ['call-model', 1]],
    [
      'after a failure is the model again',
      [hi, ended({ type: 'failed', error: { code: 'X', message: 'x' } })],
      ['call-model', 1],
    ],
    ['after a stop is done, until the user speaks', [hi, ended({ type: 'aborted' })], ['done']],
    ['after a stop and a new message is the model', [hi, ended({ type: 'aborted' }), hi], ['call-model', 1]],
    ['after a limit is done', [hi, ended({ type: 'limit', limit: 'turns' })], ['done']],
    ['with a limit open is to wait', [hi, raised(limitReached('cost'))], ['await-human', 'i1']],
  ])('%s', ([, events, step]) => {
    expect(stepAfter(events)).toEqual(step);
  });
});

describe('with open calls, the next step', () => {
  const doubt = interruptOf('pay', 'r1', { id: 'i2', kind: 'in-doubt', raisedBy: 'engine' });

  test.for<[string, SessionEvent[], unknown[]]>([
    ['is to run all that are ready', [hi, two], ['run-tools', 'r1', 'r2']],
    ['is to run what is left', [hi, two, toolSettled('r1', 1)], ['run-tools', 'r2']],
    ['is to run what never waited, while another waits', [hi, two, raised(asked)], ['run-tools', 'r2']],
    ['is to wait for the last answer', [hi, two, raised(asked), toolSettled('r2', 1)], ['await-human', 'i1']],
    [
      'is to run what was answered, when nothing waits any more',
      [hi, two, raised(asked), toolSettled('r2', 1), resolved(asked, { action: 'restart' })],
      ['run-tools', 'r1'],
    ],
    [
      'is not to run what was answered, while another waits (decision 4)',
      [
        hi,
        two,
        raised(asked),
        raised(interruptOf('look', 'r2', { id: 'i2' })),
        resolved(asked, { action: 'restart' }),
      ],
      ['await-human', 'i2'],
    ],
    [
      'is to ask about what was running, before all else (G10)',
      [hi, two, toolStarted('pay', 'r1')],
      ['raise-in-doubt', 'r1'],
    ],
    [
      'is to run again what has no lasting effect (law 8)',
      [
        hi,
        two,
        toolStarted('pay', 'r1', { effect: 'idempotent' }),
        toolStarted('look', 'r2', { effect: 'none' }),
      ],
      ['run-tools', 'r1', 'r2'],
    ],
    [
      'is to run what was in doubt and is to be retried',
      [
        hi,
        two,
        toolSettled('r2', 1),
        toolStarted('pay', 'r1'),
        raised(doubt),
        resolved(doubt, { action: 'retry' }),
      ],
      ['run-tools', 'r1'],
    ],
    [
      'is to wait at a limit, whatever else is open',
      [hi, two, raised(asked), raised(limitReached('turns', 'i2'))],
      ['await-human', 'i1', 'i2'],
    ],
  ])('%s', ([, events, step]) => {
    expect(stepAfter(events)).toEqual(step);
  });

  test('asks where the tool as it is now would do something twice', () => {
    const started = [hi, two, toolStarted('pay', 'r1', { effect: 'none' }), toolSettled('r2', 1)];
    const pay = (effect: 'none' | 'once') => [tool('pay', () => 1, { effect })];
    expect(stepAfter(started, { made: pay('once') })).toEqual(['raise-in-doubt', 'r1']);
    expect(stepAfter(started, { made: pay('none') })).toEqual(['run-tools', 'r1']);
  });

  test('does not ask where the tool tells the effect of each call, and this one had none', () => {
    const made = [{ ...tool('pay', () => 1, { effect: 'once' }), effectOf: () => 'none' as const }];
    const after = (effect: 'none' | 'once') =>
      stepAfter([hi, two, toolStarted('pay', 'r1', { effect }), toolSettled('r2', 1)], { made });
    expect(after('none')).toEqual(['run-tools', 'r1']);
    expect(after('once')).toEqual(['raise-in-doubt', 'r1']);
  });
});

describe('a limit', () => {
  const spent = modelSaid([requestPart('pay', 'r1')], { inputTokens: 1, outputTokens: 1, costUsd: 2 });

  test.for<[string, SessionEvent[], Partial<StepContext>, unknown]>([
    [
      'of turns stops the round that would be one too many',
      [hi, two],
      { limits: { maxTurns: 0 } },
      { limit: 'turns', max: 0, spent: 0 },
    ],
    [
      'of turns counts rounds since the user spoke',
      [hi, two, ...settled, modelSaid([requestPart('pay', 'r3')])],
      { limits: { maxTurns: 1 } },
      { limit: 'turns', max: 1, spent: 1 },
    ],
    [
      'of cost stops a round',
      [hi, spent],
      { limits: { maxCostUsd: 2 } },
      { limit: 'cost', max: 2, spent: 2 },
    ],
    [
      'of cost stops a model call',
      [hi, spent, toolSettled('r1', 1)],
      { limits: { maxCostUsd: 1.5 } },
      { limit: 'cost', max: 1.5, spent: 2 },
    ],
    [
      'of time stops a model call',
      [hi],
      { limits: { maxTimeMs: 100 }, elapsedMs: 100 },
      { limit: 'time', max: 100, spent: 100 },
    ],
    [
      'that is reached first by its place is told first',
      [hi, two],
      { limits: { maxTurns: 0, maxTimeMs: 0 } },
      { limit: 'turns', max: 0, spent: 0 },
    ],
  ])('%s', ([, events, context, reached]) => {
    expect(stepAfter(events, context)).toEqual(['raise-limit', reached]);
  });

  test.for<[string, SessionEvent[], Partial<StepContext>]>([
    [
      'of turns does not stop the model from its last word',
      [hi, two, ...settled],
      { limits: { maxTurns: 1 } },
    ],
    [
      'that was extended does not stop',
      [hi, spent, toolSettled('r1', 1), ...extension('cost', 1)],
      { limits: { maxCostUsd: 1.5 } },
    ],
    [
      'that is not reached does not stop',
      [hi],
      { limits: { maxTimeMs: 100, maxCostUsd: 1, maxTurns: 1 }, elapsedMs: 99 },
    ],
  ])('%s', ([, events, context]) => {
    expect(stepAfter(events, context)).toEqual(['call-model', 1]);
  });

  test('does not stop what a person has answered: a resume costs no turn (case 81)', () => {
    const answered = [hi, two, raised(asked), toolSettled('r2', 1), resolved(asked, { action: 'restart' })];
    expect(stepAfter(answered, { limits: { maxTurns: 0 } })).toEqual(['run-tools', 'r1']);
  });

  test('does not stop what had started before', () => {
    const started = [hi, two, toolStarted('pay', 'r1', { effect: 'none' }), toolSettled('r2', 1)];
    expect(stepAfter(started, { limits: { maxTurns: 0 } })).toEqual(['run-tools', 'r1']);
  });

  function extension(limit: string, by: number): SessionEvent[] {
    const gate = limitReached(limit);
    return [raised(gate), resolved(gate, { action: 'extend', by })];
  }
});

describe('the end of a run', () => {
  const finish = tool('pay', () => 1, { endsRun: true });

  test('comes with the output of a tool that ends it', () => {
    expect(stepAfter([hi, two, ...settled], { made: [finish] })).toEqual([
      'end',
      { type: 'finished', by: 'pay', output: 'paid' },
    ]);
  });

  test('does not come with its failure', () => {
    const failed = toolSettled('r1', { type: 'error', code: 'failed', message: 'no' });
    expect(stepAfter([hi, two, failed, toolSettled('r2', 1)], { made: [finish] })).toEqual(['call-model', 1]);
  });

  test('comes with a stop condition, after a round only', () => {
    const stopWhen = (state: RunState): string | undefined => (state.rounds > 0 ? 'enough' : undefined);
    expect(stepAfter([hi], { stopWhen: () => 'always' })).toEqual(['call-model', 1]);
    expect(stepAfter([hi, two, ...settled], { stopWhen })).toEqual([
      'end',
      { type: 'finished', by: 'enough' },
    ]);
  });

  test('stands, until the user speaks', () => {
    const end = ended({ type: 'finished', by: 'pay', output: 'paid' });
    expect(stepAfter([hi, two, ...settled, end], { made: [finish] })).toEqual(['done']);
    expect(stepAfter([hi, two, ...settled, end, hi], { made: [finish] })).toEqual(['call-model', 1]);
  });
});
