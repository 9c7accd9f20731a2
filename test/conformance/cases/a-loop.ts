import * as z from 'zod';

import type { Tool } from '../../../src/core/index.js';
import { isHitlError } from '../../../src/core/index.js';
import { defineTool } from '../../../src/tools/index.js';
import type { ConformanceCase } from '../case.js';
import { call, failed, model, reply, request, response, say, text, tool, user } from '../parts.js';
import { ask, boom, echo, never, pay } from '../tools.js';

const echoed = [
  user('hi'),
  model(request('echo', { a: 1 }, 'r1')),
  tool(response('echo', { a: 1 }, 'r1')),
  model(text('done')),
];

/** `slow` ends only after `fast` has ended, and `fast` starts only after `slow` has started. */
function race(): readonly Tool[] {
  let slowStarted = (): void => {};
  let fastEnded = (): void => {};
  const started = new Promise<void>((resolve) => {
    slowStarted = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    fastEnded = resolve;
  });
  const slow = defineTool({ name: 'slow', description: 'Ends last.' }, async () => {
    slowStarted();
    await ended;
    return 'slow';
  });
  const fast = defineTool({ name: 'fast', description: 'Ends first.' }, async () => {
    await started;
    fastEnded();
    return 'fast';
  });
  return [slow, fast];
}

const strict = () =>
  defineTool(
    { name: 'strict', description: 'Takes a number.', input: z.object({ n: z.number() }) },
    ({ n }) => n,
  );

const multipart = () =>
  defineTool({ name: 'photo', description: 'Takes a photo.', multipart: true }, () => ({
    output: 'a cat',
    content: [{ type: 'media' as const, url: 'data:image/png;base64,AA==', contentType: 'image/png' }],
    metadata: { camera: 'front' },
  }));

export const LOOP: readonly ConformanceCase[] = [
  {
    number: 1,
    title: 'a reply of text ends the loop',
    scenarios: [
      {
        replies: [reply(say('hello'))],
        steps: [
          {
            prompt: 'hi',
            modelCalls: 1,
            expect: { finishReason: 'stop', text: 'hello', messages: [user('hi'), model(text('hello'))] },
          },
        ],
      },
    ],
  },
  {
    number: 2,
    title: 'a tool runs and the model is asked again',
    scenarios: [
      {
        replies: [reply(call('echo', { a: 1 }, 'r1')), reply(say('done'))],
        tools: () => [echo()],
        steps: [
          {
            prompt: 'hi',
            modelCalls: 2,
            ran: [{ tool: 'echo', input: { a: 1 } }],
            expect: { finishReason: 'stop', messages: echoed, text: 'done', interrupts: [] },
          },
        ],
      },
    ],
  },
  {
    number: 3,
    title: 'parallel tools answer in the order of the requests, whichever ends first',
    decision: 'law 4: request order always; Genkit JS answers in completion order',
    scenarios: [
      {
        replies: [reply(call('slow', {}, 'r1'), call('fast', {}, 'r2')), reply(say('done'))],
        tools: race,
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [
                user('hi'),
                model(request('slow', {}, 'r1'), request('fast', {}, 'r2')),
                tool(response('slow', 'slow', 'r1'), response('fast', 'fast', 'r2')),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 4,
    title: 'a finished call leaves no pendingOutput behind',
    scenarios: [
      {
        replies: [reply(call('echo', { a: 1 }, 'r1')), reply(say('done'))],
        tools: () => [echo()],
        steps: [{ prompt: 'hi', expect: { messages: echoed } }],
        check: ({ responses }) => {
          if (JSON.stringify(responses).includes('pendingOutput')) throw new Error('pendingOutput stayed');
        },
      },
    ],
  },
  {
    number: 5,
    title: 'a stream tells model 0, tool 1, model 2',
    scenarios: [
      {
        replies: [reply(call('echo', { a: 1 }, 'r1')), reply(say('done'))],
        tools: () => [echo()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              chunks: [
                ['model', 0],
                ['tool', 1],
                ['model', 2],
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 6,
    title: 'a call of an unknown tool',
    decision: 'decision 2: the model is told, once; `onToolError: throw` gives NOT_FOUND',
    scenarios: [
      {
        name: 'the model is told',
        replies: [reply(call('nope', {}, 'r1')), reply(say('sorry'))],
        tools: () => [echo()],
        steps: [
          {
            prompt: 'hi',
            ran: [],
            expect: {
              messages: [
                user('hi'),
                model(request('nope', {}, 'r1')),
                tool(
                  response('nope', 'unknown tool `nope`; available tools: echo', 'r1', failed('not-found')),
                ),
                model(text('sorry')),
              ],
            },
          },
        ],
      },
      {
        name: 'throws',
        replies: [reply(call('nope', {}, 'r1'))],
        tools: () => [echo()],
        steps: [
          {
            prompt: 'hi',
            onToolError: 'throw',
            modelCalls: 1,
            expect: { error: { code: 'TOOL_NOT_FOUND', status: 'NOT_FOUND', words: ['nope'] } },
          },
        ],
      },
    ],
  },
  {
    number: 7,
    title: 'two tools with one short name are refused before the model is called',
    scenarios: [
      {
        replies: [],
        tools: () => [echo('a/x'), echo('b/x')],
        steps: [
          {
            prompt: 'hi',
            modelCalls: 0,
            expect: { error: { code: 'DUPLICATE_TOOL', status: 'INVALID_ARGUMENT', words: ['x'] } },
          },
        ],
      },
    ],
  },
  {
    number: 8,
    title: 'an input that breaks the schema never enters the function',
    decision:
      'decision 2: the model is told and may correct itself; `onToolError: throw` gives INVALID_ARGUMENT',
    scenarios: [
      {
        name: 'the model corrects itself',
        replies: [
          reply(call('strict', { n: 'one' }, 'r1')),
          reply(call('strict', { n: 1 }, 'r2')),
          reply(say('done')),
        ],
        tools: () => [strict()],
        steps: [
          {
            prompt: 'hi',
            ran: [{ tool: 'strict', input: { n: 1 } }],
            expect: {
              messages: [
                user('hi'),
                model(request('strict', { n: 'one' }, 'r1')),
                tool(
                  response(
                    'strict',
                    'invalid input for `strict`: n: expected number, received string',
                    'r1',
                    failed('invalid-input'),
                  ),
                ),
                model(request('strict', { n: 1 }, 'r2')),
                tool(response('strict', 1, 'r2')),
                model(text('done')),
              ],
            },
          },
        ],
      },
      {
        name: 'throws',
        replies: [reply(call('strict', { n: 'one' }, 'r1'))],
        tools: () => [strict()],
        steps: [
          {
            prompt: 'hi',
            onToolError: 'throw',
            ran: [],
            expect: { error: { code: 'TOOL_INPUT', status: 'INVALID_ARGUMENT', words: ['strict', 'n:'] } },
          },
        ],
      },
    ],
  },
  {
    number: 9,
    title: 'an endless tool caller meets maxTurns 17',
    scenarios: [
      {
        replies: Array.from({ length: 18 }, (_, index) => reply(call('echo', index, `r${index}`))),
        tools: () => [echo()],
        steps: [
          {
            prompt: 'hi',
            maxTurns: 17,
            modelCalls: 18,
            ran: Array.from({ length: 17 }, (_, index) => ({ tool: 'echo', input: index })),
            expect: { error: { code: 'TURN_LIMIT', status: 'ABORTED', words: ['17'] } },
          },
        ],
      },
    ],
  },
  {
    number: 10,
    title: 'maxTurns 0 fails at the first tool request',
    scenarios: [
      {
        replies: [reply(call('never', {}, 'r1'))],
        tools: () => [never()],
        steps: [
          {
            prompt: 'hi',
            maxTurns: 0,
            modelCalls: 1,
            ran: [],
            expect: { error: { code: 'TURN_LIMIT', status: 'ABORTED', words: ['0'] } },
          },
        ],
      },
    ],
  },
  {
    number: 11,
    title: 'returnToolRequests hands the bare request back',
    scenarios: [
      {
        replies: [reply(call('ask', { q: 'why' }, 'r1'))],
        tools: () => [ask()],
        steps: [
          {
            prompt: 'hi',
            returnToolRequests: true,
            modelCalls: 1,
            ran: [],
            expect: {
              finishReason: 'stop',
              toolRequests: 1,
              interrupts: [],
              messages: [user('hi'), model(request('ask', { q: 'why' }, 'r1'))],
            },
          },
        ],
      },
    ],
  },
  {
    number: 12,
    title: 'a tool throws beside one that works',
    decision:
      'decision 2: the sibling finishes and the model is told; `throw` fails with both results in the error',
    scenarios: [
      {
        name: 'the model is told',
        replies: [reply(call('boom', {}, 'r1'), call('echo', 'e', 'r2')), reply(say('noted'))],
        tools: () => [boom(), echo()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [
                user('hi'),
                model(request('boom', {}, 'r1'), request('echo', 'e', 'r2')),
                tool(response('boom', 'boom went off', 'r1', failed('failed')), response('echo', 'e', 'r2')),
                model(text('noted')),
              ],
            },
          },
        ],
      },
      {
        name: 'throws',
        replies: [reply(call('boom', {}, 'r1'), call('echo', 'e', 'r2'))],
        tools: () => [boom(), echo()],
        steps: [
          {
            prompt: 'hi',
            onToolError: 'throw',
            ran: [
              { tool: 'boom', input: {} },
              { tool: 'echo', input: 'e' },
            ],
            expect: { error: { code: 'TOOL_FAILED', status: 'INTERNAL', words: ['boom went off'] } },
          },
        ],
        check: ({ errors: [error] }) => {
          if (!isHitlError(error) || !(error.cause instanceof Error)) throw new Error('no cause');
          if (error.cause.message !== 'boom went off') throw new Error('another cause');
          const detail = JSON.stringify(error.detail);
          if (!detail.includes('"output":"e"')) throw new Error(`the sibling's result is lost: ${detail}`);
        },
      },
    ],
  },
  {
    number: 13,
    title: 'a multipart tool gives output, content and metadata',
    scenarios: [
      {
        replies: [reply(call('photo', {}, 'r1')), reply(say('done'))],
        tools: () => [multipart()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [
                user('hi'),
                model(request('photo', {}, 'r1')),
                tool({
                  toolResponse: {
                    name: 'photo',
                    ref: 'r1',
                    output: 'a cat',
                    content: [{ media: { url: 'data:image/png;base64,AA==', contentType: 'image/png' } }],
                  },
                  metadata: { camera: 'front' },
                }),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 14,
    title: 'text keeps its place among the calls of a reply',
    scenarios: [
      {
        replies: [
          reply(call('echo', 1, 'r1'), say('between'), call('echo', 2, 'r2'), say('after')),
          reply(say('done')),
        ],
        tools: () => [echo(), pay()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [
                user('hi'),
                model(request('echo', 1, 'r1'), text('between'), request('echo', 2, 'r2'), text('after')),
                tool(response('echo', 1, 'r1'), response('echo', 2, 'r2')),
                model(text('done')),
              ],
            },
          },
        ],
      },
    ],
  },
];
