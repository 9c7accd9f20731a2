import * as z from 'zod';

import type { JsonValue, Tool } from '../../../src/core/index.js';
import { isInterrupt } from '../../../src/core/index.js';
import { defineInterrupt, defineTool, requireApproval, wrapTool } from '../../../src/tools/index.js';
import { requestAt, respondTo, restartOf } from '../answers.js';
import type { ConformanceCase } from '../case.js';
import {
  call,
  failed,
  model,
  reply,
  replyWithUsage,
  request,
  response,
  resumedTool,
  say,
  text,
  tool,
  user,
} from '../parts.js';
import { ask, asking, echo, never, pay } from '../tools.js';

/** Case 21: one reply in which a call finishes and three wait. */
const mixed = {
  replies: [
    reply(
      say('let me see'),
      call('confirm', {}, 'r1'),
      call('echo', { a: 1 }, 'r2'),
      call('resumable', {}, 'r3'),
      call('dynamicInterrupt', {}, 'r4'),
    ),
  ],
  tools: () => [
    asking('confirm', { confirm: 'really' }),
    echo(),
    asking('resumable'),
    defineTool({ name: 'dynamicInterrupt', description: 'Has no body.' }),
  ],
};

const mixedMessages = [
  user('hi'),
  model(
    text('let me see'),
    request('confirm', {}, 'r1', { interrupt: { confirm: 'really' } }),
    request('echo', { a: 1 }, 'r2', { pendingOutput: { a: 1 } }),
    request('resumable', {}, 'r3', { interrupt: true }),
    request('dynamicInterrupt', {}, 'r4', { interrupt: true }),
  ),
];

/** One call whose interrupt has this value. */
function interruptsWith(name: string, make: () => Tool, value: JsonValue, input: JsonValue = {}) {
  return {
    name: `${name}: ${JSON.stringify(value)}`,
    replies: [reply(call(name, input, 'r1'))],
    tools: () => [make()],
    steps: [
      {
        prompt: 'hi',
        modelCalls: 1,
        expect: {
          finishReason: 'interrupted',
          interrupts: [value],
          messages: [user('hi'), model(request(name, input, 'r1', { interrupt: value }))],
        },
      },
    ],
  } as const;
}

function told(payload: Parameters<typeof defineInterrupt<{ n: number }>>[0]['payload']): Tool {
  return defineInterrupt({
    name: 'told',
    description: 'Says what it asks about.',
    input: z.object({ n: z.coerce.number() }),
    ...(payload !== undefined && { payload }),
  });
}

/** Catches the interrupt of its own body, as careless code does. */
function swallowing(): Tool {
  return defineTool({ name: 'careless', description: 'Catches everything.' }, (_input, context) => {
    try {
      return context.interrupt({ confirm: 1 });
    } catch {
      return 5;
    }
  });
}

/** A hook that interrupts what nobody has agreed to, as middleware does. */
function guarded(inner: Tool): Tool {
  return wrapTool(inner, async function guard(_input, context, next) {
    if (context.resumed === undefined) return context.interrupt({ message: `may ${inner.name} run?` });
    return next();
  });
}

/** A hook that tries again, but never past an interrupt. */
function retrying(inner: Tool): Tool {
  return wrapTool(inner, async function retry(_input, _context, next) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next();
      } catch (thrown) {
        if (isInterrupt(thrown) || attempt === 3) throw thrown;
      }
    }
  });
}

export const INTERRUPTING: readonly ConformanceCase[] = [
  {
    number: 15,
    title: 'a question stops the loop',
    scenarios: [
      {
        replies: [reply(call('ask', { q: 'why' }, 'r1'))],
        tools: () => [ask()],
        steps: [
          {
            prompt: 'hi',
            modelCalls: 1,
            expect: {
              finishReason: 'interrupted',
              interrupts: [true],
              toolRequests: 1,
              messages: [user('hi'), model(request('ask', { q: 'why' }, 'r1', { interrupt: true }))],
            },
          },
        ],
      },
    ],
  },
  {
    number: 16,
    title: 'an interrupt that says nothing has the value true',
    scenarios: [interruptsWith('silent', () => asking('silent'), true)],
  },
  {
    number: 17,
    title: 'an interrupt keeps an empty or falsy payload',
    decision:
      'an interrupt is one by the presence of its key, not by the truth of its value; Genkit JS turns falsy ones into true',
    scenarios: [{}, [], '', 0, false, null].map((payload) =>
      interruptsWith('silent', () => asking('silent', payload), payload),
    ),
  },
  {
    number: 18,
    title: 'a payload is the value of the interrupt, verbatim',
    scenarios: [interruptsWith('confirm', () => asking('confirm', { confirm: 'x' }), { confirm: 'x' })],
  },
  {
    number: 19,
    title: 'a tool without a body interrupts',
    scenarios: [
      interruptsWith('bodiless', () => defineTool({ name: 'bodiless', description: 'Has no body.' }), true),
    ],
  },
  {
    number: 20,
    title: 'what an interrupt tool says is a value, or made of the checked input',
    scenarios: [
      interruptsWith('told', () => told({ fixed: true }), { fixed: true }, { n: 1 }),
      interruptsWith('told', () => told(({ n }) => ({ twice: n * 2 })), { twice: 4 }, { n: '2' }),
      interruptsWith('told', () => told(async ({ n }) => ({ twice: n * 2 })), { twice: 6 }, { n: '3' }),
    ],
  },
  {
    number: 21,
    title: 'finished and waiting calls of one reply stand in order on one message',
    scenarios: [
      {
        ...mixed,
        steps: [
          {
            prompt: 'hi',
            modelCalls: 1,
            expect: { finishReason: 'interrupted', text: 'let me see', messages: mixedMessages },
          },
        ],
      },
    ],
  },
  {
    number: 22,
    title: 'the response lists three interrupts and four tool requests',
    scenarios: [
      {
        ...mixed,
        steps: [
          {
            prompt: 'hi',
            expect: { interrupts: [{ confirm: 'really' }, true, true], toolRequests: 4 },
          },
        ],
      },
    ],
  },
  {
    number: 23,
    title: 'the stream of an interrupted turn has no tool chunk',
    decision: 'the stream also tells of each interrupt; Genkit streams none (its issue 1816)',
    scenarios: [
      {
        ...mixed,
        steps: [
          {
            prompt: 'hi',
            expect: {
              chunks: [['model', 0]],
              // As they happen: the tool without a body is the first to ask.
              streamedInterrupts: [true, { confirm: 'really' }, true],
            },
          },
        ],
      },
    ],
  },
  {
    number: 24,
    title: 'words of the provider stay beside the interrupt',
    scenarios: [
      {
        replies: [reply(call('ask', {}, 'r1', { sig: 'abc' }))],
        tools: () => [ask()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [user('hi'), model(request('ask', {}, 'r1', { sig: 'abc', interrupt: true }))],
            },
          },
        ],
      },
    ],
  },
  {
    number: 25,
    title: 'a malformed question never reaches the person',
    decision:
      'decision 2: the model is told and may correct itself; `onToolError: throw` gives INVALID_ARGUMENT',
    scenarios: [
      {
        name: 'the model is told',
        replies: [reply(call('told', { n: 'many' }, 'r1')), reply(say('sorry'))],
        tools: () => [told('x')],
        steps: [
          {
            prompt: 'hi',
            ran: [],
            expect: {
              finishReason: 'stop',
              interrupts: [],
              streamedInterrupts: [],
              messages: [
                user('hi'),
                model(request('told', { n: 'many' }, 'r1')),
                tool(
                  response(
                    'told',
                    'invalid input for `told`: n: expected number, received NaN',
                    'r1',
                    failed('invalid-input'),
                  ),
                ),
                model(text('sorry')),
              ],
            },
          },
        ],
      },
      {
        name: 'throws',
        replies: [reply(call('told', { n: 'many' }, 'r1'))],
        tools: () => [told('x')],
        steps: [
          {
            prompt: 'hi',
            onToolError: 'throw',
            ran: [],
            expect: { error: { code: 'TOOL_INPUT', status: 'INVALID_ARGUMENT', words: ['told'] } },
          },
        ],
      },
    ],
  },
  {
    number: 26,
    title: 'an interrupted response still has its usage',
    scenarios: [
      {
        replies: [replyWithUsage({ inputTokens: 3, outputTokens: 5 }, call('ask', {}, 'r1'))],
        tools: () => [ask()],
        steps: [
          {
            prompt: 'hi',
            expect: { finishReason: 'interrupted', usage: { inputTokens: 3, outputTokens: 5 } },
          },
        ],
      },
    ],
  },
  {
    number: 27,
    title: 'an interrupt that its own tool catches still interrupts',
    decision: 'a swallowed interrupt is noticed; Genkit takes what the tool returns then',
    scenarios: [interruptsWith('careless', swallowing, { confirm: 1 })],
  },
  {
    number: 28,
    title: 'a hook may interrupt in place of its tool, whose body does not run',
    scenarios: [interruptsWith('never', () => guarded(never()), { message: 'may never run?' })],
  },
  {
    number: 29,
    title: 'a tool that needs approval is interrupted and named',
    decision: 'decision 7: the engine asks, and the interrupt names the tool in its source',
    scenarios: [
      {
        replies: [reply(call('echo', 'x', 'r1'))],
        tools: () => [requireApproval(echo(), () => ({ reason: 'echo is not on the list' }))],
        steps: [
          {
            prompt: 'hi',
            ran: [],
            expect: {
              finishReason: 'interrupted',
              interrupts: [{ reason: 'echo is not on the list' }],
              messages: [
                user('hi'),
                model(request('echo', 'x', 'r1', { interrupt: { reason: 'echo is not on the list' } })),
              ],
            },
          },
        ],
        check: ({ responses: [interrupted] }) => {
          const source = interrupted?.interrupts[0]?.source;
          if (source?.type !== 'tool' || source.name !== 'echo') throw new Error('the tool is not named');
        },
      },
    ],
  },
  {
    number: 30,
    title: 'a hook that tries again does not repeat an interrupt',
    scenarios: [
      {
        replies: [reply(call('confirm', {}, 'r1'))],
        tools: (world) => [retrying(world.watch(asking('confirm')))],
        steps: [
          {
            prompt: 'hi',
            // Once for the hook, once for the tool inside it.
            ran: [
              { tool: 'confirm', input: {} },
              { tool: 'confirm', input: {} },
            ],
            expect: { finishReason: 'interrupted', interrupts: [true] },
          },
        ],
      },
    ],
  },
  {
    number: 31,
    title: 'an interrupt in the third round keeps the rounds before',
    scenarios: [
      {
        replies: [
          reply(call('echo', 1, 'r1')),
          reply(call('echo', 2, 'r2')),
          reply(call('pay', { amount: 3 }, 'r3')),
        ],
        tools: () => [echo(), pay()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [
                user('hi'),
                model(request('echo', 1, 'r1')),
                tool(response('echo', 1, 'r1')),
                model(request('echo', 2, 'r2')),
                tool(response('echo', 2, 'r2')),
                model(request('pay', { amount: 3 }, 'r3', { interrupt: { confirm: 3 } })),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 32,
    title: 'a history through JSON, with new tool objects, resumes as the one in memory does',
    // The test of this case also plays all of sections C to E both ways.
    scenarios: [
      {
        ...mixed,
        replies: [...mixed.replies, reply(say('done'))],
        steps: [
          { prompt: 'hi', expect: { messages: mixedMessages } },
          {
            resume: (before) => ({
              respond: [respondTo(requestAt(before, 3), 'typed')],
              restart: [restartOf(requestAt(before, 0)), restartOf(requestAt(before, 2), { resumed: 'go' })],
            }),
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(
                  text('let me see'),
                  request('confirm', {}, 'r1', { resolvedInterrupt: { confirm: 'really' } }),
                  request('echo', { a: 1 }, 'r2'),
                  request('resumable', {}, 'r3', { resolvedInterrupt: true }),
                  request('dynamicInterrupt', {}, 'r4', { resolvedInterrupt: true }),
                ),
                resumedTool(
                  response('confirm', { resumed: true }, 'r1'),
                  response('echo', { a: 1 }, 'r2', { source: 'pending' }),
                  response('resumable', { resumed: 'go' }, 'r3'),
                  response('dynamicInterrupt', 'typed', 'r4', { interruptResponse: true }),
                ),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
];
