import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import type { JsonObject, ModelReply, Part } from '../../src/core/index.js';
import { isHitlError } from '../../src/core/index.js';
import { killPoints } from '../helpers/kill-points.js';
import type { Loose } from './anthropic-server.js';
import {
  ask,
  eventStream,
  failureOfAsking,
  hello,
  LoopbackServer,
  modelAt,
  modelFrom,
  requestOf,
  sse,
  toolNamed,
} from './anthropic-server.js';

function stream(name: string): string {
  return readFileSync(new URL(`../fixtures/anthropic/${name}.sse`, import.meta.url), 'utf8');
}

const text = (words: string): Part => ({ type: 'text', text: words });
const call = (ref: string, name: string, input: JsonObject) => ({ type: 'tool-request', ref, name, input });
const own = (data: Loose) => ({ type: 'data', data, metadata: { anthropic: { block: data.type } } });
const cutCall = (words: string, name: string) => ({
  ...text(words),
  metadata: { anthropic: { cutCall: name } },
});
const refused = (ref: string, problem: string) => ({ ...call(ref, 'transfer', {}), problem });
const usage = { inputTokens: 10, outputTokens: 20 };

const cited = {
  type: 'web_search_result_location',
  url: 'https://example.org',
  title: 'T',
  encrypted_index: 'E+/=',
  cited_text: 'c',
};
const bothCalls = [
  text('Both now.'),
  call('toolu_a', 'transfer', { to: 'A "quoted" é', amount: 12.5 }),
  call('toolu_b', 'balance', {}),
];

/** Asks once, with the body of the answer handed to the SDK as it is. */
async function readStream(body: string): Promise<ModelReply> {
  const { reply } = await ask(modelFrom(() => sse(body)));
  return reply;
}

describe('a stream', () => {
  test.for<[string, Loose]>([
    ['text', { content: [text('Grüße 😀 aus\n東京')], end: 'stop', usage }],
    ['stop-sequence', { content: [text('until')], end: 'stop', usage }],
    ['empty', { content: [], end: 'stop', usage }],
    ['context-window', { content: [text('so far')], end: 'context-window', usage }],
    ['unknown-stop', { content: [text('hm')], end: 'other', usage }],
    ['parallel-tools', { content: bothCalls, end: 'tool-use', usage }],
    ['late-block-stop', { content: [call('toolu_a', 'transfer', { to: 'A' })], end: 'tool-use', usage }],
    ['input-in-start', { content: [call('call-1-1', 'transfer', { to: 'A' })], end: 'tool-use', usage }],
    [
      'max-tokens-closed',
      {
        content: [
          text('I transfer. '),
          cutCall('\n\n[A call to transfer was cut off (max_tokens) and did not run.]', 'transfer'),
        ],
        end: 'length',
        usage,
      },
    ],
    [
      'max-tokens-open',
      {
        content: [cutCall('[A call to transfer was cut off (max_tokens) and did not run.]', 'transfer')],
        end: 'length',
        usage,
      },
    ],
    [
      'max-tokens-whole-input',
      {
        content: [cutCall('[A call to transfer was cut off (max_tokens) and did not run.]', 'transfer')],
        end: 'length',
        usage,
      },
    ],
    [
      'refusal',
      {
        content: [
          text('I beg'),
          cutCall('\n\n[A call to transfer was cut off (refusal) and did not run.]', 'transfer'),
        ],
        end: 'refusal',
        refusal: { category: 'cyber', explanation: 'No.' },
        usage,
      },
    ],
    [
      'foreign-caller',
      {
        content: [
          own({
            type: 'tool_use',
            id: 'toolu_x',
            name: 'transfer',
            input: { to: 'X' },
            caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' },
          }),
          call('toolu_d', 'transfer', { to: 'D' }),
        ],
        end: 'tool-use',
        usage,
      },
    ],
    // The second search has no result: the API would refuse it in a history.
    [
      'server-tools',
      {
        content: [
          own({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } }),
          own({
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [
              {
                type: 'web_search_result',
                title: 'T',
                url: 'https://example.org',
                encrypted_content: 'X+/=',
                page_age: null,
              },
            ],
          }),
          { ...text('It rains.'), metadata: { anthropic: { citations: [cited] } } },
        ],
        end: 'length',
        usage,
      },
    ],
    [
      'thinking',
      {
        content: [
          {
            type: 'reasoning',
            text: 'Let me see…',
            metadata: { anthropic: { type: 'thinking', signature: 'Eq+/ab==' } },
          },
          {
            type: 'reasoning',
            text: '',
            metadata: { anthropic: { type: 'redacted_thinking', data: 'Zm9v+/==' } },
          },
          {
            type: 'reasoning',
            text: '',
            metadata: { anthropic: { type: 'thinking', signature: 'omitted==' } },
          },
          call('toolu_a', 'balance', {}),
        ],
        end: 'tool-use',
        usage,
      },
    ],
    [
      'newer-keys',
      {
        content: [text('Hi there'), own({ type: 'hologram', pixels: [1, 2] })],
        end: 'stop',
        usage: { inputTokens: 117, outputTokens: 20, cacheReadTokens: 100, cacheWriteTokens: 7 },
      },
    ],
    [
      'bad-inputs',
      {
        content: [
          refused(
            'toolu_0',
            'the input was not accepted (duplicate-key at character 10): duplicate key "to"',
          ),
          refused(
            'toolu_1',
            'the input was not accepted (forbidden-key at character 1): the key "__proto__" is not allowed',
          ),
          refused('toolu_2', 'the input was not accepted (depth at character 64): more than 64 levels deep'),
          refused(
            'toolu_3',
            'the input was not accepted (non-finite-number at character 10): 1e400 is too large to represent as a number',
          ),
          refused(
            'toolu_4',
            'the input was not accepted (lone-surrogate at character 6): a lone surrogate in a string',
          ),
          refused(
            'toolu_5',
            'the input was rejected: 9007199254740993 becomes 9007199254740992; send integers of this size as strings',
          ),
          refused('toolu_6', 'the input must be a JSON object'),
          refused(
            'toolu_7',
            'the input was not accepted (syntax at character 10): unexpected text after the value',
          ),
          call('toolu_8', 'transfer', { to: 'fine' }),
        ],
        end: 'tool-use',
        usage,
      },
    ],
  ])('%s gives its reply (G20)', async ([name, reply]) => {
    expect(await readStream(stream(name))).toEqual(reply);
  });

  test.for<[string, string, boolean]>([
    ['overloaded-midway', 'failed overloaded_error: Overloaded (request req_1)', true],
    ['error-under-another-name', 'failed overloaded_error: Overloaded', true],
    ['foreign-caller-only', 'failed: the stop reason is `tool_use`, but no call in the reply can run', false],
    [
      'tool-use-without-block',
      'failed: the stop reason is `tool_use`, but no call in the reply can run',
      false,
    ],
    ['tool-use-open-block', 'failed: the stop reason is `tool_use`, but no call in the reply can run', false],
    ['duplicate-ids', 'failed: two tool calls have the id `toolu_a`', false],
  ])('%s is an error of the provider: %s', async ([name, message, retryable]) => {
    const failure = await failureOfAsking(readStream(stream(name)));

    expect(failure).toMatchObject({
      code: 'MODEL_FAILED',
      message: `Anthropic ${message}`,
      detail: { retryable },
    });
  });

  test('tells text, thinking and the size of tool inputs as they come, under our names', async () => {
    const tools = [toolNamed('transfer'), toolNamed('balance')];
    const both = await ask(
      modelFrom(() => sse(stream('parallel-tools'))),
      requestOf([hello], { tools }),
    );
    const thought = await ask(modelFrom(() => sse(stream('thinking'))));

    expect(both.events).toEqual([
      { type: 'text-delta', text: 'Both now.' },
      { type: 'tool-input-delta', name: 'transfer', characters: 42 },
    ]);
    expect(thought.events).toEqual([{ type: 'reasoning-delta', text: 'Let me see…' }]);
  });

  test('tells what came in one piece of the answer as one delta, and waits for no other piece', async () => {
    const words = ['one ', 'two ', 'three'].map((said) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: said },
    }));
    const body = eventStream([
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...words,
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ] as { type: string }[]);
    const upTo = (said: string) => body.indexOf('\n\n', body.indexOf(`"${said}"`)) + 2;
    const sizes = [upTo('two '), upTo('three') - upTo('two '), Infinity];
    const apart = await ask(modelFrom(() => ({ ...sse(body), sizes })));
    const together = await ask(modelFrom(() => sse(body)));
    const bytes = await ask(modelFrom(() => ({ ...sse(body), sizes: [1] })));

    expect(apart.events).toEqual([
      { type: 'text-delta', text: 'one two ' },
      { type: 'text-delta', text: 'three' },
    ]);
    expect(together.events).toEqual([{ type: 'text-delta', text: 'one two three' }]);
    expect(bytes.events).toEqual(
      ['one ', 'two ', 'three'].map((said) => ({ type: 'text-delta', text: said })),
    );
  });

  test('shows the note on a call that was cut off, as it is kept', async () => {
    const { text: shown } = await ask(modelFrom(() => sse(stream('max-tokens-closed'))));

    expect(shown).toBe('I transfer. \n\n[A call to transfer was cut off (max_tokens) and did not run.]');
  });

  test('is over with its last event, whatever comes behind it', async () => {
    const error = 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"no"}}\n\n';
    for (const behind of [error, 'event: x\ndata: {\n\n', stream('text')]) {
      expect(await readStream(stream('text') + behind)).toEqual(await readStream(stream('text')));
    }
  });

  test('tells an error that is not JSON in its own words', async () => {
    const body = `${stream('text').slice(0, 900)}\n\nevent: error\ndata: upstream went away\n\n`;

    expect(await failureOfAsking(readStream(body))).toMatchObject({
      message: 'Anthropic failed: upstream went away',
      detail: { retryable: true },
    });
  });

  test('tells an error that says nothing', async () => {
    const body = `${stream('text').slice(0, 900)}\n\nevent: error\ndata:\n\n`;

    expect(await failureOfAsking(readStream(body))).toMatchObject({
      message: 'Anthropic failed: an error without a message',
    });
  });

  test('parses a long input once, at the end of its block', async () => {
    const long = JSON.stringify({ content: 'x'.repeat(200_000) });
    const deltas = long.match(/[^]{1,20}/g) ?? [];
    const events = [
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'write' } },
      ...deltas.map((partial_json) => {
        return { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } };
      }),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ];
    const parse = vi.spyOn(JSON, 'parse');
    const { content } = await readStream(eventStream(events));

    expect(content).toEqual([call('a', 'write', { content: 'x'.repeat(200_000) })]);
    // One for each event of the stream, and none for the pieces.
    expect(parse.mock.calls.length).toBeLessThan(events.length + 10);
  });

  test('is an error where a line is not JSON, and nothing is printed', async () => {
    const printed = (['error', 'warn', 'log', 'info'] as const).map((method) => vi.spyOn(console, method));
    const broken = stream('text').replace('"type": "text_delta"', '"type: "text_delta"');
    const failure = await failureOfAsking(readStream(broken));

    expect(failure).toMatchObject({ message: 'Anthropic failed: a line in the stream is not JSON' });
    expect(printed.flatMap((spy) => spy.mock.calls)).toEqual([]);
  });

  test.for<[string, string, string, boolean]>([
    ['a page of HTML', 'text/html', '<html>Sign in to the network</html>', false],
    ['a whole message', 'application/json', '{"type":"message","content":[]}', false],
    ['nothing', 'text/event-stream', '', true],
  ])('is an error where a 200 brings %s', async ([, contentType, body, retryable]) => {
    const model = modelFrom(() => ({ headers: { 'content-type': contentType }, body }));
    const message = retryable
      ? 'Anthropic failed: the stream ended before the reply was complete'
      : `Anthropic failed: the response is \`${contentType}\`, not an event stream`;

    expect(await failureOfAsking(ask(model))).toMatchObject({ message, detail: { retryable } });
  });
});

describe('a damaged stream', () => {
  const whole = stream('parallel-tools');
  const events = whole.split('\n\n').filter((event) => event !== '');

  /** The reply, or the code of the named error. Anything else fails the test. */
  async function outcome(body: string | Uint8Array, breaks = false): Promise<ModelReply | string> {
    try {
      const { reply } = await ask(modelFrom(() => ({ ...sse(''), body, then: breaks ? 'destroy' : 'end' })));
      return reply;
    } catch (thrown) {
      if (isHitlError(thrown)) return thrown.code;
      throw thrown;
    }
  }

  test('never gives a reply when it is cut, at whatever byte (F25, G20)', { timeout: 60_000 }, async () => {
    const bytes = Buffer.from(stream('small-tool'));
    const last = 'data: {"type":"message_stop"}';
    const completeAt = bytes.indexOf(last) + last.length;
    const seen = new Set<string>();
    const ends = Array.from({ length: bytes.length + 1 }, (_, end) => end);
    // Of what comes before the end a third of the bytes.
    for (const end of [...killPoints(ends.slice(0, completeAt - 10), 3), ...ends.slice(completeAt - 10)]) {
      for (const breaks of [false, true]) {
        const result = await outcome(bytes.subarray(0, end), breaks);
        seen.add(`${end < completeAt ? 'cut' : 'whole'}: ${JSON.stringify(result)}`);
      }
    }

    const content = [call('toolu_a', 'pay', { to: '東"京', amount: 125 })];
    expect(seen).toEqual(
      new Set([
        'cut: "MODEL_FAILED"',
        'whole: "MODEL_FAILED"', // the connection broke before the line that ends the event
        `whole: ${JSON.stringify({ content, end: 'tool-use', usage })}`,
      ]),
    );
  });

  test('never makes a tool input of incomplete JSON, wherever the JSON stops (G20)', async () => {
    const raw = '{"to":"A \\"b\\" \\u00e9","amount":12.50,"memo":null}';
    for (let end = 1; end < raw.length; end += 1) {
      const body = eventStream([
        { type: 'message_start', message: {} },
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'pay' } },
        {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: raw.slice(0, end) },
        },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ] as { type: string }[]);
      const { content } = await readStream(body);

      expect(content).toMatchObject([{ name: 'pay', input: {} }]);
      expect(content[0], raw.slice(0, end)).toHaveProperty(
        'problem',
        expect.stringContaining('incomplete-json'),
      );
    }
  });

  /** Each event swapped with the next, and each event twice. */
  function* disorders(): Generator<string[]> {
    for (const [index, event] of events.entries()) {
      const next = events[index + 1];
      // The protocol does not number its deltas: two of them in another order are another text.
      const isDelta = (other: string | undefined) => other?.startsWith('event: content_block_delta') === true;
      if (next !== undefined && !(isDelta(event) && isDelta(next))) {
        yield [...events.slice(0, index), next, event, ...events.slice(index + 2)];
      }
      if (!isDelta(event)) yield [...events.slice(0, index), event, ...events.slice(index)];
    }
  }

  test('gives the true reply or a named error when events are swapped or doubled (F25)', async () => {
    const reference = await readStream(whole);
    const results = { same: 0, failed: 0 };
    for (const changed of disorders()) {
      const result = await outcome(`${changed.join('\n\n')}\n\n`);
      if (result === 'MODEL_FAILED') results.failed += 1;
      else {
        expect(result).toEqual(reference);
        results.same += 1;
      }
    }

    expect(results).toEqual({ same: 7, failed: 15 });
  });

  test('gives the true reply or a named error when an event is lost that is not a piece of text', async () => {
    const reference = await readStream(whole);
    for (const [index, event] of events.entries()) {
      if (event.startsWith('event: content_block_delta')) continue;
      const result = await outcome(`${events.filter((_, other) => other !== index).join('\n\n')}\n\n`);
      const lostCall = event.startsWith('event: content_block_stop') && index > 4;
      if (lostCall)
        expect((result as ModelReply).content.filter((part) => part.type === 'tool-request')).toHaveLength(1);
      else if (result !== 'MODEL_FAILED') expect(result).toEqual(reference);
    }
  });

  test.for<[string, Loose[]]>([
    [
      '`content_block_start` after the stop reason',
      [{ type: 'content_block_start', index: 1, content_block: {} }],
    ],
    [
      '`content_block_delta` after the stop reason',
      [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '!' } }],
    ],
    [
      'two stop reasons: `end_turn` and `tool_use`',
      [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }],
    ],
  ])('is refused for %s', async ([message, late]) => {
    const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } };
    const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    const body = [
      { type: 'message_start', message: {} },
      start,
      end,
      ...late,
      { type: 'message_stop' },
    ] as Loose[];

    expect(await failureOfAsking(readStream(eventStream(body)))).toMatchObject({
      message: `Anthropic failed: ${message}`,
    });
  });

  test.for<[string, Loose[]]>([
    [
      '`message_stop` without a stop reason',
      [{ type: 'message_start', message: {} }, { type: 'message_stop' }],
    ],
    ['`message_stop` before `message_start`', [{ type: 'message_stop' }]],
    [
      '`message_delta` before `message_start`',
      [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }],
    ],
    ['`content_block_stop` before `message_start`', [{ type: 'content_block_stop', index: 0 }]],
    [
      'block 0 has no content',
      [
        { type: 'message_start', message: {} },
        { type: 'content_block_start', index: 0 },
      ],
    ],
    [
      'the input of a provider tool call is not JSON: unexpected end of input, expected a value',
      [
        { type: 'message_start', message: {} },
        { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 's' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        { type: 'message_stop' },
      ],
    ],
  ])('is refused where it says: %s', async ([message, events]) => {
    expect(await failureOfAsking(readStream(eventStream(events)))).toMatchObject({
      message: `Anthropic failed: ${message}`,
    });
  });

  test('gives the same however it is cut into chunks', async () => {
    const reference = await readStream(whole);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), async (sizes) => {
        const { reply } = await ask(modelFrom(() => ({ ...sse(whole), sizes })));
        expect(reply).toEqual(reference);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a paused reply (pause_turn)', () => {
  test('goes on with the turn as it is, and is one reply with the usage of both', async () => {
    await using server = await LoopbackServer.start(sse(stream('pause-first')), sse(stream('pause-second')));
    const { reply, text: shown } = await ask(modelAt(server));
    const search = {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: { query: 'rain' },
    };

    expect(reply).toEqual({
      content: [
        text('Searching. '),
        own(search),
        own({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
        text('Nothing found.'),
      ],
      end: 'stop',
      usage: { inputTokens: 40, outputTokens: 40 },
    });
    expect(shown).toBe('Searching. Nothing found.');
    expect(server.received[1]?.body['messages'].slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'Searching. ' }, search] },
    ]);
  });

  test('ends as paused after ten times, without the call that is still open', async () => {
    const pauses = Array.from({ length: 12 }, () => sse(stream('pause-first')));
    await using server = await LoopbackServer.start(...pauses);
    const { reply } = await ask(modelAt(server));

    expect(reply.end).toBe('paused');
    expect(server.received).toHaveLength(11);
    expect(reply.content).toEqual(Array.from({ length: 11 }, () => text('Searching. ')));
  });

  test('tells what came before the pause again after a restart behind it', async () => {
    await using server = await LoopbackServer.start(
      sse(stream('pause-first')),
      sse(stream('overloaded-midway')),
      sse(stream('pause-second')),
    );
    const { events, text: shown } = await ask(modelAt(server, { maxTries: 2 }));

    expect(events.map(({ type }) => type)).toEqual([
      'text-delta',
      'provider-call',
      'text-delta',
      'restarted',
      'text-delta',
      'provider-call',
      'retrying',
      'provider-result',
      'text-delta',
    ]);
    expect(shown).toBe('Searching. Nothing found.');
  });
});
