import { describe, expect, test } from 'vitest';

import type { JsonObject, Message, ModelReply, Part, ToolDescriptor } from '../../src/core/index.js';
import { AppendList, checkMessages, textOf, toolRequestsOf } from '../../src/core/index.js';
import { recording, recordingsMissing } from './anthropic-recordings.js';
import type { Exchange } from './anthropic-recordings.js';
import type { Cutting, LooseObject } from './anthropic-server.js';
import {
  ask,
  failureOfAsking,
  hello,
  LoopbackServer,
  modelAt,
  requestOf,
  toolNamed,
} from './anthropic-server.js';

const text = (words: string): Part => ({ type: 'text', text: words });
const call = (ref: string, name: string, input: JsonObject) => ({ type: 'tool-request', ref, name, input });
const used = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const thinking = (words: string, signature: string) => ({
  type: 'reasoning',
  text: words,
  metadata: { anthropic: { type: 'thinking', signature } },
});
const own = (data: LooseObject) => ({
  type: 'data',
  data,
  metadata: { anthropic: { block: data['type'] } },
});
const failed = (message: string, detail: JsonObject, code = 'MODEL_FAILED') => ({ code, message, detail });

/** What each exchange of a recording must give: a reply, or an error. A string is read from the recording itself. */
const expected: Record<string, (exchanges: Exchange[]) => unknown[]> = {
  'vercel-ai/anthropic-text.chunks.txt': () => [
    {
      content: [
        text(
          "Hello! I'm doing well, thank you for asking. How are you doing today? Is there anything I can help you with?",
        ),
      ],
      end: 'stop',
      ...used(12, 30),
    },
  ],
  'vercel-ai/anthropic-tool-no-args.chunks.txt': () => [
    {
      content: [
        text("I'll update the issue list for you."),
        call('toolu_01QE1WLsSVp5hy5Q3GmGTmjP', 'updateIssueList', {}),
      ],
      end: 'tool-use',
      ...used(565, 48),
    },
  ],
  'vercel-ai/anthropic-json-other-tool.1.chunks.txt': () => [
    {
      content: [call('toolu_019Zvehfe1XQWweT1pm7okyt', 'weather', { location: 'San Francisco' })],
      end: 'tool-use',
      ...used(843, 28),
    },
  ],
  'vercel-ai/anthropic-clear-thinking.1.chunks.txt': (exchanges) => [
    {
      content: [
        thinking(
          'The previous result was 925. Now I need to divide that by 5.\n\n925 ÷ 5 = 185',
          signatureIn(exchanges),
        ),
        text('925 ÷ 5 = 185'),
      ],
      end: 'stop',
      ...used(69, 53),
    },
  ],
  'vercel-ai/anthropic-mcp.1.chunks.txt': () => [
    {
      content: [
        own({
          type: 'mcp_tool_use',
          id: 'mcptoolu_017CuqaJcXe5ZHJjaz3KS1AT',
          name: 'echo',
          input: { message: 'hello world' },
          server_name: 'echo',
        }),
        own({
          type: 'mcp_tool_result',
          tool_use_id: 'mcptoolu_017CuqaJcXe5ZHJjaz3KS1AT',
          is_error: false,
          content: [{ type: 'text', text: 'Tool echo: hello world' }],
        }),
        text(
          'The echo tool responded back with: **hello world**\n\nIt simply echoed back the exact message that was sent to it.',
        ),
      ],
      end: 'stop',
      ...used(1250, 83),
    },
  ],
  'vercel-ai/anthropic-refusal.chunks.txt': () => [
    {
      content: [],
      end: 'refusal',
      refusal: {
        category: 'cyber',
        explanation:
          "This request triggered restrictions on violative cyber content and was blocked under Anthropic's Usage Policy.",
      },
      ...used(18, 5),
    },
  ],
  'vercel-ai/duplicate-message-start.chunks.txt': () => [
    failed('the server at HOST failed: a second `message_start` in one stream', { retryable: false }),
  ],
  'anthropic-sdk-typescript/incomplete_partial_json_response.txt': () => [
    {
      content: [
        text(
          "I'll create a comprehensive tax guide for someone with multiple W2s and save it in a file called taxes.txt. Let me do that for you now.",
        ),
        {
          ...text('\n\n[A call to make_file was cut off (max_tokens) and did not run.]'),
          metadata: { anthropic: { cutCall: 'make_file' } },
        },
      ],
      end: 'length',
      ...used(450, 124),
    },
  ],
  'rig/messages_tool_args/unicode_arguments_streaming.yaml': () => [
    {
      content: [call('toolu_REDACTED_1', 'echo', { message: 'Grüße aus 東京, from the "naïve café"!' })],
      end: 'tool-use',
      ...used(618, 68),
    },
  ],
  'rig/streaming_tools/streaming_tools_batches_multiple_tool_results_in_one_followup_message.yaml': () => [
    {
      content: [
        text("I'll call both tools simultaneously right away!"),
        call('toolu_REDACTED_1', 'lookup_harbor_label', {}),
        call('toolu_REDACTED_2', 'lookup_orchard_label', {}),
      ],
      end: 'tool-use',
      ...used(700, 70),
    },
    {
      content: [
        text(
          'The alpha signal marker is **crimson-harbor** and the beta signal marker is **silver-orchard**.',
        ),
      ],
      end: 'stop',
      ...used(846, 26),
    },
  ],
  'rig/empty_end_turn/prompt_loop_accepts_empty_terminal_turn_after_tool_result.yaml': () => [
    {
      content: [call('toolu_REDACTED_1', 'notify', { msg: 'Deploy finished.' })],
      end: 'tool-use',
      ...used(628, 53),
    },
    { content: [], end: 'stop', ...used(697, 2) },
  ],
  'rig/error_identity_edge/auth_rejection_carries_identity.yaml': () => [
    failed('the server at HOST answered 401 authentication_error: API key is invalid.', {
      status: 401,
      type: 'authentication_error',
      retryable: false,
    }),
  ],
  'rig/error_envelope/nonexistent_model_streaming_error_preserves_status_and_body.yaml': () => [
    failed(
      'no model `claude-test`: the server at HOST answered 404 not_found_error: model: claude-nonexistent-rig-test (request req_REDACTED_1)',
      { status: 404, type: 'not_found_error', requestId: 'req_REDACTED_1', retryable: false },
      'MODEL_NOT_FOUND',
    ),
  ],
  'rig/error_identity_edge/validation_error_carries_identity.yaml': () => [
    failed(
      'the server at HOST answered 400 invalid_request_error: temperature: range: 0..1 (request req_REDACTED_1)',
      { status: 400, type: 'invalid_request_error', requestId: 'req_REDACTED_1', retryable: false },
    ),
  ],
  'pydantic-ai/test_multiple_parallel_tool_calls.yaml': (exchanges) => fromMessages(exchanges),
  'pydantic-ai/test_anthropic_tool_with_thinking.yaml': (exchanges) => fromMessages(exchanges),
  'pydantic-ai/test_anthropic_model_thinking_part_redacted_stream.yaml': (exchanges) => {
    const blobs = [...String(exchanges[0]?.answer.body).matchAll(/"redacted_thinking","data":"([^"]+)"/g)];
    const words = [...String(exchanges[0]?.answer.body).matchAll(/"text_delta","text":("[^\n]*?")\}/g)];
    expect(blobs).toHaveLength(2);
    return [
      {
        content: [
          ...blobs.map(([, data]) => ({
            type: 'reasoning',
            text: '',
            metadata: { anthropic: { type: 'redacted_thinking', data } },
          })),
          text(words.map(([, piece = '""']) => JSON.parse(piece)).join('')),
        ],
        end: 'stop',
        ...used(92, 189),
      },
    ];
  },
  // Both answers are one reply: the first is paused and goes back as it is.
  'pydantic-ai/test_pause_turn_web_search_vcr.yaml': (exchanges) => {
    const [first, second] = fromMessages(exchanges) as ModelReply[];
    return [
      {
        content: [...(first?.content ?? []), ...(second?.content ?? [])],
        end: 'stop',
        ...used(401_468 + 494_549, 792 + 1245),
      },
    ];
  },
  'ruby_llm/chat_function_calling_anthropic_claude-haiku-4-5_can_use_tools_with_multi-turn_streaming_conversations.yml':
    () => [
      {
        content: [
          call('toolu_01MKSN7NHsBVKr7Jvw5pqCQq', 'weather', { latitude: '52.5200', longitude: '13.4050' }),
        ],
        end: 'tool-use',
        ...used(633, 75),
      },
      {
        content: [
          text(
            "The weather in Berlin is currently:\n- **Temperature:** 15°C\n- **Wind:** 10 km/h\n\nIt's relatively mild with a light breeze. Perfect for a walk around the city!",
          ),
        ],
        end: 'stop',
        ...used(748, 49),
      },
      {
        content: [
          call('toolu_01WyBDTrFVoidP92YhrB1xZ2', 'weather', { latitude: '48.8575', longitude: '2.3514' }),
        ],
        end: 'tool-use',
        ...used(819, 75),
      },
      {
        content: [
          text(
            "The weather in Paris is currently:\n- **Temperature:** 15°C\n- **Wind:** 10 km/h\n\nIt's the same as Berlin! Both cities are experiencing mild weather with light winds at 15°C.",
          ),
        ],
        end: 'stop',
        ...used(934, 53),
      },
    ],
  'opencode/rejects-malformed-assistant-tool-order-without-patch.json': () => [
    failed(
      'the server at HOST answered 400 invalid_request_error: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message. (request req_011Cak2XdJgnzxKCY2BC2Beh)',
      {
        status: 400,
        type: 'invalid_request_error',
        requestId: 'req_011Cak2XdJgnzxKCY2BC2Beh',
        retryable: false,
      },
    ),
  ],
  'dd-trace-py/anthropic_completion_stream_malformed.yaml': () => [
    failed('the server at HOST failed: the stream ended before the reply was complete', { retryable: true }),
  ],
};

function signatureIn([exchange]: Exchange[]): string {
  return /"signature_delta","signature":"([^"]+)"/.exec(String(exchange?.answer.body))?.[1] ?? '';
}

/** The replies that recorded whole messages stand for, by a mapping of the test's own. */
function fromMessages(exchanges: Exchange[]): unknown[] {
  return exchanges.map(({ message }) => ({
    content: (message!['content'] as LooseObject[]).map((block) => {
      if (block['type'] === 'tool_use') return call(block['id'], block['name'], block['input']);
      if (block['type'] === 'thinking') return thinking(block['thinking'], block['signature']);
      if (block['type'] !== 'text') return own(block);
      const citations = block['citations'];
      return { ...text(block['text']), ...(citations && { metadata: { anthropic: { citations } } }) };
    }),
    end: message?.['stop_reason'] === 'tool_use' ? 'tool-use' : 'stop',
    ...used(message?.['usage'].input_tokens, message?.['usage'].output_tokens),
  }));
}

const cuttings = (size: number): Cutting[] => ['whole', { bytes: size }, { bytes: 1009 }, 'crlf'];

async function replay(exchanges: Exchange[], cutting: Cutting, replies: number): Promise<unknown[]> {
  await using server = await LoopbackServer.start(...exchanges.map(({ answer }) => ({ ...answer, cutting })));
  const model = modelAt(server);
  const results: unknown[] = [];
  for (let index = 0; index < replies; index += 1) {
    const asking = ask(model);
    try {
      const { reply, text: shown } = await asking;
      // What was shown is what is kept.
      expect(shown).toBe(textOf({ role: 'model', content: reply.content }));
      results.push(reply);
    } catch {
      const { code, message, detail } = await failureOfAsking(asking);
      results.push({ code, message: String(message).replace(new URL(server.url).host, 'HOST'), detail });
    }
  }
  return results;
}

describe.skipIf(recordingsMissing !== '')(`a recorded exchange${recordingsMissing}`, () => {
  test('is there for each of the 21 expectations', () => {
    expect(Object.keys(expected)).toHaveLength(21);
  });

  test.for(Object.keys(expected))('%s gives the same in every cutting', { timeout: 60_000 }, async (file) => {
    const exchanges = recording(file);
    const results = expected[file]?.(exchanges) ?? [];
    for (const cutting of cuttings(file.includes('pause_turn') ? 61 : 3)) {
      expect(await replay(exchanges, cutting, results.length)).toEqual(results);
    }
  });
});

/** A request without what the test does not look at: cache marks, and the two ways to write a result. */
function normalized(messages: LooseObject[]): unknown {
  return messages.map(({ role, content }) => ({
    role,
    content: (typeof content === 'string' ? [{ type: 'text', text: content }] : (content as object[])).map(
      (block) => {
        const { cache_control: _mark, is_error: _error, ...rest } = block as LooseObject;
        if (rest['type'] !== 'tool_result' || typeof rest['content'] !== 'string') return rest;
        return { ...rest, content: [{ type: 'text', text: rest['content'] }] };
      },
    ),
  }));
}

/** The messages that our side has after a recorded follow-up request: its texts and results, our own replies. */
function followUp(exchange: Exchange, replies: readonly ModelReply[]): Message[] {
  const said = [...replies];
  return (exchange.request!['messages'] as LooseObject[]).map(({ role, content }): Message => {
    if (role === 'assistant') return { role: 'model', content: said.shift()?.content ?? [] };
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content }] : (content as LooseObject[]);
    const names = new Map(replies.flatMap(({ content: parts }) => namesOf(parts)));
    return {
      role: blocks.some((block) => block['type'] === 'tool_result') ? 'tool' : 'user',
      content: blocks.map((block): Part => {
        if (block['type'] !== 'tool_result') return { type: 'text', text: block['text'] };
        const output = typeof block['content'] === 'string' ? block['content'] : block['content'][0].text;
        return {
          type: 'tool-response',
          ref: block['tool_use_id'],
          name: names.get(block['tool_use_id']) ?? '',
          output,
        };
      }),
    };
  });
}

function namesOf(content: readonly Part[]): [string, string][] {
  return toolRequestsOf({ role: 'model', content }).map(({ ref, name }) => [ref, name]);
}

function toolsOf(exchange: Exchange | undefined): ToolDescriptor[] {
  const tools = (exchange?.request?.['tools'] ?? []) as LooseObject[];
  return tools
    .filter((tool) => 'input_schema' in tool)
    .map((tool) => toolNamed(tool['name'], tool['input_schema']));
}

describe.skipIf(recordingsMissing !== '')(`a recorded conversation${recordingsMissing}`, () => {
  test.for([
    'rig/streaming_tools/streaming_tools_batches_multiple_tool_results_in_one_followup_message.yaml',
    'rig/empty_end_turn/prompt_loop_accepts_empty_terminal_turn_after_tool_result.yaml',
    'pydantic-ai/test_multiple_parallel_tool_calls.yaml',
    'pydantic-ai/test_anthropic_tool_with_thinking.yaml',
    'ruby_llm/chat_function_calling_anthropic_claude-haiku-4-5_can_use_tools_with_multi-turn_streaming_conversations.yml',
  ])('%s is sent back as its client sent it', async (file) => {
    const exchanges = recording(file);
    await using server = await LoopbackServer.start(...exchanges.map(({ answer }) => answer));
    const model = modelAt(server);
    const replies: ModelReply[] = [];
    for (const [index, exchange] of exchanges.entries()) {
      const messages = followUp(exchange, replies);
      expect(checkMessages(messages)).toEqual([]);
      const { reply } = await ask(model, { messages: AppendList.of(messages), tools: toolsOf(exchange) });
      replies.push(reply);
      const sent = server.received[index]?.body['messages'];
      expect(normalized(sent)).toEqual(normalized(exchange.request?.['messages']));
    }
  });

  test('that was paused goes on with the turn as it was (pause_turn)', async () => {
    const exchanges = recording('pydantic-ai/test_pause_turn_web_search_vcr.yaml');
    await using server = await LoopbackServer.start(...exchanges.map(({ answer }) => answer));
    const question = followUp(exchanges[0]!, []);

    await ask(modelAt(server), requestOf(question));

    expect(normalized(server.received[1]?.body['messages'])).toEqual(
      normalized(exchanges[1]?.request?.['messages']),
    );
  });

  test('of searches and citations is replayed whole in the next turn', async () => {
    const exchanges = recording('pydantic-ai/test_pause_turn_web_search_vcr.yaml');
    const again = recording('vercel-ai/anthropic-text.chunks.txt');
    await using server = await LoopbackServer.start(...[...exchanges, ...again].map(({ answer }) => answer));
    const question = followUp(exchanges[0]!, []);
    const { reply } = await ask(modelAt(server), requestOf(question));

    await ask(modelAt(server), requestOf([...question, { role: 'model', content: reply.content }, hello]));

    const blocks = exchanges.flatMap(({ message }) => message?.['content'] as unknown[]);
    expect(server.received[2]?.body['messages'][1].content).toEqual(blocks);
  });
});
