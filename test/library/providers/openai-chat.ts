import type { AiSdkModel } from '../../../src/library/ai-sdk.js';
import type { Loose, Wire } from './wire.js';
import { PICTURE, USED } from './wire.js';

const ENDS = { stop: 'stop', length: 'length', refusal: 'content_filter', tools: 'tool_calls' };

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm1',
  choices: [{ index: 0, delta, finish_reason }],
});

const afterCalls = [
  {
    role: 'assistant',
    content: 'I do',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'pay', arguments: '{"amount":6}' } },
      { id: 'call_2', type: 'function', function: { name: 'square', arguments: '{"value":3}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"paid":6}' },
  { role: 'tool', tool_call_id: 'call_2', content: '9' },
];

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } };

const response_format = {
  type: 'json_schema',
  json_schema: {
    name: 'response',
    strict: true,
    schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  },
};

/** Chat completions of OpenAI, which many other servers speak too. */
export const openAiChat: Wire = {
  name: 'OpenAI, chat completions',
  packages: { v3: 'openai-3', v4: '@ai-sdk/openai' },
  make(exported, settings) {
    const { createOpenAI } = exported as {
      createOpenAI(given: object): { chat(model: string): AiSdkModel };
    };
    return createOpenAI(settings).chat('m1');
  },
  lines: ({ words = [], calls = [], end }) => [
    chunk({ role: 'assistant', content: null }),
    ...words.map((content) => chunk({ content })),
    ...calls.flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: input } }] }),
    ]),
    chunk({}, ENDS[end]),
    {
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: USED.input,
        completion_tokens: USED.output,
        total_tokens: USED.input + USED.output,
        prompt_tokens_details: { cached_tokens: USED.cached },
      },
    },
    '[DONE]',
  ],
  failure: (_status, message) => ({ error: { message, type: 'server_error', param: null, code: null } }),
  said: ({ messages }: Loose) => (messages as { role: string }[]).filter(({ role }) => role !== 'system'),
  afterCalls: { v3: afterCalls, v4: afterCalls },
  images: [
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'shoot', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'the screen' },
    { role: 'user', content: [{ type: 'text', text: 'File returned by shoot:' }, image] },
  ],
  settings: ({ response_format, reasoning_effort }: Loose) => ({ response_format, reasoning_effort }),
  wanted: { v3: { response_format }, v4: { response_format, reasoning_effort: 'low' } },
};
