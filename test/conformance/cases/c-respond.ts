import type { JsonObject, JsonValue, TranscriptMessage } from '../../../src/core/index.js';
import { defineInterrupt, respond } from '../../../src/tools/index.js';
import * as z from 'zod';

import { interruptAt, requestAt, respondTo } from '../answers.js';
import type { ConformanceCase, Step } from '../case.js';
import { call, model, reply, request, response, resumedTool, say, text, tool, user } from '../parts.js';
import { ask, echo, pay } from '../tools.js';

const yes = { answer: 'y' };

/** One question, then text: case 15 and what follows it. */
const asked = {
  replies: [reply(call('ask', { q: 'why' }, 'r1')), reply(say('thanks'))],
  tools: () => [ask()],
};
const interrupted: Step = { prompt: 'hi', expect: { finishReason: 'interrupted' } };
const waiting = [user('hi'), model(request('ask', { q: 'why' }, 'r1', { interrupt: true }))];

/** The history of `asked` after a reply. */
function answeredHistory(
  responseMetadata?: JsonObject,
  resumed: JsonValue = true,
): readonly TranscriptMessage[] {
  return [
    user('hi'),
    model(request('ask', { q: 'why' }, 'r1', { resolvedInterrupt: true })),
    { ...tool(response('ask', yes, 'r1', responseMetadata)), metadata: { resumed } },
    model(text('thanks')),
  ];
}

/** Two calls of one tool, as a provider without refs gives them. */
const twins = {
  replies: [reply(call('ask', { q: 1 }), call('ask', { q: 2 })), reply(say('thanks'))],
  tools: () => [ask()],
};

const chained = [reply(call('ask', {}, 'r1')), reply(call('ask', {}, 'r2')), reply(say('thanks'))];

const unanswered = { code: 'INVALID_RESUME', status: 'INVALID_ARGUMENT' } as const;

export const RESPOND: readonly ConformanceCase[] = [
  {
    number: 33,
    title: 'a reply goes to the model and the loop goes on',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes) }),
            modelCalls: 1,
            ran: [],
            expect: {
              finishReason: 'stop',
              text: 'thanks',
              messages: answeredHistory({ interruptResponse: true }),
            },
          },
        ],
        check: ({ requests }) => {
          const roles = requests.at(-1)?.map(({ role }) => role);
          if (roles?.join() !== 'user,model,tool') throw new Error(`the model got ${String(roles)}`);
        },
      },
    ],
  },
  {
    number: 34,
    title: 'what a reply says about itself is kept',
    scenarios: [{ by: 'ann' }, false, 0, '', null].map((metadata) => ({
      name: JSON.stringify(metadata),
      ...asked,
      steps: [
        interrupted,
        {
          resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes, metadata) }),
          expect: { messages: answeredHistory({ interruptResponse: metadata }) },
        },
      ],
    })),
  },
  {
    number: 35,
    title: 'what a resume says about itself is kept on the tool message',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              respond: respondTo(requestAt(waits, 0), yes),
              metadata: { who: 'cli' },
            }),
            expect: { messages: answeredHistory({ interruptResponse: true }, { who: 'cli' }) },
          },
        ],
      },
    ],
  },
  {
    number: 36,
    title: 'a response made by hand is used verbatim, without a mark',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: () => ({ respond: response('ask', yes, 'r1') }),
            expect: { messages: answeredHistory() },
          },
        ],
      },
      {
        name: 'with words and content of its own, for a tool that is not given',
        replies: asked.replies,
        steps: [
          {
            messages: waiting,
            resume: () => ({
              respond: {
                toolResponse: { name: 'ask', ref: 'r1', output: yes, content: [text('more')] },
                metadata: { mine: 1 },
              },
            }),
            expect: {
              messages: [
                ...answeredHistory().slice(0, 2),
                resumedTool({
                  toolResponse: { name: 'ask', ref: 'r1', output: yes, content: [text('more')] },
                  metadata: { mine: 1 },
                }),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 37,
    title: 'the stream of a resume tells tool 0, model 1',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: () => ({ respond: response('ask', yes, 'r1') }),
            expect: {
              chunks: [
                ['tool', 0],
                ['model', 1],
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 38,
    title: 'a typed reply of the wrong shape fails where it is built',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              respond: defineInterrupt({
                name: 'ask',
                description: 'Asks.',
                output: z.object({ answer: z.string() }),
              }).respond(interruptAt(waits, 0), 7 as never),
            }),
            modelCalls: 0,
            expect: { error: { code: 'TOOL_INPUT', status: 'INVALID_ARGUMENT', words: ['ask', 'object'] } },
          },
        ],
      },
    ],
  },
  {
    number: 39,
    title: 'a raw reply of the wrong shape is refused at the resume, and nothing runs',
    scenarios: [
      {
        replies: [reply(call('ask', {}, 'r1'), call('pay', { amount: 1 }, 'r2'))],
        tools: () => [ask(), pay()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              respond: response('ask', { answer: 7 }, 'r1'),
              restart: requestAt(waits, 1),
            }),
            modelCalls: 0,
            ran: [],
            expect: { error: { ...unanswered, words: ['ask#r1', 'answer: expected string'] } },
          },
        ],
      },
    ],
  },
  {
    number: 40,
    title: 'a reply with another ref leaves the call unresolved',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: () => ({ respond: response('ask', yes, 'other') }),
            modelCalls: 0,
            expect: { error: { ...unanswered, words: ['ask#other', 'ask#r1'] } },
          },
        ],
      },
    ],
  },
  {
    number: 41,
    title: 'two calls of one tool without refs get their own replies',
    decision:
      'refs are assigned when the reply of the model arrives; Genkit JS gives the first reply to both',
    scenarios: [
      {
        ...twins,
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              respond: [
                respondTo(requestAt(waits, 0), { answer: 'one' }),
                respondTo(requestAt(waits, 1), { answer: 'two' }),
              ],
            }),
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(
                  request('ask', { q: 1 }, 'call2', { resolvedInterrupt: true }),
                  request('ask', { q: 2 }, 'call2~2', { resolvedInterrupt: true }),
                ),
                resumedTool(
                  response('ask', { answer: 'one' }, 'call2', { interruptResponse: true }),
                  response('ask', { answer: 'two' }, 'call2~2', { interruptResponse: true }),
                ),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
      {
        name: 'replies without refs to two calls are refused, not given to the first',
        ...twins,
        steps: [
          interrupted,
          {
            resume: () => ({
              respond: [
                response('ask', { answer: 'one' }, undefined),
                response('ask', { answer: 'two' }, undefined),
              ],
            }),
            expect: { error: { ...unanswered, words: ['`ask`', 'ref'] } },
          },
        ],
      },
      {
        name: 'a reply without a ref, or with an empty one, reaches the only call of its tool',
        ...asked,
        steps: [
          interrupted,
          {
            from: 0,
            resume: () => ({ respond: response('ask', yes, undefined) }),
            expect: { text: 'thanks' },
          },
          { from: 0, resume: () => ({ respond: response('ask', yes, '') }), expect: { text: 'thanks' } },
        ],
      },
      {
        name: 'a history of Genkit without refs is answered by the refs that the response gives it',
        ...twins,
        steps: [
          {
            messages: [
              user('hi'),
              model(
                request('ask', { q: 1 }, undefined, { interrupt: true }),
                request('ask', { q: 2 }, '', { pendingOutput: { answer: 'parked' } }),
              ),
            ],
            resume: () => ({ respond: response('ask', yes, undefined) }),
            expect: { text: 'thanks' },
          },
        ],
      },
    ],
  },
  {
    number: 42,
    title: 'a request that was handed back can be answered, and leaves no resolvedInterrupt',
    scenarios: [
      {
        ...asked,
        steps: [
          { prompt: 'hi', returnToolRequests: true, expect: { interrupts: [] } },
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes) }),
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(request('ask', { q: 'why' }, 'r1')),
                resumedTool(response('ask', yes, 'r1', { interruptResponse: true })),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
      {
        name: 'and can be run',
        replies: [reply(call('echo', 'x', 'r1')), reply(say('done'))],
        tools: () => [echo()],
        steps: [
          { prompt: 'hi', returnToolRequests: true, ran: [], expect: { toolRequests: 1 } },
          {
            resume: (waits) => ({ restart: requestAt(waits, 0) }),
            ran: [{ tool: 'echo', input: 'x' }],
            expect: {
              messages: [
                user('hi'),
                model(request('echo', 'x', 'r1')),
                resumedTool(response('echo', 'x', 'r1')),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 43,
    title: 'the model may ask again after a resume',
    scenarios: [
      {
        replies: chained,
        tools: () => [ask()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes) }),
            expect: {
              finishReason: 'interrupted',
              messages: [
                user('hi'),
                model(request('ask', {}, 'r1', { resolvedInterrupt: true })),
                resumedTool(response('ask', yes, 'r1', { interruptResponse: true })),
                model(request('ask', {}, 'r2', { interrupt: true })),
              ],
            },
          },
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), { answer: 'n' }) }),
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(request('ask', {}, 'r1', { resolvedInterrupt: true })),
                resumedTool(response('ask', yes, 'r1', { interruptResponse: true })),
                model(request('ask', {}, 'r2', { resolvedInterrupt: true })),
                resumedTool(response('ask', { answer: 'n' }, 'r2', { interruptResponse: true })),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 44,
    title: 'a ref that an earlier turn used resolves only the latest message',
    scenarios: [
      {
        replies: [reply(), reply(), reply(say('thanks'))],
        tools: () => [ask()],
        steps: [
          {
            messages: [
              user('hi'),
              model(request('ask', { q: 1 }, 'same', { resolvedInterrupt: true })),
              resumedTool(response('ask', { answer: 'old' }, 'same', { interruptResponse: true })),
              model(request('ask', { q: 2 }, 'same', { interrupt: true })),
            ],
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes) }),
            expect: {
              messages: [
                user('hi'),
                model(request('ask', { q: 1 }, 'same', { resolvedInterrupt: true })),
                resumedTool(response('ask', { answer: 'old' }, 'same', { interruptResponse: true })),
                model(request('ask', { q: 2 }, 'same', { resolvedInterrupt: true })),
                resumedTool(response('ask', yes, 'same', { interruptResponse: true })),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 45,
    title: 'a reply built with another tool is refused, naming both',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          {
            resume: (waits) => ({ respond: pay().respond(interruptAt(waits, 0), 'paid') }),
            expect: { error: { code: 'BAD_ANSWER', status: 'INVALID_ARGUMENT', words: ['`ask`', '`pay`'] } },
          },
          {
            from: 0,
            resume: (waits) => ({ respond: respond(interruptAt(waits, 0), yes) }),
            expect: { messages: answeredHistory({ interruptResponse: true }) },
          },
        ],
      },
    ],
  },
];
