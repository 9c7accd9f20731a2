import type { AiSdkModel } from '../../../src/library/ai-sdk.js';
import type { Loose, Wire } from './wire.js';
import { PICTURE, USED } from './wire.js';

const ENDS = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal', tools: 'tool_use' };

const afterCalls = [
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sealed' },
      { type: 'text', text: 'I do' },
      { type: 'tool_use', id: 'call_1', name: 'pay', input: { amount: 6 } },
      { type: 'tool_use', id: 'call_2', name: 'square', input: { value: 3 } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_1', content: '{"paid":6}' },
      { type: 'tool_result', tool_use_id: 'call_2', content: '9' },
    ],
  },
];

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } };

const format = {
  output_config: {
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: { a: { type: 'number' } },
        required: ['a'],
        additionalProperties: false,
      },
    },
  },
};

/** The Messages API, as the package of the AI SDK speaks it. */
export const anthropic: Wire = {
  name: 'Anthropic',
  packages: { v3: 'anthropic-3', v4: '@ai-sdk/anthropic' },
  make(exported, settings) {
    const { createAnthropic } = exported as { createAnthropic(given: object): (model: string) => AiSdkModel };
    return createAnthropic(settings)('claude-sonnet-4-5');
  },
  lines({ thought, words = [], calls = [], end }) {
    const blocks = [
      ...(thought === undefined
        ? []
        : [
            [
              { type: 'thinking', thinking: '', signature: '' },
              { type: 'thinking_delta', thinking: thought },
              { type: 'signature_delta', signature: 'sealed' },
            ],
          ]),
      ...(words.length === 0
        ? []
        : [[{ type: 'text', text: '' }, ...words.map((text) => ({ type: 'text_delta', text }))]]),
      ...calls.map(({ id, name, input }) => [
        { type: 'tool_use', id, name, input: {} },
        { type: 'input_json_delta', partial_json: input },
      ]),
    ];
    return [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: USED.input - USED.cached,
            cache_read_input_tokens: USED.cached,
            cache_creation_input_tokens: 0,
            output_tokens: 1,
          },
        },
      },
      ...blocks.flatMap(([content_block, ...deltas], index) => [
        { type: 'content_block_start', index, content_block },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: ENDS[end], stop_sequence: null },
        usage: { output_tokens: USED.output },
      },
      { type: 'message_stop' },
    ];
  },
  failure: (_status, message) => ({ type: 'error', error: { type: 'api_error', message } }),
  said: ({ messages }: Loose) => messages as unknown[],
  afterCalls: { v3: afterCalls, v4: afterCalls },
  images: [
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'shoot', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_1',
          content: [{ type: 'text', text: 'the screen' }, image],
        },
      ],
    },
  ],
  settings: ({ output_config, thinking }: Loose) => ({ output_config, thinking }),
  wanted: { v3: format, v4: { ...format, thinking: { type: 'enabled', budget_tokens: 6400 } } },
};
