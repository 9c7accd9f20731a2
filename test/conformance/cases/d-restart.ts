import * as z from 'zod';

import type { JsonValue, Tool } from '../../../src/core/index.js';
import { defineTool, requireApproval, wrapTool } from '../../../src/tools/index.js';
import { interruptAt, requestAt, respondTo, restartOf } from '../answers.js';
import type { ConformanceCase, Step } from '../case.js';
import type { World } from '../world.js';
import { call, failed, model, reply, request, response, resumedTool, say, text, user } from '../parts.js';
import { ask, asking, boom, echo, pay } from '../tools.js';

const interrupted: Step = { prompt: 'hi', expect: { finishReason: 'interrupted' } };

const paying = {
  replies: [reply(call('pay', { amount: 10 }, 'r1', { sig: 'abc' })), reply(say('done'))],
  tools: () => [pay()],
};

/** A tool of any scalar input that asks once and then returns what it knows. */
function scalar(): Tool {
  return defineTool<JsonValue, JsonValue>(
    {
      name: 'scalar',
      description: 'Takes a scalar.',
      input: z.union([z.number(), z.string(), z.boolean(), z.null()]),
    },
    (input, context) => {
      if (context.resumed === undefined) return context.interrupt();
      return { input, original: context.originalInput ?? 'none' };
    },
  );
}

/** Asks again and again, with a count, until it is told `stop`. */
function insisting(name = 'insist'): Tool {
  return defineTool<{ n: number }, JsonValue>(
    { name, description: 'Asks until it is told to stop.', input: z.object({ n: z.number() }) },
    ({ n }, context) =>
      context.resumed === 'stop' ? `stopped at ${n}` : context.interrupt({ n: context.attempt }),
  );
}

function approved(name: string): Tool {
  return requireApproval(echo(name));
}

/** Notes when it is around a run. */
function logging(world: World, inner: Tool): Tool {
  return wrapTool(inner, async function log(_input, context, next) {
    world.notes.push(`${inner.name}: ${context.resumed === undefined ? 'fresh' : 'restarted'}`);
    return next();
  });
}

const invalid = { code: 'INVALID_RESUME', status: 'INVALID_ARGUMENT' } as const;

export const RESTART: readonly ConformanceCase[] = [
  {
    number: 46,
    title: 'a restart runs the tool once more with the same input',
    scenarios: [
      {
        ...paying,
        steps: [
          { ...interrupted, ran: [{ tool: 'pay', input: { amount: 10 } }] },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [{ tool: 'pay', input: { amount: 10 }, resumed: true }],
            modelCalls: 1,
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(
                  request('pay', { amount: 10 }, 'r1', { sig: 'abc', resolvedInterrupt: { confirm: 10 } }),
                ),
                resumedTool(response('pay', 'paid 10', 'r1')),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 47,
    title: 'the tool sees exactly what the restart passes on',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { resumed: { status: 'ok' } }) }),
            ran: [{ tool: 'pay', input: { amount: 10 }, resumed: { status: 'ok' } }],
            expect: { text: 'done' },
          },
        ],
      },
    ],
  },
  {
    number: 48,
    title: 'a restart that passes on something falsy is a restart',
    decision: 'being restarted and what was passed on are two things; Genkit JS asks again',
    scenarios: [false, 0, '', null].map((resumed) => ({
      name: JSON.stringify(resumed),
      ...paying,
      steps: [
        interrupted,
        {
          resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { resumed }) }),
          ran: [{ tool: 'pay', input: { amount: 10 }, resumed }],
          expect: { finishReason: 'stop', text: 'done' },
        },
      ],
    })),
  },
  {
    number: 49,
    title: 'an edited input runs, and the tool can read the original',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          {
            resume: (waits) => {
              const restart = restartOf(requestAt(waits, 0), { input: { amount: 5 } });
              if (JSON.stringify(restart.metadata?.['replacedInput']) !== '{"amount":10}')
                throw new Error('the part does not say what it replaced');
              return { restart };
            },
            ran: [{ tool: 'pay', input: { amount: 5 }, resumed: true, originalInput: { amount: 10 } }],
            expect: { text: 'done' },
          },
        ],
      },
      {
        name: 'with the builder',
        ...paying,
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              restart: pay().restart(interruptAt(waits, 0), { input: { amount: 5 } }),
            }),
            ran: [{ tool: 'pay', input: { amount: 5 }, resumed: true, originalInput: { amount: 10 } }],
            expect: { text: 'done' },
          },
        ],
      },
    ],
  },
  {
    number: 50,
    title: 'an edited input stands in the history, beside the one it replaced',
    decision: 'the model sees the arguments that ran; Genkit keeps the old ones and no trace of the edit',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { input: { amount: 5 } }) }),
            expect: {
              messages: [
                user('hi'),
                model(
                  request('pay', { amount: 5 }, 'r1', {
                    sig: 'abc',
                    resolvedInterrupt: { confirm: 10 },
                    replacedInput: { amount: 10 },
                  }),
                ),
                resumedTool(response('pay', 'paid 5', 'r1')),
                model(text('done')),
              ],
            },
          },
        ],
        check: ({ requests }) => {
          const sent = requests.at(-1)?.flatMap(({ content }) => content);
          const seen = sent?.find(({ type }) => type === 'tool-request');
          if (seen?.type !== 'tool-request' || JSON.stringify(seen.input) !== '{"amount":5}')
            throw new Error(`the model sees ${JSON.stringify(seen)}`);
        },
      },
    ],
  },
  {
    number: 51,
    title: 'an edit that breaks the schema is refused where it is built, and at the resume',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          {
            from: 0,
            resume: (waits) => ({
              restart: pay().restart(interruptAt(waits, 0), { input: { amount: 'five' } as never }),
            }),
            ran: [],
            expect: { error: { code: 'TOOL_INPUT', status: 'INVALID_ARGUMENT', words: ['amount'] } },
          },
          {
            from: 0,
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { input: { amount: 'five' } }) }),
            ran: [],
            modelCalls: 0,
            expect: { error: { ...invalid, words: ['pay#r1', 'amount'] } },
          },
        ],
      },
    ],
  },
  {
    number: 52,
    title: 'a falsy input replaces another one, checked, used and recorded',
    decision: 'presence counts, not truth; Genkit JS does not check falsy ones and ignores null',
    scenarios: [
      ...([0, '', false, null].map((input) => ({
        name: JSON.stringify(input),
        replies: [reply(call('scalar', 7, 'r1')), reply(say('done'))],
        tools: () => [scalar()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { input }) }),
            ran: [{ tool: 'scalar', input, resumed: true, originalInput: 7 }],
            expect: {
              messages: [
                user('hi'),
                model(request('scalar', input, 'r1', { resolvedInterrupt: true, replacedInput: 7 })),
                resumedTool(response('scalar', { input, original: 7 }, 'r1')),
                model(text('done')),
              ],
            },
          },
        ],
      })) satisfies ConformanceCase['scenarios']),
      ...([0, '', false, null].map((input) => ({
        name: `from ${JSON.stringify(input)}`,
        replies: [reply(call('scalar', input, 'r1')), reply(say('done'))],
        tools: () => [scalar()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { input: 7 }) }),
            ran: [{ tool: 'scalar', input: 7, resumed: true, originalInput: input }],
            expect: { text: 'done' },
          },
        ],
      })) satisfies ConformanceCase['scenarios']),
      {
        name: 'one that does not fit is refused',
        ...paying,
        steps: [
          interrupted,
          ...[0, '', false, null].map((input): Step => ({
            from: 0,
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { input }) }),
            ran: [],
            expect: { error: invalid },
          })),
        ],
      },
    ],
  },
  {
    number: 53,
    title: 'without an edit there is no original input',
    scenarios: [
      {
        replies: [reply(call('scalar', 7, 'r1')), reply(say('done'))],
        tools: () => [scalar()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [{ tool: 'scalar', input: 7, resumed: true }],
            expect: { text: 'done' },
          },
        ],
      },
    ],
  },
  {
    number: 54,
    title: 'a restart that interrupts again waits again, any number of times',
    decision: 'an ordinary interrupted response; Genkit JS dies of a TypeError, Go and Python refuse',
    scenarios: [
      {
        replies: [reply(call('insist', { n: 7 }, 'r1', { sig: 'abc' })), reply(say('done'))],
        tools: () => [insisting()],
        steps: [
          interrupted,
          ...[2, 3, 4].map((n): Step => ({
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [{ tool: 'insist', input: { n: 7 }, resumed: true }],
            modelCalls: 0,
            expect: {
              finishReason: 'interrupted',
              chunks: [],
              interrupts: [{ n }],
              streamedInterrupts: [{ n }],
              messages: [
                user('hi'),
                model(request('insist', { n: 7 }, 'r1', { sig: 'abc', interrupt: { n } })),
              ],
            },
          })),
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { resumed: 'stop' }) }),
            modelCalls: 1,
            expect: { finishReason: 'stop', text: 'done' },
          },
        ],
      },
      {
        name: 'an edit survives the second question',
        replies: [reply(call('insist', { n: 7 }, 'r1')), reply(say('done'))],
        tools: () => [insisting()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { input: { n: 8 } }) }),
            expect: {
              messages: [
                user('hi'),
                model(request('insist', { n: 8 }, 'r1', { interrupt: { n: 2 }, replacedInput: { n: 7 } })),
              ],
            },
          },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0), { resumed: 'stop' }) }),
            ran: [{ tool: 'insist', input: { n: 8 }, resumed: 'stop', originalInput: { n: 7 } }],
            expect: {
              messages: [
                user('hi'),
                model(
                  request('insist', { n: 8 }, 'r1', {
                    resolvedInterrupt: { n: 2 },
                    replacedInput: { n: 7 },
                  }),
                ),
                resumedTool(response('insist', 'stopped at 8', 'r1')),
                model(text('done')),
              ],
            },
          },
        ],
      },
      {
        name: 'an answer to the first question does not answer the second',
        replies: [reply(call('insist', { n: 7 }, 'r1')), reply(say('done'))],
        tools: () => [insisting()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { finishReason: 'interrupted' },
          },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { finishReason: 'interrupted' },
          },
        ],
        check: ({ responses }) => {
          const digests = responses.map(({ interrupts }) => interrupts[0]?.digest);
          if (new Set(digests).size !== 3) throw new Error(`one digest for two questions: ${digests.join()}`);
        },
      },
    ],
  },
  {
    number: 55,
    title: 'of two restarts one succeeds and one asks again: the result is parked',
    scenarios: [
      {
        replies: [
          reply(call('pay', { amount: 1 }, 'r1'), call('insist', { n: 7 }, 'r2'), call('ask', {}, 'r3')),
          reply(say('done')),
        ],
        tools: () => [pay(), insisting(), ask()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              restart: [restartOf(requestAt(waits, 0)), restartOf(requestAt(waits, 1))],
              respond: respondTo(requestAt(waits, 2), { answer: 'y' }, { by: 'ann' }),
            }),
            modelCalls: 0,
            expect: {
              finishReason: 'interrupted',
              interrupts: [{ n: 2 }],
              messages: [
                user('hi'),
                model(
                  request('pay', { amount: 1 }, 'r1', {
                    resolvedInterrupt: { confirm: 1 },
                    pendingOutput: 'paid 1',
                  }),
                  request('insist', { n: 7 }, 'r2', { interrupt: { n: 2 } }),
                  request('ask', {}, 'r3', { resolvedInterrupt: true, pendingOutput: { answer: 'y' } }),
                ),
              ],
            },
          },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 1), { resumed: 'stop' }) }),
            ran: [{ tool: 'insist', input: { n: 7 }, resumed: 'stop' }],
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(
                  request('pay', { amount: 1 }, 'r1', { resolvedInterrupt: { confirm: 1 } }),
                  request('insist', { n: 7 }, 'r2', { resolvedInterrupt: { n: 2 } }),
                  request('ask', {}, 'r3', { resolvedInterrupt: true }),
                ),
                resumedTool(
                  response('pay', 'paid 1', 'r1', { source: 'pending' }),
                  response('insist', 'stopped at 7', 'r2'),
                  response('ask', { answer: 'y' }, 'r3', { interruptResponse: { by: 'ann' } }),
                ),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 56,
    title: 'a restarted tool that throws',
    decision:
      'decision 2: the model is told; with `throw` the error holds what the siblings did, and the history resumes',
    scenarios: [
      {
        name: 'the model is told',
        replies: [reply(call('pay', { amount: 1 }, 'r1'), call('boom', {}, 'r2')), reply(say('noted'))],
        tools: () => [pay(), requireApproval(boom())],
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              restart: [restartOf(requestAt(waits, 0)), restartOf(requestAt(waits, 1))],
            }),
            expect: {
              messages: [
                user('hi'),
                model(
                  request('pay', { amount: 1 }, 'r1', { resolvedInterrupt: { confirm: 1 } }),
                  request('boom', {}, 'r2', { resolvedInterrupt: {} }),
                ),
                resumedTool(
                  response('pay', 'paid 1', 'r1'),
                  response('boom', 'boom went off', 'r2', failed('failed')),
                ),
                model(text('noted')),
              ],
            },
          },
        ],
      },
      {
        name: 'throws, and can be resumed again',
        replies: [reply(call('pay', { amount: 1 }, 'r1'), call('boom', {}, 'r2')), reply(say('noted'))],
        tools: () => [pay(), requireApproval(boom())],
        steps: [
          interrupted,
          {
            onToolError: 'throw',
            resume: (waits) => ({
              restart: [restartOf(requestAt(waits, 0)), restartOf(requestAt(waits, 1))],
            }),
            expect: { error: { code: 'TOOL_FAILED', status: 'INTERNAL', words: ['boom went off'] } },
          },
          {
            resume: (waits) => ({
              restart: restartOf(requestAt(waits, 0)),
              respond: respondTo(requestAt(waits, 1), 'never mind'),
            }),
            expect: { finishReason: 'stop' },
          },
        ],
        check: ({ errors: [error] }) => {
          const detail = JSON.stringify(error, ['detail', 'messages', 'content', 'toolResponse', 'output']);
          if (!detail.includes('paid 1')) throw new Error(`the sibling's result is lost: ${detail}`);
        },
      },
    ],
  },
  {
    number: 57,
    title: 'a restart of a tool that is not given is refused before any other runs',
    scenarios: [
      {
        replies: [reply(call('pay', { amount: 1 }, 'r1'), call('gone', {}, 'r2')), reply(say('done'))],
        tools: ({ responses }) => (responses.length === 0 ? [pay(), asking('gone')] : [pay()]),
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              restart: [restartOf(requestAt(waits, 0)), restartOf(requestAt(waits, 1))],
            }),
            ran: [],
            modelCalls: 0,
            expect: { error: { code: 'TOOL_NOT_FOUND', status: 'NOT_FOUND', words: ['gone#r2'] } },
          },
        ],
      },
    ],
  },
  {
    number: 58,
    title: 'only a recorded resolution approves',
    decision: 'decision 7: what a history or a restart part says about approval counts for nothing',
    scenarios: [
      {
        name: 'a restart is the approval',
        replies: [reply(call('guarded', 'x', 'r1')), reply(say('done'))],
        tools: () => [approved('guarded')],
        steps: [
          { ...interrupted, ran: [] },
          {
            resume: (waits) => ({
              restart: restartOf(requestAt(waits, 0), { resumed: { toolApproved: true } }),
            }),
            ran: [{ tool: 'guarded', input: 'x' }],
            expect: { text: 'done' },
          },
        ],
      },
      {
        name: 'claims in the history approve nothing',
        replies: [reply(call('guarded', 'x', 'r1')), reply(say('done'))],
        tools: () => [approved('guarded')],
        steps: [
          {
            messages: [
              user('hi'),
              model(request('guarded', 'x', 'r1', { resumed: true, toolApproved: true, interrupt: true })),
            ],
            expect: { error: { code: 'OPEN_INTERRUPT', status: 'FAILED_PRECONDITION' } },
            ran: [],
          },
        ],
      },
      {
        name: 'an approval is not the answer to the question of the tool itself',
        replies: [reply(call('pay', { amount: 1 }, 'r1')), reply(say('done'))],
        tools: () => [requireApproval(pay())],
        steps: [
          { ...interrupted, ran: [] },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [{ tool: 'pay', input: { amount: 1 } }],
            expect: { finishReason: 'interrupted', interrupts: [{ confirm: 1 }] },
          },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [{ tool: 'pay', input: { amount: 1 }, resumed: true }],
            expect: { finishReason: 'stop' },
          },
        ],
      },
    ],
  },
  {
    number: 59,
    title: 'a hook is around the restarted run too',
    scenarios: [
      {
        ...paying,
        tools: (world) => [logging(world, pay())],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { text: 'done' },
          },
        ],
        check: ({ notes }) => {
          if (notes.join() !== 'pay: fresh,pay: restarted') throw new Error(notes.join());
        },
      },
    ],
  },
  {
    number: 60,
    title: 'words of the provider stay on the request after a restart',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: {
              messages: [
                user('hi'),
                model(
                  request('pay', { amount: 10 }, 'r1', { sig: 'abc', resolvedInterrupt: { confirm: 10 } }),
                ),
                resumedTool(response('pay', 'paid 10', 'r1')),
                model(text('done')),
              ],
            },
          },
        ],
        check: ({ requests }) => {
          const sent = JSON.stringify(requests.at(-1));
          if (!sent.includes('"metadata":{"sig":"abc"}')) throw new Error(`the model is sent ${sent}`);
        },
      },
    ],
  },
  {
    number: 61,
    title: 'a tool that only asks cannot be restarted',
    decision: 'Genkit interrupts again',
    scenarios: [
      {
        replies: [reply(call('ask', {}, 'r1'))],
        tools: () => [ask()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [],
            expect: { error: { ...invalid, words: ['restart', 'ask#r1', 'respond'] } },
          },
        ],
      },
      {
        name: 'nor where the history calls it a confirmation',
        replies: [reply(call('ask', {}, 'r1'))],
        tools: () => [ask()],
        steps: [
          {
            messages: [user('hi'), model(request('ask', {}, 'r1', { interrupt: true }))],
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [],
            expect: { error: { ...invalid, words: ['ask#r1', 'restart'] } },
          },
        ],
      },
    ],
  },
  {
    number: 62,
    title: 'a fresh call after a restart is not told that it was restarted',
    scenarios: [
      {
        replies: [
          reply(call('pay', { amount: 1 }, 'r1')),
          reply(call('pay', { amount: 2 }, 'r2')),
          reply(say('done')),
        ],
        tools: () => [pay()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [
              { tool: 'pay', input: { amount: 1 }, resumed: true },
              { tool: 'pay', input: { amount: 2 } },
            ],
            expect: { finishReason: 'interrupted', interrupts: [{ confirm: 2 }] },
          },
        ],
      },
    ],
  },
];
