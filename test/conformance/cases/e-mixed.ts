import type { JsonValue, Tool, TranscriptMessage } from '../../../src/core/index.js';
import { isHitlError } from '../../../src/core/index.js';
import { defineTool, wrapTool } from '../../../src/tools/index.js';
import { requestAt, respondTo, restartOf } from '../answers.js';
import type { ConformanceCase, Scenario, Step } from '../case.js';
import {
  call,
  failed,
  model,
  reply,
  request,
  response,
  resumedTool,
  say,
  text,
  tool,
  user,
} from '../parts.js';
import { ask, asking, constant, echo, never, pay } from '../tools.js';
import type { World } from '../world.js';

const yes = { answer: 'y' };
const interrupted: Step = { prompt: 'hi', expect: { finishReason: 'interrupted' } };
const invalid = { code: 'INVALID_RESUME', status: 'INVALID_ARGUMENT' } as const;
const nothing = { code: 'NOTHING_TO_RESUME', status: 'FAILED_PRECONDITION' } as const;
const open = { code: 'OPEN_INTERRUPT', status: 'FAILED_PRECONDITION' } as const;

const asked = {
  replies: [reply(call('ask', {}, 'r1')), reply(say('thanks'))],
  tools: () => [ask()],
};

/** Two payments that wait. */
const two = {
  replies: [reply(call('pay', { amount: 1 }, 'r1'), call('pay', { amount: 2 }, 'r2')), reply(say('done'))],
  tools: () => [pay()],
};

const paying = {
  replies: [reply(call('pay', { amount: 1 }, 'r1')), reply(say('done'))],
  tools: () => [pay()],
};

/** A call that finished beside a question. */
function parkedBeside(output: JsonValue): Scenario {
  return {
    name: JSON.stringify(output),
    replies: [reply(call('constant', {}, 'r1'), call('ask', {}, 'r2')), reply(say('thanks'))],
    tools: () => [constant('constant', output), ask()],
    steps: [
      {
        prompt: 'hi',
        expect: {
          messages: [
            user('hi'),
            model(
              request('constant', {}, 'r1', { pendingOutput: output }),
              request('ask', {}, 'r2', { interrupt: true }),
            ),
          ],
        },
      },
      {
        resume: (waits) => ({ respond: respondTo(requestAt(waits, 1), yes) }),
        ran: [],
        expect: {
          finishReason: 'stop',
          messages: [
            user('hi'),
            model(request('constant', {}, 'r1'), request('ask', {}, 'r2', { resolvedInterrupt: true })),
            resumedTool(
              response('constant', output, 'r1', { source: 'pending' }),
              response('ask', yes, 'r2', { interruptResponse: true }),
            ),
            model(text('thanks')),
          ],
        },
      },
    ],
  };
}

const photo = {
  output: 'a cat',
  content: [
    { type: 'text' as const, text: 'look', metadata: { lang: 'en' } },
    { type: 'media' as const, url: 'data:image/png;base64,AA==', contentType: 'image/png' },
    { type: 'data' as const, data: null },
  ],
  metadata: { camera: 'front' },
};

function photographing(): Tool {
  return defineTool({ name: 'photo', description: 'Takes a photo.', multipart: true }, () => photo);
}

/** Refused with these words, and nothing runs. */
function refused(resume: NonNullable<Step['resume']>, words: readonly string[]): Step {
  return { from: 0, resume, ran: [], modelCalls: 0, expect: { error: { ...invalid, words } } };
}

function nothingIn(messages: readonly TranscriptMessage[], word: string): Scenario {
  return {
    name: word,
    replies: [],
    steps: [
      {
        messages,
        resume: () => ({ respond: response('ask', yes, 'r1') }),
        modelCalls: 0,
        expect: { error: { ...nothing, words: [word] } },
      },
    ],
  };
}

/** Stops the run from outside while it runs, and obeys. */
function stoppedWhileRunning(world: World): Tool {
  return defineTool({ name: 'slow', description: 'Runs until it is stopped.' }, (_input, context) => {
    if (context.resumed === undefined) return context.interrupt();
    return new Promise<string>((resolve, reject) => {
      context.signal.addEventListener('abort', () => {
        world.notes.push('the tool saw the signal');
        reject(new Error('stopped'));
      });
      if (world.notes.includes('again')) resolve('ran to its end');
      else world.stop.abort();
    });
  });
}

export const MIXED: readonly ConformanceCase[] = [
  {
    number: 63,
    title: 'a reply, a parked result and a restart make one tool message in request order',
    scenarios: [
      {
        replies: [
          reply(call('interrupter', {}, 'r1'), call('truth', {}, 'r2'), call('resumable', {}, 'r3')),
          reply(say('done')),
        ],
        tools: () => [
          asking('interrupter'),
          constant('truth', true),
          defineTool<JsonValue, JsonValue>(
            { name: 'resumable', description: 'Asks, then is sure.', input: {} },
            (_input, context) => (context.resumed === undefined ? context.interrupt() : true),
          ),
        ],
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              respond: respondTo(requestAt(waits, 0), 23),
              restart: restartOf(requestAt(waits, 2), { resumed: { status: 'ok' } }),
            }),
            ran: [{ tool: 'resumable', input: {}, resumed: { status: 'ok' } }],
            expect: {
              messages: [
                user('hi'),
                model(
                  request('interrupter', {}, 'r1', { resolvedInterrupt: true }),
                  request('truth', {}, 'r2'),
                  request('resumable', {}, 'r3', { resolvedInterrupt: true }),
                ),
                resumedTool(
                  response('interrupter', 23, 'r1', { interruptResponse: true }),
                  response('truth', true, 'r2', { source: 'pending' }),
                  response('resumable', true, 'r3'),
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
    number: 64,
    title: 'a falsy or empty result is parked and resumed as it is',
    scenarios: [false, 0, '', null, [], {}].map(parkedBeside),
  },
  {
    number: 65,
    title: 'a parked multipart result keeps output, content and metadata',
    decision: 'Genkit keeps the output only',
    scenarios: [
      {
        replies: [reply(call('photo', {}, 'r1'), call('ask', {}, 'r2')), reply(say('thanks'))],
        tools: () => [photographing(), ask()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 1), yes) }),
            expect: {
              messages: [
                user('hi'),
                model(request('photo', {}, 'r1'), request('ask', {}, 'r2', { resolvedInterrupt: true })),
                resumedTool(
                  {
                    toolResponse: {
                      name: 'photo',
                      ref: 'r1',
                      output: 'a cat',
                      content: [
                        { text: 'look', metadata: { lang: 'en' } },
                        { media: { url: 'data:image/png;base64,AA==', contentType: 'image/png' } },
                        { data: null },
                      ],
                    },
                    metadata: { camera: 'front', source: 'pending' },
                  },
                  response('ask', yes, 'r2', { interruptResponse: true }),
                ),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 66,
    title: 'a finished sibling ran exactly once over interrupt and resume',
    scenarios: [
      {
        replies: [reply(call('echo', 1, 'r1'), call('ask', {}, 'r2')), reply(say('thanks'))],
        tools: () => [echo(), ask()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 1), yes) }),
            expect: { text: 'thanks' },
          },
        ],
        check: ({ ran }) => {
          const times = ran.filter(({ tool: name }) => name === 'echo').length;
          if (times !== 1) throw new Error(`echo ran ${times} times`);
        },
      },
    ],
  },
  {
    number: 67,
    title: 'a partial answer runs nothing and names what is missing',
    decision: 'Genkit runs the restart first, and throws its result away',
    scenarios: [
      {
        ...two,
        steps: [
          interrupted,
          refused((waits) => ({ restart: restartOf(requestAt(waits, 0)) }), ['pay#r2', 'not answered']),
          refused((waits) => ({ respond: respondTo(requestAt(waits, 1), 'x') }), ['pay#r1']),
        ],
      },
    ],
  },
  {
    number: 68,
    title: 'a reply and a restart for one call are ambiguous',
    decision: 'Genkit takes the reply',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          refused(
            (waits) => ({
              respond: respondTo(requestAt(waits, 0), 'x'),
              restart: restartOf(requestAt(waits, 0)),
            }),
            ['pay#r1', 'two answers'],
          ),
        ],
      },
    ],
  },
  {
    number: 69,
    title: 'two replies for one call are ambiguous',
    decision: 'Genkit takes the first',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          refused(
            (waits) => ({
              respond: [respondTo(requestAt(waits, 0), 'x'), respondTo(requestAt(waits, 0), 'y')],
            }),
            ['pay#r1', 'two answers'],
          ),
        ],
      },
    ],
  },
  {
    number: 70,
    title: 'an answer to a call that does not exist is refused',
    decision: 'Genkit ignores it',
    scenarios: [
      {
        ...paying,
        steps: [
          interrupted,
          refused(
            (waits) => ({
              restart: restartOf(requestAt(waits, 0)),
              respond: response('ghost', 1, 'r9'),
            }),
            ['ghost#r9'],
          ),
          refused(
            (waits) => ({ respond: [respondTo(requestAt(waits, 0), 'x'), text('hello')] }),
            ['toolResponse'],
          ),
          refused(
            (waits) => ({ respond: respondTo(requestAt(waits, 0), 'x'), restart: text('hello') }),
            ['toolRequest'],
          ),
        ],
      },
    ],
  },
  {
    number: 71,
    title: 'an answer to a call that has its result is refused',
    decision: 'Genkit ignores it',
    scenarios: [
      {
        replies: [reply(call('echo', 1, 'r1'), call('ask', {}, 'r2'))],
        tools: () => [echo(), ask()],
        steps: [
          interrupted,
          refused(
            (waits) => ({
              respond: [respondTo(requestAt(waits, 0), 2), respondTo(requestAt(waits, 1), yes)],
            }),
            ['echo#r1', 'already'],
          ),
        ],
      },
    ],
  },
  {
    number: 72,
    title: 'an answer to a call of an earlier turn is no longer pending',
    scenarios: [
      {
        replies: [reply(call('ask', {}, 'r1')), reply(call('ask', {}, 'r2'))],
        tools: () => [ask()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes) }),
            expect: { finishReason: 'interrupted' },
          },
          {
            resume: (waits) => ({
              respond: [response('ask', yes, 'r1'), respondTo(requestAt(waits, 0), yes)],
            }),
            modelCalls: 0,
            expect: { error: { ...invalid, words: ['ask#r1', 'no longer pending'] } },
          },
        ],
      },
    ],
  },
  {
    number: 73,
    title: 'a history that waits for nothing cannot be resumed',
    scenarios: [
      nothingIn([], 'no messages'),
      nothingIn([user('hi')], '`user`'),
      nothingIn([user('hi'), model(request('ask', {}, 'r1')), tool(response('ask', yes, 'r1'))], '`tool`'),
      nothingIn([user('hi'), model(text('hello'))], 'no tool requests'),
    ],
  },
  {
    number: 74,
    title: 'an empty resume fails with an open interrupt, and goes on with results only',
    scenarios: [
      {
        name: 'an open interrupt',
        ...asked,
        steps: [
          interrupted,
          refused(() => ({}), ['ask#r1']),
          refused(() => ({ respond: [], restart: [] }), ['ask#r1']),
        ],
      },
      {
        name: 'results only',
        replies: [reply(), reply(say('thanks'))],
        steps: [
          {
            messages: [
              user('hi'),
              model(
                request('echo', 1, 'r1', { pendingOutput: 1, sig: 'abc' }),
                request('echo', 0, 'r2', { pendingOutput: 0 }),
              ),
            ],
            resume: () => ({}),
            modelCalls: 1,
            expect: {
              finishReason: 'stop',
              chunks: [
                ['tool', 0],
                ['model', 1],
              ],
              messages: [
                user('hi'),
                model(request('echo', 1, 'r1', { sig: 'abc' }), request('echo', 0, 'r2')),
                resumedTool(
                  response('echo', 1, 'r1', { source: 'pending' }),
                  response('echo', 0, 'r2', { source: 'pending' }),
                ),
                model(text('thanks')),
              ],
            },
          },
        ],
      },
    ],
  },
  {
    number: 75,
    title: 'text among the requests passes through in place',
    scenarios: [
      {
        replies: [
          reply(call('ask', {}, 'r1'), say('and'), call('pay', { amount: 1 }, 'r2'), say('or not')),
          reply(say('done')),
        ],
        tools: () => [ask(), pay()],
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              respond: respondTo(requestAt(waits, 0), yes),
              restart: restartOf(requestAt(waits, 1)),
            }),
            expect: {
              messages: [
                user('hi'),
                model(
                  request('ask', {}, 'r1', { resolvedInterrupt: true }),
                  text('and'),
                  request('pay', { amount: 1 }, 'r2', { resolvedInterrupt: { confirm: 1 } }),
                  text('or not'),
                ),
                resumedTool(
                  response('ask', yes, 'r1', { interruptResponse: true }),
                  response('pay', 'paid 1', 'r2'),
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
    number: 76,
    title: 'a frozen history resumes, and is left as it was',
    scenarios: [
      {
        ...two,
        steps: [
          interrupted,
          {
            freeze: true,
            resume: (waits) => ({
              respond: respondTo(requestAt(waits, 0), 'paid by hand'),
              restart: restartOf(requestAt(waits, 1), { input: { amount: 3 } }),
            }),
            expect: { finishReason: 'stop', text: 'done' },
          },
        ],
      },
    ],
  },
  {
    number: 77,
    title: 'one history resumes twice, each on its own',
    decision: 'a saved session refuses the second answer as stale: case 91 and the session tests',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          ...['accept', 'decline'].map((answer): Step => ({
            from: 0,
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), { answer }) }),
            expect: {
              finishReason: 'stop',
              messages: [
                user('hi'),
                model(request('ask', {}, 'r1', { resolvedInterrupt: true })),
                resumedTool(response('ask', { answer }, 'r1', { interruptResponse: true })),
                model(text('thanks')),
              ],
            },
          })),
        ],
      },
    ],
  },
  {
    number: 78,
    title: 'a prompt while a call waits is refused, unless the caller cancels the call',
    decision: 'Genkit sends a request without its result',
    scenarios: [
      {
        name: 'refused',
        ...asked,
        steps: [
          interrupted,
          { prompt: 'never mind', modelCalls: 0, expect: { error: { ...open, words: ['1 open'] } } },
          {
            from: 0,
            prompt: 'never mind',
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 0), yes) }),
            cancelOpen: true,
            modelCalls: 0,
            expect: { error: { ...nothing, words: ['cancelOpen', 'resume'] } },
          },
        ],
      },
      {
        name: 'cancelled',
        replies: [reply(call('echo', 1, 'r1'), call('ask', {}, 'r2')), reply(say('fine'))],
        tools: () => [echo(), ask()],
        steps: [
          interrupted,
          {
            prompt: 'never mind',
            cancelOpen: true,
            modelCalls: 1,
            ran: [],
            expect: {
              finishReason: 'stop',
              chunks: [
                ['tool', 0],
                ['model', 1],
              ],
              messages: [
                user('hi'),
                model(request('echo', 1, 'r1'), request('ask', {}, 'r2', { resolvedInterrupt: true })),
                resumedTool(
                  response('echo', 1, 'r1', { source: 'pending' }),
                  response('ask', 'cancelled by the user; it did not run', 'r2', failed('cancelled')),
                ),
                user('never mind'),
                model(text('fine')),
              ],
            },
          },
        ],
      },
      {
        name: 'cancelled without a prompt',
        ...asked,
        steps: [
          interrupted,
          { cancelOpen: true, modelCalls: 1, expect: { finishReason: 'stop', text: 'thanks' } },
        ],
      },
      {
        name: 'two calls that wait',
        ...two,
        steps: [
          interrupted,
          {
            prompt: 'never mind',
            modelCalls: 0,
            expect: { error: { ...open, words: ['2 open tool calls'] } },
          },
        ],
      },
      {
        name: 'nothing to cancel',
        replies: [reply(say('hello'))],
        steps: [{ prompt: 'hi', cancelOpen: true, expect: { messages: [user('hi'), model(text('hello'))] } }],
      },
    ],
  },
  {
    number: 79,
    title: 'an interrupted history without a resume is refused',
    decision: 'Genkit calls the model',
    scenarios: [
      {
        ...asked,
        steps: [
          interrupted,
          { modelCalls: 0, expect: { error: open } },
          { returnToolRequests: true, modelCalls: 0, expect: { error: open } },
        ],
      },
    ],
  },
  {
    number: 80,
    title: 'a hook that returns nothing is an error that names it',
    decision: 'Genkit yields a session that cannot be answered',
    scenarios: [
      {
        replies: [reply(call('echo', 1, 'r1'), call('ask', {}, 'r2')), reply(say('done'))],
        tools: () => [wrapTool(echo(), async function forgetful() {} as never), ask()],
        steps: [
          {
            prompt: 'hi',
            expect: {
              messages: [
                user('hi'),
                model(
                  request('echo', 1, 'r1', {
                    pendingOutput: 'hook `forgetful` around tool `echo` returned nothing',
                  }),
                  request('ask', {}, 'r2', { interrupt: true }),
                ),
              ],
            },
          },
          {
            resume: (waits) => ({ respond: respondTo(requestAt(waits, 1), yes) }),
            expect: { finishReason: 'stop' },
          },
        ],
      },
      {
        name: 'a tool of another maker that returns nothing',
        replies: [reply(call('echo', 1, 'r1'))],
        tools: () => [{ ...echo(), execute: async () => undefined as never }],
        steps: [
          {
            prompt: 'hi',
            onToolError: 'throw',
            expect: {
              error: {
                code: 'TOOL_FAILED',
                status: 'INTERNAL',
                words: ['`echo`', 'did not return a JSON value'],
              },
            },
          },
        ],
      },
    ],
  },
  {
    number: 81,
    title: 'a resume costs no turn',
    scenarios: [
      {
        ...paying,
        steps: [
          { ...interrupted, maxTurns: 1 },
          {
            maxTurns: 1,
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { finishReason: 'stop', text: 'done' },
          },
          {
            from: 0,
            maxTurns: 0,
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { finishReason: 'stop', text: 'done' },
          },
        ],
      },
    ],
  },
  {
    number: 82,
    title: 'a resume begins a new budget of turns',
    scenarios: [
      {
        replies: [
          reply(call('echo', 1, 'r1')),
          reply(call('pay', { amount: 1 }, 'r2')),
          reply(call('echo', 2, 'r3')),
          reply(call('echo', 3, 'r4')),
          reply(call('echo', 4, 'r5')),
        ],
        tools: () => [echo(), pay()],
        steps: [
          { ...interrupted, maxTurns: 2 },
          {
            maxTurns: 2,
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            ran: [
              { tool: 'pay', input: { amount: 1 }, resumed: true },
              { tool: 'echo', input: 2 },
              { tool: 'echo', input: 3 },
            ],
            modelCalls: 3,
            expect: { error: { code: 'TURN_LIMIT', status: 'ABORTED', words: ['2'] } },
          },
        ],
      },
    ],
  },
  {
    number: 83,
    title: 'a stop while a restarted tool runs reaches the tool, and leaves the interrupt open',
    scenarios: [
      {
        replies: [reply(call('slow', {}, 'r1'), call('never', {}, 'r2')), reply(say('done'))],
        tools: (world) => [stoppedWhileRunning(world), asking('never')],
        steps: [
          interrupted,
          {
            resume: (waits) => ({
              restart: restartOf(requestAt(waits, 0)),
              respond: respondTo(requestAt(waits, 1), 'no'),
            }),
            modelCalls: 0,
            expect: { error: { code: 'ABORTED', status: 'ABORTED' } },
          },
        ],
        check: (world) => {
          if (world.notes.join() !== 'the tool saw the signal') throw new Error('the tool saw nothing');
          world.notes.push('again');
        },
      },
      {
        name: 'the same history can be resumed again',
        replies: [reply(call('slow', {}, 'r1')), reply(say('done'))],
        tools: (world) => {
          if (world.errors.length > 0) world.notes.push('again');
          return [stoppedWhileRunning(world), never()];
        },
        steps: [
          interrupted,
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { error: { code: 'ABORTED', status: 'ABORTED' } },
          },
          {
            resume: (waits) => ({ restart: restartOf(requestAt(waits, 0)) }),
            expect: { finishReason: 'stop', text: 'done' },
          },
        ],
        check: ({ errors: [error] }) => {
          if (!isHitlError(error)) throw new Error('no error of ours');
          const told = JSON.stringify(error.detail);
          if (!told.includes('stopped by the user; it may have partly run')) throw new Error(told);
        },
      },
    ],
  },
];
